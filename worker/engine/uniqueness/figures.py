"""Figures that several measures of single rows find: one name, one unit, and the same way is better.

What a row's risk is each measure explains in its own words.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from worker.engine.contracts.figure import Figure, Usual

THRESHOLDS = (0.05, 0.2, 0.5)
"""The risks above which rows are counted."""

UNIT = Figure(
    "unit",
    "Unit",
    "What is counted: distinct persons when a person key is tagged, otherwise rows.",
    unit="words",
    public=True,
)
ROWS = Figure("rows", "Rows", "Rows that belong to a class.", unit="count", public=True)

Alpha = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        title="Cells without a value",
        description="How much a match counts that only an unknown cell makes possible: 1 fully, 0 not at "
        "all. Left empty, a missing value and * are values of their own.",
    ),
]
"""The parameter of measures in which a cell without a value may stand for any."""


def suppressed_rows(columns: str, explanation: str) -> Figure:
    """Rows that tell nothing in these columns."""
    title = f"Rows with * in every {columns}"
    return Figure("suppressed_rows", title, explanation, unit="count", public=True)


def highest_risk(explanation: str, usual: Usual, example: str = "") -> Figure:
    """Of the row that is easiest to find."""
    return _headline("highest_risk", "Highest risk", explanation, usual, example)


def mean_risk(explanation: str, usual: Usual) -> Figure:
    """Of all rows, where it stands first."""
    return _headline("global_risk", "Global risk", explanation, usual)


def expected_reidentifications(explanation: str) -> Figure:
    """The sum of the risks."""
    title = "Expected re-identifications"
    return Figure("expected_reidentifications", title, explanation, better="low", public=True)


def share_above(explanation: str) -> Figure:
    """How many rows have a risk above each threshold."""
    return Figure(
        "share_above",
        "Share of rows above a risk",
        explanation,
        unit="share",
        better="low",
        per="threshold",
        parts=tuple(map(str, THRESHOLDS)),
        public=True,
    )


def risk_of_each(explanation: str) -> Figure:
    """Row by row, for `--records` alone."""
    return Figure("risk", "Risk", explanation, unit="share", better="low", per="record")


def _headline(name: str, title: str, explanation: str, usual: Usual, example: str = "") -> Figure:
    return Figure(
        name,
        title,
        explanation,
        unit="share",
        better="low",
        usual=usual,
        public=True,
        headline=True,
        example=example,
    )
