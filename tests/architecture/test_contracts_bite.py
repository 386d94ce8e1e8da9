"""Every import contract refuses what it is there to refuse: forbidden imports are planted, one at a time."""

import itertools
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter import configuration
from importlinter.application.use_cases import read_user_options
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract

ROOT = Path(__file__).resolve().parents[2]
TYPES = {
    "layers": LayersContract,
    "independence": IndependenceContract,
    "forbidden": ForbiddenContract,
    "protected": ProtectedContract,
}
Edge = tuple[str, str]

configuration.configure()
OPTIONS = read_user_options(str(ROOT / "pyproject.toml"))
CONTRACTS = {one["name"]: one for one in OPTIONS.contracts_options}
EXHAUSTIVE = [name for name, one in CONTRACTS.items() if one.get("exhaustive") in ("true", "True", True)]


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    packages = OPTIONS.session_options["root_packages"]
    return grimp.build_graph(*packages, include_external_packages=True, cache_dir=None)


def kept(name: str, graph: grimp.ImportGraph) -> bool:
    options = dict(CONTRACTS[name])
    kind = TYPES[options.pop("type")]
    contract = kind(name=name, session_options=OPTIONS.session_options, contract_options=options)
    return bool(contract.check(graph, verbose=False).kept)


def planted(name: str, graph: grimp.ImportGraph) -> list[Edge]:
    """Imports that the contract has to refuse, each of them alone."""
    options = CONTRACTS[name]
    found = {
        "layers": in_layers,
        "independence": among_siblings,
        "forbidden": forbidden,
        "protected": by_strangers,
    }
    return list(dict.fromkeys(found[options["type"]](options, graph)))


def in_layers(options: dict[str, Any], graph: grimp.ImportGraph) -> Iterator[Edge]:
    """Each layer imports the one above it, and each of independent neighbours imports the other."""
    for container in options["containers"]:
        there = [
            [f"{container}.{one.strip(' ()')}" for one in line.replace("|", ":").split(":")]
            for line in options["layers"]
        ]
        yield from ((lower[0], upper[0]) for upper, lower in itertools.pairwise(there))
        beside = (modules for modules, line in zip(there, options["layers"], strict=True) if "|" in line)
        yield from (pair for modules in beside for pair in itertools.permutations(modules, 2))


def among_siblings(options: dict[str, Any], graph: grimp.ImportGraph) -> Iterator[Edge]:
    """Each imports the next."""
    for expression in options["modules"]:
        package = expression.removesuffix(".*")
        siblings = sorted(graph.find_children(package)) if package != expression else [expression]
        yield from itertools.pairwise(siblings)


def forbidden(options: dict[str, Any], graph: grimp.ImportGraph) -> Iterator[Edge]:
    """Each source imports each of what it must not know."""
    yield from itertools.product(options["source_modules"], options["forbidden_modules"])


def by_strangers(options: dict[str, Any], graph: grimp.ImportGraph) -> Iterator[Edge]:
    """Each module beside a protected one imports it, but those that may, or hold one that may."""
    for imported in options["protected_modules"]:
        for importer in sorted(graph.find_children(imported.rpartition(".")[0]) - {imported}):
            if not any(f"{one}.".startswith(f"{importer}.") for one in options["allowed_importers"]):
                yield importer, imported


@pytest.mark.parametrize("name", CONTRACTS)
def test_it_refuses_what_it_is_there_to_refuse(name: str, graph: grimp.ImportGraph) -> None:
    assert kept(name, deepcopy(graph))  # what a contract ignores is taken out of the graph it looks at
    edges = [one for one in planted(name, graph) if set(one) <= graph.modules]
    assert edges
    borne = []
    for importer, imported in edges:
        changed = deepcopy(graph)
        changed.add_import(importer=importer, imported=imported)
        if kept(name, changed):
            borne.append((importer, imported))
    assert borne == []


@pytest.mark.parametrize("name", EXHAUSTIVE)
def test_a_module_without_a_layer_is_refused(name: str, graph: grimp.ImportGraph) -> None:
    for container in CONTRACTS[name]["containers"]:
        changed = deepcopy(graph)
        changed.add_module(f"{container}.stray")
        assert not kept(name, changed)


def test_the_rooms_of_engine_and_worker_are_exhaustive() -> None:
    containers = {one for name in EXHAUSTIVE for one in CONTRACTS[name]["containers"]}
    assert {"stewardapp", "worker", "worker.engine", "worker.queue", "worker.process"} <= containers


def test_no_room_imports_in_a_circle(graph: grimp.ImportGraph) -> None:
    circles = [
        (one, other)
        for package in ("stewardapp", "worker", "worker.engine", "worker.queue", "worker.process")
        for one, other in itertools.combinations(sorted(graph.find_children(package)), 2)
        if reaches(graph, one, other) and reaches(graph, other, one)
    ]
    assert circles == []


def reaches(graph: grimp.ImportGraph, importer: str, imported: str) -> bool:
    return graph.chain_exists(importer, imported, as_packages=True)
