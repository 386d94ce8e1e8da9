"""Measure tables that are there: no step of the recipe is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from worker.engine.contracts.scene import Outlook
from worker.engine.execution.beside import laid_back, place_among, staying_behind
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.earlier import Earlier, Nothing
from worker.engine.execution.measuring import not_measured
from worker.engine.execution.records import write_records
from worker.engine.execution.work import Work, announced, describe_input, finished, judge
from worker.engine.randomness import Source, fresh_key
from worker.engine.recipes.report import Report
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.column import Mask
from worker.engine.tables.table import Schema, TableSource

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe


TABLE = "Nothing is measured of a table with noise: a figure of the data behind it would be exact."
LOST = (
    "Figures hang on {0}, which is not in the released file, and this run kept nothing beside it: read from "
    "the file alone they would come out too good. Add the measure to the recipe, and run it again."
)


def assess(
    recipe: Recipe,
    source: TableSource,
    *,
    key: bytes | None = None,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    releases: Mapping[str, TableSource] | None = None,
    records: BinaryIO | None = None,
    input_sha256: str | None = None,
) -> Report:
    """Measures and goals of the data as they are."""
    work = Work(
        recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {}, releases or {}
    )
    report = Report()
    data = work.dataset(source)
    describe_input(report, data, source, input_sha256)
    before = work.statistics(data)
    goals = work.goals(before)
    announced(work, goals, Outlook(data.schema, data.rows), None, before)
    judge(before, goals, report)
    found = work.measured(data, before, None, Source(key or fresh_key()), by_record=records is not None)
    report.measures.extend(found.results)
    if records is not None:
        keys = before.quasi_identifiers
        write_records(records, data, data, before, found.records, keys, work.reporter)
    return finished(report, work)


def compare(
    recipe: Recipe,
    original: TableSource,
    released: TableSource,
    *,
    key: bytes | None = None,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    releases: Mapping[str, TableSource] | None = None,
    input_sha256: str | None = None,
    output_sha256: str | None = None,
) -> Report:
    """Measures before and after, for a released file that any tool made."""
    work = Work(
        recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {}, releases or {}
    )
    report = Report()
    data, made = work.dataset(original), work.dataset(released, strict=False)
    describe_input(report, data, original, input_sha256)
    report.output = {"rows": made.rows, "columns": len(released.schema), "sha256": output_sha256}
    before, after = work.statistics(data), work.statistics(made)
    goals = work.goals(before)
    announced(work, goals, Outlook(data.schema, data.rows, work.traces(data)), before, after)
    judge(after, goals, report)
    report.measures.extend(
        work.measured(
            data, before, after, Source(key or fresh_key()), aligned=_aligned(recipe, data, made)
        ).results
    )
    return finished(report, work)


def look_again(
    recipe: Recipe,
    original: TableSource,
    released: TableSource,
    *,
    key: bytes,
    reporter: Reporter | None = None,
    memory: int | None = None,
    populations: Mapping[str, TableSource] | None = None,
    releases: Mapping[str, TableSource] | None = None,
    earlier: Earlier | None = None,
    held_out: Mask | None = None,
    by_record: bool = False,
    input_sha256: str | None = None,
    output_sha256: str | None = None,
) -> Report:
    """The measures of a recipe on a file that its steps made, as the run itself would have found them.

    No step is carried out: what they leave of columns and kinds is declared. `key` is that of the run, so
    that measures draw as they did there. `released` holds what the run kept beside the file as well, and
    `held_out` marks the input rows from which no step learnt anything. With `by_record` the classes that fare
    worst by figures of rows are named, as by a run that writes these; here nothing of them is kept. Goals
    are not judged: that was done when the file was made.
    """
    work = Work(
        recipe,
        reporter or NullReporter(),
        memory,
        {},
        populations or {},
        releases or {},
        earlier or Nothing(),
    )
    report = Report()
    work.reporter.stage("Reading the columns")
    data = work.dataset(original)
    made = work.released(released, data)
    describe_input(report, data, original, input_sha256)
    report.output = {"rows": made.rows, "columns": len(released.schema), "sha256": output_sha256}
    if lost := _lost(work.left(data), made.schema):
        report.measures.extend(not_measured(recipe.measures, lost))
        return finished(report, work)
    place = place_among(recipe.columns)
    ordered = laid_back(made, released, place, memory) if place in released.schema else None
    before, after = work.statistics(data), work.statistics(ordered or made)
    announced(work, (), Outlook(data.schema, data.rows, work.traces(data)), before, after)
    aligned = ordered is not None
    found = work.measured(data, before, after, Source(key), held_out, aligned, by_record and aligned)
    report.measures.extend(found.results)
    return finished(report, work)


def look_at_table(recipe: Recipe) -> Report:
    """The measures of a recipe that makes a table with noise: nothing is read for any of them."""
    report = Report(measures=list(not_measured(recipe.measures, TABLE)))
    return finished(report, Work(recipe, NullReporter(), None, {}))


def _aligned(recipe: Recipe, original: Dataset, released: Dataset) -> bool:
    """Whether row by row one file is the other, as far as anybody can tell without looking."""
    return recipe.aligned and original.rows == released.rows


def _lost(left: Schema, there: Schema) -> str:
    """Why figures of a file would not be those of its rows: whose rows they are, or what they weigh, stayed
    behind and was not kept."""
    gone = [f"the column {name!r}" for name in staying_behind(left, there.names)]
    return LOST.format(" and ".join(gone)) if gone else ""
