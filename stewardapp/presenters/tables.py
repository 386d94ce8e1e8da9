"""A release that is a table of noisy figures: its chart, its errors, and how an analyst works with it.

The figures are read from the stored bytes of the released file, so that a page never shows others. The exact
figures beside them lie in a sealed file of their own, for those who may look into the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.reads.released_table import READ_ROWS, Damaged, Row, file_of, rows_of
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.facts import StepJson
from worker.engine.dp.histograms import COUNT, ERROR, EXACT
from worker.engine.dp.layouts import LEVEL
from worker.engine.tables.column import SUPPRESSED
from worker.engine.wording import thousands

if TYPE_CHECKING:
    from stewardapp.models import Run

TABLE, BESIDE = "table.csv", "exact.csv"
MOST_BARS, WIDE = 600, 60
MOST_SERIES = 6
RELEASED, INTERNAL = "released-table", "true-against-noisy"
FIGURES = (COUNT, ERROR, EXACT)
NOTHING = "(missing)"


@dataclass(frozen=True)
class Bars:
    """Labels with their counts and errors."""

    labels: tuple[str, ...]
    counts: tuple[float, ...]
    errors: tuple[float, ...]


def is_table(run: Run) -> bool:
    """Whether a run made a table instead of microdata."""
    return run.state == "succeeded" and not run.stated.get("microdata", True)


def charts(run: Run) -> dict[str, Chart]:
    """For those who may look into the data: the histogram, and the true counts beside the noisy ones."""
    found = {}
    if (released := published_chart(run)) is not None:
        found[RELEASED] = released
        exact = rows_of(beside) if (beside := file_of(run, BESIDE)) else []
        if exact and EXACT in exact[0] and COUNT in exact[0]:
            found[INTERNAL] = comparison(exact)
    return found


def intact_charts(run: Run) -> dict[str, Chart]:
    """The same, and none when the bytes are not those of the manifest."""
    try:
        return charts(run)
    except Damaged:
        return {}


def published_chart(run: Run) -> Chart | None:
    """The histogram of what is, or would be, published; none when the table holds no counts."""
    released = file_of(run, TABLE) if is_table(run) else None
    rows = rows_of(released) if released else []
    return histogram(rows) if rows and COUNT in rows[0] else None


def histogram(rows: Sequence[Row]) -> Chart:
    """Counts with the half-widths of their 95 % intervals."""
    names, shown = keys_of(rows), cells_of(rows)
    return Chart(
        slug=RELEASED,
        title=" × ".join(names),
        kind="bar",
        x=Axis(names[0] if names else "cell", scale="category"),
        y=Axis("Count with noise"),
        series=tuple(series_of(shown[:MOST_BARS], names)),
        note="The whiskers reach over the 95 % interval: the true count lies within it in 19 of 20 cells. "
        f"Bars whose whisker touches 0 cannot be told from an empty cell.{part(rows, shown)}",
    )


def part(rows: Sequence[Row], cells: Sequence[Row]) -> str:
    """That a chart is wider than the page, or shows only a part, which the table never does."""
    if len(cells) <= MOST_BARS and len(rows) < READ_ROWS:
        return f" Scroll it sideways to see all {thousands(len(cells))} cells." if len(cells) > WIDE else ""
    whole = thousands(len(cells)) if len(rows) < READ_ROWS else "many more"
    return (
        f" The chart is a part: the first {thousands(min(len(cells), MOST_BARS))} of {whole} cells, "
        "in the order of the table. The table has all of them."
    )


def comparison(rows: Sequence[Row]) -> Chart:
    """True counts beside the noisy ones."""
    names, cells = keys_of(rows), cells_of(rows)
    shown = cells[:MOST_BARS]
    labels = tuple(label(row, names) for row in shown)
    noisy, true = (tuple(float(row[name]) for row in shown) for name in (COUNT, EXACT))
    return Chart(
        slug=INTERNAL,
        title="True against noisy",
        kind="bar",
        x=Axis(" × ".join(names), scale="category"),
        y=Axis("Count"),
        series=(Series("original", labels, true), Series("with noise", labels, noisy)),
        note="Only for those who may look into the data. Publishing a true count, or the difference, would "
        f"undo the guarantee.{part(rows, cells)}",
        internal=True,
    )


def keys_of(rows: Sequence[Row]) -> list[str]:
    """The columns that name a cell."""
    return [name for name in rows[0] if name not in FIGURES]


def cells_of(rows: Sequence[Row]) -> list[Row]:
    """The finest cells: no totals and no coarser levels, which would be counted twice by the eye."""
    if LEVEL in rows[0]:
        return [row for row in rows if row[LEVEL] == "0"]
    names = keys_of(rows)
    return [row for row in rows if SUPPRESSED not in (row[name] for name in names)]


def series_of(rows: Sequence[Row], names: Sequence[str]) -> Iterable[Series]:
    """One series, or one per label of the second column when these are few."""
    groups = (
        list(dict.fromkeys(row[names[1]] for row in rows)) if len(names) == 2 and LEVEL not in names else []
    )
    if not 1 < len(groups) <= MOST_SERIES:
        yield one_series(COUNT, rows, [name for name in names if name != LEVEL])
        return
    for group in groups:
        yield one_series(group or NOTHING, [row for row in rows if row[names[1]] == group], names[:1])


def one_series(name: str, rows: Sequence[Row], names: Sequence[str]) -> Series:
    """A row of bars with whiskers."""
    return Series(
        name,
        tuple(label(row, names) for row in rows),
        tuple(float(row[COUNT]) for row in rows),
        error=tuple(float(row[ERROR]) for row in rows),
    )


def label(row: Row, names: Sequence[str]) -> str:
    """What a cell is called."""
    return " · ".join(row[name] or NOTHING for name in names if name != LEVEL)


# -- words ---------------------------------------------------------------------------------------------


def steps_of(run: Run) -> list[StepJson]:
    """The facts of its steps that may leave with the table."""
    return list(run.stated.get("table", {}).get("steps", ()))


def codebook_lines(run: Run) -> list[str]:
    """How an analyst works with the table."""
    return [line for step in steps_of(run) for line in step.get("codebook", ())]


def error_figures(run: Run) -> list[tuple[str, str, str]]:
    """Value, label and explanation of the errors every reader must know."""
    found = []
    for step in steps_of(run):
        for fact, name, explanation in ERRORS:
            if step.get(fact) is not None:
                found.append((f"± {thousands(step[fact])}", name, explanation))
    return found


ERRORS = (
    (
        "error95",
        "error of one figure, at most",
        "19 of 20 figures are off by at most this much; known before the run.",
    ),
    ("error95_all_cells", "error of all figures", "In 19 of 20 tables no figure is off by more than this."),
)
COLUMNS = (
    (COUNT, "how many, with noise", "the true count plus noise; it may be negative"),
    (ERROR, "how far off at most", "half-width of the 95 % interval around the count, known before the run"),
)
