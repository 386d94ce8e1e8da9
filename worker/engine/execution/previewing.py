"""What one step does to one column, tried on a part of the rows before any run.

The step works alone, with a key of its own that is drawn here and forgotten here: nothing it draws is
ever drawn again by a run. What comes out are aggregates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from worker.engine.contracts.chart import Chart
from worker.engine.contracts.method import Family, Guarantee, Method
from worker.engine.errors import EngineError
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.work import Work, placed
from worker.engine.marginals.distributions import FEWEST, SHOWN, histogram_chart, share_chart, shares_of
from worker.engine.randomness import Source, fresh_key
from worker.engine.recipes.report import plain
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.kinds import NUMERIC, RELEASED, Role
from worker.engine.tables.numeric import differing
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.summaries import joined_table
from worker.engine.tables.table import BLOCK, Field, MemorySource, Schema, Table, TableSource

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe

MOST_ROWS = 3 * BLOCK
NEEDED = (Role.QUASI_IDENTIFIER, Role.WEIGHT, Role.PERSON_KEY, Role.HOUSEHOLD_KEY, Role.CONSENT)


def require_previewable(method: Method) -> None:
    """Refuse what must not be tried: each try would cost budget."""
    if method.guarantee is Guarantee.DIFFERENTIAL_PRIVACY or method.cost():
        text = (
            "A preview would take from the privacy budget, because it would answer from the data. "
            "The error to expect is known beforehand and shown with the step instead."
        )
        raise EngineError("no-preview", text)
    if method.family is Family.STATISTICS:
        raise EngineError("no-preview", "This step makes a table of its own: no column changes.")


def preview(
    recipe: Recipe,
    source: TableSource,
    column: str | None = None,
    *,
    reporter: Reporter | None = None,
    memory: int | None = None,
    populations: Mapping[str, TableSource] | None = None,
    most_rows: int = MOST_ROWS,
) -> dict[str, object]:
    """Try the only step of the recipe. Without a `column`, the first one it works on that is released."""
    (method,) = recipe.steps
    require_previewable(method)
    work = Work(recipe, reporter or NullReporter(), memory, {}, populations or {})
    tagged = _tagged(recipe, source)
    name = _shown(method, tagged, column)
    table = _sample(source, _needed(recipe, method, tagged, name), most_rows)
    columns = {one: recipe.columns[one] for one in table.names}
    before = Dataset(MemorySource(table), columns, recipe.declarations({}), recipe.missing_texts)
    after, facts = _tried(work, method, before)
    return plain(
        {
            "column": name,
            "describe": method.describe(),
            "rows": source.rows,
            "tried_rows": table.rows,
            "facts": facts,
            "guidance": list(method.codebook(facts)),
            "figures": _figures(work, before, after, name),
            "charts": [
                one.as_dict() for one in (*_distribution(work, before, after, name), *method.charts(facts))
            ],
        }
    )


def _tagged(recipe: Recipe, source: TableSource) -> Schema:
    """The columns that take part, without reading them."""
    parts = ((field, recipe.columns.get(field.name)) for field in source.schema)
    kept = ((field, part) for field, part in parts if part is not None and part.role is not Role.DROPPED)
    return Schema(tuple(Field(field.name, part.kind or field.kind, part.role) for field, part in kept))


def _shown(method: Method, schema: Schema, column: str | None) -> str:
    """The column to look at; only those that leave before or after the step are shown."""
    both = (*schema, *(one for one in method.output_schema(schema) if one.name in schema))
    leaving = list(dict.fromkeys(one.name for one in both if one.role in RELEASED))
    if column is not None:
        if column not in leaving:
            raise EngineError("no-such-column", "Choose a column that is released.", param="column")
        return column
    named = [name for _, name, _ in method.named_columns()]
    wanted = [name for name in (*named, *method.touches(schema), *leaving) if name in leaving]
    if not wanted:
        raise EngineError("no-columns", "No column is released. Tag the columns that may leave.")
    return str(wanted[0])


def _needed(recipe: Recipe, method: Method, schema: Schema, name: str) -> list[str]:
    """What the step looks at: its columns, those that goals speak of, keys and weights."""
    wanted = {name, *method.touches(schema), *(one for _, one, _ in method.named_columns())}
    wanted |= {one for goal in recipe.goals for _, one, _ in goal.named_columns()}
    return [field.name for field in schema if field.name in wanted or field.role in NEEDED]


def _sample(source: TableSource, names: Sequence[str], most_rows: int) -> Table:
    """Whole blocks at even distances, as if they were all there is."""
    blocks = max(1, -(-source.rows // BLOCK))
    wanted = min(blocks, max(1, most_rows // BLOCK))
    chosen = set((np.arange(wanted) * blocks // wanted).tolist())
    pieces = [
        Table([column.take(rows).compact() for column in chunk.columns], rows.start, rows.stop - rows.start)
        for chunk in source.chunks(names)
        for block, rows in chunk.blocks()
        if block in chosen
    ]
    joined = joined_table(pieces, [(name, source.schema[name].kind) for name in names])
    return Table(joined.columns, 0, joined.rows)


def _tried(work: Work, method: Method, before: Dataset) -> tuple[Dataset, dict[str, object]]:
    own = Source(fresh_key(), "preview", project_key=fresh_key())
    try:
        statistics = work.statistics(before)
        goals = work.goals(statistics) if method.enforces else ()
        method.require_possible(before.schema, goals, statistics.declared)
        plan = method.plan(statistics, goals, own, work.reporter)
    except EngineError as error:
        raise placed(error, "steps[0]", method).at_step(0) from None
    after = before.with_step(method, plan, own).counting()
    for _ in after.chunks(after.schema.names):
        work.reporter.checkpoint()
    (tallies,), (step,) = after.tallies or ({},), after.steps
    return after, {"method": method.slug, **plan.entry, **step.concluded(tallies)}


def _figures(work: Work, before: Dataset, after: Dataset, name: str) -> dict[str, object]:
    """What changed, in a few numbers."""
    one, other = _one_column(before, name), _one_column(after, name)
    figures: dict[str, object] = {"rows": [one.rows, other.rows]}
    if not _leaves(after, name):
        return figures | {"leaves": False}
    kept = np.isin(one.row_ids, other.row_ids, assume_unique=True)
    changed = differing(one[name].take(kept), other[name])
    figures["changed_cells"] = int(changed.sum())
    figures["changed_share"] = float(changed.mean()) if len(changed) else 0.0
    figures["missing"] = [int(side[name].missing_rows.sum()) for side in (one, other)]
    figures["distinct"] = [len(side.counts((name,))) for side in _statistics(work, before, after)]
    if after.schema[name].kind in NUMERIC:
        moments = [side.moments(name) for side in _statistics(work, before, after)]
        if min(side.count for side in moments) >= FEWEST:  # the mean of one value is that value
            figures["mean"] = [side.mean for side in moments]
            figures["standard_deviation"] = [float(np.sqrt(side.variance)) for side in moments]
    return figures


def _leaves(after: Dataset, name: str) -> bool:
    return name in after.schema and after.schema[name].role in RELEASED


def _one_column(data: Dataset, name: str) -> Table:
    wanted = (name,) if name in data.schema else ()
    return joined_table(list(data.chunks(wanted)), [(one, data.schema[one].kind) for one in wanted])


def _statistics(work: Work, *sides: Dataset) -> Iterator[Statistics]:
    return (work.statistics(side) for side in sides)


def _distribution(work: Work, before: Dataset, after: Dataset, name: str) -> list[Chart]:
    if not _leaves(after, name):
        return []
    old, new = (side.counts((name,)) for side in _statistics(work, before, after))
    if before.schema[name].kind in NUMERIC and len(new) > SHOWN:
        drawn = histogram_chart(name, old, new)
        return [drawn] if drawn is not None else []
    shares = shares_of(old, new)
    return [share_chart(name, shares)] if shares else []
