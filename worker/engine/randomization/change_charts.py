"""Charts of a known random change between categories: its matrix, and what it lets an analyst estimate."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.randomization.estimation import NORMAL95

PUBLISHED_DIGITS = 3
"""Of a matrix that was made from the data: enough to correct with, too few to count rare values back."""


def matrix_chart(
    column: str, names: Sequence[str | None], matrix: Sequence[Sequence[float]], rounded: bool
) -> Chart:
    """The transition matrix as a heat map; a category nobody declared has a number instead of a name."""
    labels = named(names)
    digits = PUBLISHED_DIGITS if rounded else 9
    rows = tuple(tuple(round(cell, digits) for cell in row) for row in matrix)
    origin = f" It was made from the data and is rounded to {digits} digits." if rounded else ""
    return Chart(
        slug=f"matrix-{column}",
        title=f"Transition matrix P of {column}",
        kind="heatmap",
        x=Axis("Released", "", "category"),
        y=Axis("Original", "", "category"),
        series=(Series("Probability", labels, labels, rows),),
        note="Probability that an original category (row) is released as another one (column); every row "
        f"sums to 1.{origin}",
    )


def estimate_chart(
    column: str,
    names: Sequence[str | None],
    released: Sequence[float],
    estimated: Sequence[float],
    errors: Sequence[float],
) -> Chart:
    """Released counts beside unbiased estimates of the original ones, made from the released ones alone."""
    labels = named(names)
    width = tuple(NORMAL95 * float(error) for error in errors)
    return Chart(
        slug=f"estimates-{column}",
        title=f"Original frequencies of {column}, estimated",
        kind="bar",
        x=Axis(column, "", "category"),
        y=Axis("Rows"),
        series=(
            Series("Released", labels, tuple(float(count) for count in released)),
            Series("Estimated original", labels, tuple(float(count) for count in estimated), error=width),
        ),
        note="The estimate uses only the released file and the known probabilities. ± is 1.96 standard "
        "errors of the random change.",
    )


def named(names: Sequence[str | None]) -> tuple[str, ...]:
    """Labels of the categories, in order."""
    return tuple(name or f"category {number}" for number, name in enumerate(names, start=1))
