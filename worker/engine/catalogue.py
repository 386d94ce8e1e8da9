"""Everything registered, found by walking the packages: a new file alone suffices."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from types import ModuleType

from worker.engine import goals as goals_package
from worker.engine import measures as measures_package
from worker.engine import methods as methods_package
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.goal import goals as _goals
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.measure import measures as _measures
from worker.engine.contracts.method import Method
from worker.engine.contracts.method import methods as _methods
from worker.engine.contracts.parametric import P, Parametric, Registry
from worker.engine.errors import EngineError


@cache
def _discover(package: ModuleType) -> None:
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(found.name)


def methods() -> dict[str, type[Method]]:
    """Every method by slug."""
    _discover(methods_package)
    return dict(sorted(_methods.classes.items()))


def goals() -> dict[str, type[Goal]]:
    """Every privacy model by slug."""
    _discover(goals_package)
    return dict(sorted(_goals.classes.items()))


def measures() -> dict[str, type[Measure]]:
    """Every measure by slug."""
    _discover(measures_package)
    return dict(sorted(_measures.classes.items()))


def method(slug: str) -> type[Method]:
    """One method."""
    return _named(methods_package, methods, _methods, slug)


def goal(slug: str) -> type[Goal]:
    """One privacy model."""
    return _named(goals_package, goals, _goals, slug)


def measure(slug: str) -> type[Measure]:
    """One measure."""
    return _named(measures_package, measures, _measures, slug)


def usual_measures() -> tuple[Measure, ...]:
    """What a run is measured by when nobody chooses: what costs little and needs no parameters."""
    found = (cls for cls in measures().values() if cls.by_default and not cls.problems({}))
    return tuple(cls.of({}) for cls in found)


def as_dict() -> dict[str, object]:
    """The whole catalogue as plain JSON."""
    return {
        "methods": [
            _entry(c) | {"family": c.family, "guarantee": c.guarantee, "scope": c.scope}
            for c in methods().values()
        ],
        "goals": [_entry(c) for c in goals().values()],
        "measures": [
            _entry(c) | {"section": c.section, "figures": [asdict(figure) for figure in c.figures]}
            for c in measures().values()
        ],
    }


def _entry(cls: type[Parametric]) -> dict[str, object]:
    return {
        "slug": cls.slug,
        "title": cls.title,
        "summary": cls.in_short(),
        "references": list(cls.references),
        "parameters": [parameter.as_dict() for parameter in cls.parameters()],
        "schema": cls.model_json_schema(),
        "examples": [example.params() for example in cls.examples()],
    }


def _named(package: ModuleType, everyone: Callable[[], dict[str, P]], registry: Registry[P], slug: str) -> P:
    """Of most the file bears the name, so that the others need not be loaded."""
    if slug not in registry.classes:
        _discover_one(package, slug.replace("-", "_"))
    known = registry.classes if slug in registry.classes else everyone()
    if slug not in known:
        text = f"There is no {registry.sort} with this name. Known: {', '.join(known)}."
        raise EngineError(f"no-such-{registry.sort}", text, param=registry.sort)
    return known[slug]


def _discover_one(package: ModuleType, name: str) -> None:
    """The file of that name, in the package or in a room of it, if there is one."""
    rooms = [
        found.name for found in pkgutil.iter_modules(package.__path__, package.__name__ + ".") if found.ispkg
    ]
    for room in (package.__name__, *rooms):
        if name.isidentifier() and find_spec(f"{room}.{name}"):
            importlib.import_module(f"{room}.{name}")
