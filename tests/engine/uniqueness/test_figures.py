"""Figures that measures of single rows share."""

from dataclasses import replace

import pytest

from worker.engine.measures.risk.household_risk import HouseholdRisk
from worker.engine.measures.risk.individual_risk import IndividualRisk
from worker.engine.measures.risk.reidentification import Reidentification
from worker.engine.uniqueness.figures import (
    ROWS,
    THRESHOLDS,
    UNIT,
    expected_reidentifications,
    highest_risk,
    mean_risk,
    risk_of_each,
    share_above,
    suppressed_rows,
)

WORDS = "In words."


@pytest.mark.parametrize("measure", [IndividualRisk, HouseholdRisk, Reidentification])
def test_measures_differ_in_words_and_in_what_is_usual_alone(measure):
    figures = {figure.name: figure for figure in measure.figures}
    shared = (
        UNIT,
        ROWS,
        share_above(WORDS),
        expected_reidentifications(WORDS),
        highest_risk(WORDS, (0, 1)),
        risk_of_each(WORDS),
    )
    for one in shared:
        if one.name in figures:
            own = figures[one.name]
            words = {"explanation": own.explanation, "usual": own.usual, "example": own.example}
            assert own == replace(one, **words)
    assert {"share_above", "expected_reidentifications", "highest_risk"} <= figures.keys()


def test_what_stands_first_is_public_and_better_where_it_is_low():
    for figure in (highest_risk(WORDS, (0, 0.5)), mean_risk(WORDS, (0, 0.5))):
        assert (figure.headline, figure.public, figure.better, figure.usual) == (True, True, "low", (0, 0.5))


def test_single_rows_are_public_nowhere():
    figure = risk_of_each(WORDS)
    assert (figure.per, figure.public) == ("record", False)


def test_thresholds_are_the_parts_of_the_share_above_them():
    assert tuple(map(float, share_above(WORDS).parts)) == THRESHOLDS


def test_rows_without_a_value_are_named_by_their_columns():
    assert suppressed_rows("column", WORDS).title == "Rows with * in every column"
