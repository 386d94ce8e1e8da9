"""Runs one method, or a few, the way a run does, and gives back the released rows and the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.contracts.method import Method
from worker.engine.execution.dataset import Dataset
from worker.engine.randomness import Source, key_from_seed, step_names
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.summaries import joined_table
from worker.engine.tables.table import MemorySource, Table

SEEDED = key_from_seed(2)
"""What is drawn is the same each time, so that no judgement is a matter of luck."""


@dataclass(frozen=True)
class Tagged:
    """What a recipe says of a column."""

    role: Role = Role.OTHER
    kind: Kind | None = None


@dataclass(frozen=True)
class Outcome:
    """What came out."""

    table: Table
    facts: tuple[dict[str, Any], ...]

    def __getitem__(self, name: str) -> Column:
        return self.table[name]

    def numbers(self, name: str) -> np.ndarray:
        return self.table[name].numbers

    def texts(self, name: str) -> list[str]:
        return self.table[name].texts()


def run(
    table: Table,
    *methods: Method,
    key: bytes = SEEDED,
    blocks: int = 16,
    roles: Mapping[str, Role] | None = None,
    declared: Mapping[str, Declaration] | None = None,
    memory: int | None = None,
    project_key: bytes | None = None,
) -> Outcome:
    """Plan and carry out the methods in turn."""
    roles, declared = roles or {}, declared or {}
    tagged = {c.name: Tagged(roles.get(c.name, Role.OTHER), c.kind) for c in table.columns}
    data = Dataset(MemorySource(table, blocks_per_chunk=blocks), tagged, declared)
    source = Source(key, project_key=project_key)
    names = step_names((method.slug, method.params()) for method in methods)
    facts = []
    for name, method in zip(names, methods, strict=True):
        method.check(data.schema)
        statistics = Statistics(data, declared, NullReporter(), memory)
        plan = method.plan(statistics, (), source.for_step(name), NullReporter())
        facts.append({"method": method.slug, **plan.facts})
        data = data.with_step(method, plan, source.for_step(name))
    last = data.counting()
    wanted = [field for field in last.schema if field.role is not Role.DROPPED]
    chunks = list(last.chunks([field.name for field in wanted]))
    for entry, step, tallies in zip(facts, last.steps, last.tallies or (), strict=True):
        entry.update(step.concluded(tallies))
    return Outcome(joined_table(chunks, [(f.name, f.kind) for f in wanted]), tuple(facts))


def numbers(**columns: Sequence[float]) -> Table:
    """A table of decimal numbers."""
    return Table(NumberColumn(name, Kind.DECIMAL, np.asarray(x, float)) for name, x in columns.items())


def codes(name: str, values: np.ndarray, labels: Sequence[str], kind: Kind = Kind.CATEGORICAL) -> Column:
    """A column of categories from positions in a list of labels."""
    return Column.of_domain(
        name, kind, np.asarray(values, np.int32), labels, np.array([x == "" for x in labels])
    )
