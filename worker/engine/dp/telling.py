"""What is told of a noisy table: facts for the report, words for analysts, figures before the run.

Nothing here depends on the data.
"""

from __future__ import annotations

from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.method import Forecast
from worker.engine.contracts.privacy import Spend
from worker.engine.dp.accuracy import smallest_telling, tenth_accurate
from worker.engine.dp.cells import OTHER
from worker.engine.dp.histograms import Design
from worker.engine.dp.promises import foreseen
from worker.engine.wording import thousands

DRIFTING = "Without negative counts small counts are too large on average; sums over many drift."
SHIFTED = (
    "Without negative counts small counts are too large on average. What they have too much is taken from "
    "the others, because all add up; error95 allows for a large count among empty ones."
)
NAMES = {"laplace": "discrete Laplace", "gaussian": "discrete Gaussian"}


def design_facts(design: Design, rows: int) -> StepJson:
    """Everything a reader needs to judge the noise."""
    errors = design.errors()
    origins = {c.name: c.provenance or "the data, above the threshold" for c in design.layout.grid.columns}
    return {
        "cells": len(errors),
        "cells_from": origins,
        "distribution": NAMES[design.noise.distribution],
        "scale": design.noise.scale,
        "sensitivity": _sensitivity(design, rows),
        "tables_measured": design.layout.tables,
        "rows_per_person": rows,
        "error95": max(errors, default=_alone(design)),
        "error95_all_cells": design.everywhere(),
        "threshold": design.threshold,
    }


def _alone(design: Design) -> int:
    return design.noise.error() + design.round_to // 2


def _sensitivity(design: Design, rows: int) -> str:
    tables = design.layout.tables
    counted = f"{tables} tables × " if tables > 1 else ""
    if design.noise.distribution == "gaussian":
        return f"L2: the root of {counted}{rows}²"
    return f"L1: {counted}{rows} row{'s' if rows > 1 else ''} per person = {tables * rows}"


def design_guidance(facts: StepJson) -> tuple[str, ...]:
    """How an analyst works with the table."""
    said = [
        f"Every count is a true count plus {facts['distribution']} noise of scale {facts['scale']:.6g}, "
        "drawn by itself for every cell, empty or not. error95 is the half-width of its 95 % interval: 19 of "
        f"20 counts lie within it. All {thousands(facts['cells'])} of them lie within ± "
        f"{thousands(facts['error95_all_cells'])} in 19 of 20 tables.",
        whose(facts["unit"], facts["rows_per_person"]),
        "The error of a sum of k cells grows with the root of k. Add the variance of the noise to the "
        "sampling variance before testing a difference between cells.",
    ]
    said += [f"After the noise: {words}." for words in facts["post_processing"]]
    if any("negative" in words for words in facts["post_processing"]):
        said.append(SHIFTED if facts["tables_measured"] > 1 else DRIFTING)
    if facts.get("other_cell"):
        said.append(others_told())
    if facts.get("threshold"):
        said.append(
            f"Categories nobody declared are shown from a noisy count of {thousands(facts['threshold'])} on."
        )
    return tuple(said)


def others_told() -> str:
    """What the cell of any other value counts."""
    return (
        f"{OTHER.capitalize()!r} counts rows whose value is none of those declared, for numbers also those "
        "beyond the bounds and texts that are no numbers. It is declared like the other cells, and its count "
        "says nothing of how many different values there are."
    )


def whose(unit: str, rows: int) -> str:
    """Who is protected: persons, or rows when no column tells persons apart."""
    if unit == "row":
        return (
            "No column tells persons apart: every row is protected as if it were a person of its own, and "
            "somebody with several rows is protected less."
        )
    if rows == 1:
        return "At most one row of a person was counted, chosen at random."
    return f"At most {rows} rows of one person were counted, chosen at random."


def design_forecast(design: Design) -> tuple[Forecast, ...]:
    """What the table will be good for, before anything is spent."""
    errors = design.errors()
    error = max(errors, default=_alone(design))
    found = [
        Forecast(
            "Error of one count", f"± {thousands(error)}", "19 of 20 counts are off by at most this much."
        ),
        Forecast(
            f"Error of all {thousands(len(errors))} counts",
            f"± {thousands(design.everywhere())}",
            "In 19 of 20 tables no count is off by more than this.",
        ),
        Forecast(
            "Smallest count that means something",
            thousands(smallest_telling(error)),
            "Smaller published counts cannot be told from an empty cell. "
            f"From {thousands(tenth_accurate(error))} on, the error is at most a tenth of the count.",
        ),
        *foreseen(Spend.of(design.noise.epsilon)),
    ]
    if design.threshold:
        told = "An undeclared category is shown from this noisy count on; rarer ones stay hidden."
        found.append(Forecast("Threshold for unknown categories", thousands(design.threshold), told))
    return tuple(found)
