"""Counting the columns of a population file that a goal compares the data with."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.errors import EngineError
from worker.engine.reporting import Reporter
from worker.engine.tables.counting import Counter
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import TableSource


def counted_population(
    source: TableSource | None, columns: Sequence[str], missing: frozenset[str] | None, reporter: Reporter
) -> FrequencyTable:
    """The distinct combinations of some columns; refused when the file or a column is not there."""
    if source is None:
        text = "population: the file is not there. Give a path relative to the recipe."
        raise EngineError("no-population-file", text, param="population")
    for name in columns:
        if name not in source.schema:
            text = f"population: the population file has no column {name!r}. Add it under this name."
            raise EngineError("population-column", text, param="population")
    counter = Counter([(name, Kind.TEXT) for name in columns], None, None)
    for chunk in source.chunks(tuple(columns)):
        reporter.checkpoint()
        counter.add({c.name: c.compact().described(missing_texts=missing) for c in chunk.columns}, chunk.rows)
    return counter.table()
