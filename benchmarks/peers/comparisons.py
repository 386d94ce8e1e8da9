"""Ours beside each peer: the same data, in one run, seconds of the processor.

Ours works on coded columns in memory, with the compiled loops loaded; theirs on the frames or arrays it
wants. Reading is in neither. A peer that takes seconds works once, ours several times: the best counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.adult import NAMES, Census, adult
from benchmarks.peers.environment import measured
from benchmarks.table import Result
from worker.engine.contracts.goal import Goal, GoalResult
from worker.engine.contracts.method import Method, Plan
from worker.engine.execution.dataset import Dataset
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.goals.l_diversity import LDiversity
from worker.engine.goals.t_closeness import TCloseness
from worker.engine.methods.generalization import Generalization
from worker.engine.methods.mondrian import Mondrian
from worker.engine.randomness import Source, fresh_key
from worker.engine.reporting import NullReporter
from worker.engine.tables.classes import classes_of
from worker.engine.tables.column import Column, Floats
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import MemorySource, Table
from worker.engine.wording import thousands

if TYPE_CHECKING:
    from benchmarks.suite import Setting

SENSITIVE = "occupation"
THOUSANDTH = 1 / 1000
ROUNDS = 5
MANY_ROUNDS = 25


@dataclass(frozen=True)
class _Tagged:
    """What a recipe says of a column."""

    role: Role
    kind: Kind | None


def rows(setting: Setting) -> Iterator[Result]:
    """Search, checks and Mondrian on census microdata."""
    census, folder = adult(setting.data), setting.folder
    path = folder / "census.json"
    said = {"columns": census.columns, "hierarchies": census.hierarchies, "sensitive": SENSITIVE}
    path.write_text(json.dumps({**said, "columns": {k: list(v) for k, v in census.columns.items()}}))
    five = [KAnonymity(k=5)]
    nine, eight = _statistics(census, ()), _statistics(census, (SENSITIVE,))
    yield from _searched(_planned(Generalization(suppression_limit=0.02), nine, five), path)
    checks = "k, l and t of 8 columns"
    yield _beside(checks, partial(_checked, eight), "pycanon", path, THOUSANDTH)
    cuts = _planned(Mondrian(), eight, five)
    yield _beside("Mondrian, k = 5, 8 columns", cuts, "anonypy", path, THOUSANDTH)


def _searched(search: Callable[[], Plan], path: Path) -> Iterator[Result]:
    """The peer stops at one node; ours proves that none is better, then lists all minimal ones."""
    every = _beside("the same, all minimal nodes listed", search, "anjana", path, None)
    alone = min(float(search().facts["plan_seconds"]) for _ in range(MANY_ROUNDS))
    what = "optimal node, k = 5, 9 columns"
    yield Result(what, alone, every.reference, every.against, THOUSANDTH)
    yield every


def points(setting: Setting) -> Iterator[Result]:
    """Groups of points."""
    folder = setting.folder
    for count, peer, limit in ((10_000, "anonypyx", THOUSANDTH), (100_000, "scipy", 4.0)):
        placed = np.random.default_rng(count).normal(size=(count, 4))
        path = folder / f"points-{count}.npy"
        np.save(path, placed)
        columns = [np.ascontiguousarray(column) for column in placed.T]
        yield _beside(f"MDAV, k = 5, {thousands(count)} × 4", partial(_averaged, columns), peer, path, limit)


def histogram(setting: Setting) -> Iterator[Result]:
    """Both count ten million rows into 14 cells and add noise for ε = 1."""
    from worker.engine.dp.accuracy import laplace_noise
    from worker.engine.dp.counting import tally
    from worker.engine.dp.mechanisms import noisy
    from worker.engine.kernels import loading  # noqa: F401 - a worker has it loaded, and counts by compiled loops then

    codes = np.random.default_rng(1).integers(0, 14, 10_000_000, dtype=np.int32)
    path = setting.folder / "codes.npy"
    np.save(path, codes)
    noise = laplace_noise(1, Decimal(1))
    yield _beside(
        "noisy histogram, 14 cells", lambda: noisy(tally(codes, 14), noise), "diffprivlib", path, 0.1
    )


def _averaged(columns: Sequence[Floats]) -> list[Floats]:
    from worker.engine.microaggregation.mdav import mdav
    from worker.engine.microaggregation.partitions import middles

    groups = mdav(columns, 5, lambda _: None)
    return [middles(column, groups, median=False) for column in columns]


def _checked(statistics: Statistics) -> list[GoalResult]:
    table = statistics.classes_table([SENSITIVE])
    classes = classes_of(table, statistics.quasi_identifiers)
    goals = (KAnonymity(k=5), LDiversity(column=SENSITIVE), TCloseness(column=SENSITIVE))
    return [goal.result(classes) for goal in goals]


def _planned(method: Method, statistics: Statistics, goals: Sequence[Goal]) -> Callable[[], Plan]:
    """The whole decision, with the rows already counted."""
    source = Source(fresh_key())
    statistics.classes_table()
    return lambda: method.plan(statistics, goals, source, NullReporter())


def _statistics(census: Census, sensitive: Sequence[str]) -> Statistics:
    columns, roles, declared = [], {}, {}
    for name in NAMES:
        kind = Kind.INTEGER if name == "age" else Kind.CATEGORICAL
        columns.append(Column.of_texts(name, census.columns[name], kind))
        roles[name] = _Tagged(Role.SENSITIVE if name in sensitive else Role.QUASI_IDENTIFIER, kind)
        declared[name] = Declaration(hierarchy=HierarchySpec(lines=tuple(census.hierarchies[name])))
    data = Dataset(MemorySource(Table(columns)), roles, declared)
    return Statistics(data, declared, NullReporter())


def _beside(what: str, work: Callable[[], object], peer: str, path: Path, limit: float | None) -> Result:
    work()
    best = float("inf")
    for _ in range(ROUNDS):
        began = process_time()
        work()
        best = min(best, process_time() - began)
    return Result(what, best, measured(peer, path), peer, limit)
