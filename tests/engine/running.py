"""Run recipes on small tables in tests."""

import csv
import io
import json
from typing import Any

from worker.engine.contracts.samples import POPULATION, sample_columns, sample_population
from worker.engine.execution.local import Output, anonymize
from worker.engine.randomness import key_from_seed
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.column import Column
from worker.engine.tables.table import MemorySource, Table

Rows = list[dict[str, str]]


def table_of(rows: Rows, names: list[str] | None = None) -> Table:
    """A table of texts."""
    names = names or list(rows[0])
    return Table([Column.of_texts(name, [row[name] for row in rows]) for name in names], 0, len(rows))


def recipe_of(
    columns: dict[str, Any],
    goals: list[Any] = (),
    steps: list[Any] = (),
    measures: list[Any] = ("*",),
    **more: Any,
) -> Recipe:
    """A recipe from its parts; goals and steps are (slug, params)."""
    return Recipe.parse(
        {
            "version": 1,
            "columns": columns,
            "goals": [{"goal": slug, "params": params} for slug, params in goals],
            "steps": [{"method": slug, "params": params} for slug, params in steps],
            "measures": list(measures),
            **more,
        }
    )


def run(
    recipe: Recipe,
    table: Table,
    *,
    blocks: int = 16,
    reporter: Reporter | None = None,
    nodes: bool = False,
    **options: Any,
) -> tuple[bytes, dict[str, Any]]:
    """The released bytes and the report, which lists the `nodes` of a search when it is asked to."""
    out, reporter = io.BytesIO(), reporter or NullReporter()
    reporter.nodes_wanted = nodes
    options.setdefault("key", key_from_seed(1))
    if recipe.auxiliary_paths():
        options.setdefault("populations", {POPULATION: MemorySource(sample_population())})
    report = anonymize(
        recipe,
        MemorySource(table, blocks_per_chunk=blocks),
        [Output("csv", out)],
        reporter=reporter,
        **options,
    )
    return out.getvalue(), json.loads(report.to_json())


def written(table: Table) -> io.BytesIO:
    """A table as a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows(zip(*(column.texts() for column in table.columns), strict=True))
    return io.BytesIO(out.getvalue().encode())


def rows_of(released: bytes) -> Rows:
    """Released bytes as rows."""
    return list(csv.DictReader(io.StringIO(released.decode())))


def sample_recipe(steps: list[Any] = (), goals: list[Any] = (), measures: list[Any] = ()) -> Recipe:
    """A recipe for the sample table."""
    return recipe_of(sample_columns(), goals, steps, measures)


def without_times(value: Any) -> Any:
    """A report without what differs from run to run."""
    if isinstance(value, dict):
        timed = ("seconds", "peak_memory_bytes")
        return {k: without_times(v) for k, v in value.items() if not k.endswith(timed)}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def without_words(measures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results without the classes that fare worst: they stand in words where figures of rows are kept."""
    words = ": the classes that fare worst"
    return [
        {**one, "charts": [each for each in one["charts"] if not each["title"].endswith(words)]}
        for one in measures
    ]


def figures_of(report: dict[str, Any], measure: str, side: str = "after") -> dict[str, Any] | None:
    """What a report holds of a measure on one side; None when it was not measured."""
    found = [one for one in report["measures"] if one["measure"] == measure]
    assert len(found) <= 1, "more than one instance"
    return found[0][side] if found else None
