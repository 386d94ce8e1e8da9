"""Perturbation beside numpy's own call of the same nature.

Drawing and changing is held to a bound alone, and again together with the statistics that a step asks for
first; where whole columns are decided while planning there is one line. Seconds are of the processor, so
that neighbours on the machine do not count; ours and numpy's are measured in turns.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.table import Result
from worker.engine.contracts.method import Method, Plan, Scope
from worker.engine.methods.correlated_noise import CorrelatedNoise
from worker.engine.methods.noise import Noise
from worker.engine.methods.pram import Pram
from worker.engine.methods.randomized_response import RandomizedResponse
from worker.engine.methods.rank_swapping import RankSwapping
from worker.engine.methods.shuffling import Shuffling
from worker.engine.randomness import Source, fresh_key
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, MemorySource, Schema, Table

if TYPE_CHECKING:
    from benchmarks.suite import Setting

LEAST_ROUNDS = 3
CATEGORIES = tuple(f"category {i:02d}" for i in range(16))


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    title: str
    method: Method
    beside: str
    numpy: Callable[[], object]
    limit: float


class Data:
    """A table in memory as a run offers it."""

    def __init__(self, table: Table) -> None:
        self._source = MemorySource(table)
        self.schema: Schema = self._source.schema
        self.rows = table.rows

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        return self._source.chunks(columns)


def people(rows: int) -> Table:
    """Four correlated numbers and a category."""
    rng = np.random.default_rng(1)
    base = rng.standard_normal(rows)
    numbers = [
        NumberColumn(name, Kind.DECIMAL, np.round(100 * (base + rng.standard_normal(rows)), 2), 2)
        for name in ("a", "b", "c", "d")
    ]
    codes = rng.integers(0, 16, rows).astype(np.int32)
    category = Column.of_domain("k", Kind.CATEGORICAL, codes, CATEGORIES, np.zeros(16, bool))
    return Table([*numbers, category])


def cases(table: Table) -> list[Case]:
    """What the speed goals name."""
    rng, rows, a = np.random.default_rng(1), table.rows, table["a"].numbers
    four = ("a", "b", "c", "d")

    def normal() -> object:
        return rng.standard_normal(rows)

    def normals() -> object:
        return [rng.standard_normal(rows) for _ in four]

    def uniform() -> object:
        return rng.random(rows, dtype=np.float32)

    def order() -> object:
        return np.argsort(a)

    answers = RandomizedResponse(column="k", categories=CATEGORIES)
    given = Shuffling(columns=("a",), predictors=("b",))
    return [
        Case("noise", Noise(column="a"), "numpy standard_normal", normal, 1.5),
        Case("correlated noise, 4", CorrelatedNoise(columns=four), "4 × numpy standard_normal", normals, 2.0),
        Case("PRAM, 16 categories", Pram(column="k"), "numpy random(float32)", uniform, 5.0),
        Case("randomized response, 16", answers, "numpy random(float32)", uniform, 5.0),
        Case("rank swapping", RankSwapping(columns=("a",)), "numpy argsort", order, 2.0),
        Case("shuffling", Shuffling(columns=("a",)), "numpy argsort", order, 2.5),
        Case("shuffling, 1 predictor", given, "numpy argsort", order, 2.5),
    ]


def perturbation(setting: Setting) -> list[Result]:
    """Noise, PRAM, rank swapping and shuffling of one table in memory."""
    table = people(setting.rows)
    data, results = Data(table), []
    for case in cases(table):
        change, planning, plain = measured(case, data, max(setting.repeat, LEAST_ROUNDS))
        if case.method.scope is Scope.WHOLE_COLUMNS:
            results.append(Result(case.title, change + planning, plain, case.beside, case.limit))
            continue
        results.append(Result(case.title, change, plain, case.beside, case.limit))
        whole = change + planning
        results.append(Result(f"{case.title}, with planning", whole, plain, case.beside, case.limit))
    return results


def measured(case: Case, data: Data, rounds: int) -> tuple[float, float, float]:
    """Seconds of transforming, of planning, and of numpy; kernels are compiled before."""
    best = [np.inf, np.inf, np.inf]
    source = Source(fresh_key())
    changed(case.method, planned(case, data, source), data, source)
    for _ in range(rounds):
        gc.collect()
        at = [process_time()]
        plan = planned(case, data, source)
        at.append(process_time())
        changed(case.method, plan, data, source)
        at.append(process_time())
        case.numpy()
        at.append(process_time())
        spent = (at[2] - at[1], at[1] - at[0], at[3] - at[2])
        best = [min(pair) for pair in zip(best, spent, strict=True)]
    return best[0], best[1], best[2]


def planned(case: Case, data: Data, source: Source) -> Plan:
    """The step's decision."""
    return case.method.plan(Statistics(data, {}, NullReporter()), (), source, NullReporter())


def changed(method: Method, plan: Plan, data: Data, source: Source) -> list[Chunk]:
    """The data after the step, piece by piece."""
    return [method.transform(chunk, plan, source) for chunk in data.chunks(method.touches(data.schema))]
