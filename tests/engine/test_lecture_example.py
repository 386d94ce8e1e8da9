"""The worked example of the lectures: eleven patients, four quasi-identifiers, one condition."""

import csv
import io
import math

import pytest

from tests.engine.running import recipe_of, run, table_of
from worker.engine.verification import examine

PATIENTS = """Black 1965 M 02141 short breath|Black 1965 M 02142 chest pain|Black 1965 F 02131 hypertension
Black 1965 F 02132 hypertension|Black 1964 F 02131 obesity|Black 1964 F 02132 chest pain
White 1964 M 02131 chest pain|White 1964 M 02132 obesity|White 1964 M 02133 short breath
White 1967 M 02131 chest pain|White 1967 M 02132 chest pain"""
NAMES = ("Ethnicity", "Birth", "Gender", "ZIP", "Condition")
ROWS = [dict(zip(NAMES, line.split(" ", 4), strict=True)) for line in PATIENTS.replace("\n", "|").split("|")]
COLUMNS = {name: {"role": "quasi-identifier", "kind": "text"} for name in NAMES[:4]}
COLUMNS["ZIP"]["hierarchy"] = {"builder": "mask", "side": "right"}
COLUMNS["Condition"] = {"role": "sensitive", "kind": "categorical"}


def released(goals, **params):
    recipe = recipe_of(COLUMNS, goals, [("generalization", params)], [])
    out, report = run(recipe, table_of(ROWS), nodes=True)
    again = examine(recipe, io.BytesIO(out))
    for told, found in zip(report["goals"], again.results, strict=True):
        assert found.achieved == pytest.approx(told["achieved"], rel=1e-9)
        assert found.holds
    return out, report


def test_two_anonymity_alone_discloses_conditions():
    """What the goals would say of the only minimal 2-anonymous table."""
    out, report = released([("k-anonymity", {"k": 2})])
    assert report["steps"][0]["minimal_nodes"] == [{"Ethnicity": 0, "Birth": 0, "Gender": 0, "ZIP": 1}]
    goals = [
        ("l-diversity", {"column": "Condition", "l": 2}),
        ("t-closeness", {"column": "Condition", "t": 0.5}),
        ("beta-likeness", {"column": "Condition", "beta": 2, "variant": "basic"}),
        ("delta-disclosure", {"column": "Condition", "delta": 2}),
        ("average-risk", {"limit": 0.4}),
    ]
    found = examine(recipe_of(COLUMNS, goals, [], []), io.BytesIO(out)).results
    assert [one.achieved for one in found] == pytest.approx([1, 9 / 11, 4.5, math.log2(5.5), 5 / 11])
    assert [one.violating_rows for one in found] == [4, 4, 2, 2, 0]
    assert [one.holds for one in found] == [False] * 5


@pytest.mark.parametrize(
    ("goal", "achieved"),
    [
        (("l-diversity", {"column": "Condition", "l": 2}), 2),
        (("l-diversity", {"column": "Condition", "l": 2, "variant": "entropy"}), 2.0),
        (("t-closeness", {"column": "Condition", "t": 0.64}), 6 / 11),
    ],
)
def test_suppressing_the_two_uniform_classes_mends_it(goal, achieved):
    """Four rows of eleven: the classes in which everybody has one condition."""
    levels = {"Ethnicity": (0, 0), "Birth": (0, 0), "Gender": (0, 0), "ZIP": (1, 1)}
    _, report = released([goal], suppression_limit=0.37, levels=levels)
    assert report["steps"][0]["suppressed_rows"] == (2 if goal[0] == "t-closeness" else 4)
    assert report["goals"][0]["achieved"] == pytest.approx(achieved)


def test_left_out_rows_do_not_count_in_the_whole():
    """Without the hypertension class the others are compared with the nine rows that are released."""
    levels = {"Ethnicity": (0, 0), "Birth": (0, 0), "Gender": (0, 0), "ZIP": (1, 1)}
    goal = ("t-closeness", {"column": "Condition", "t": 0.6})
    out, report = released([goal], suppression_limit=0.2, levels=levels, drop_suppressed=True)
    assert len(list(csv.reader(io.StringIO(out.decode())))) == 10
    assert report["goals"][0]["achieved"] == pytest.approx(4 / 9)
    _, report = released([goal], suppression_limit=0.2, levels=levels)
    assert report["goals"][0]["achieved"] == pytest.approx(6 / 11)


def test_several_goals_and_sensitive_columns_hold_at_once():
    columns = {**COLUMNS, "Gender": {"role": "sensitive", "kind": "categorical"}}
    goals = [
        ("k-anonymity", {"k": 2}),
        ("l-diversity", {"column": "Condition", "l": 2}),
        ("t-closeness", {"column": "Gender", "t": 0.3}),
        ("average-risk", {"limit": 0.3}),
    ]
    recipe = recipe_of(columns, goals, [("generalization", {"suppression_limit": 0.2})], [])
    out, report = run(recipe, table_of(ROWS))
    assert [goal["holds"] for goal in report["goals"]] == [True] * 4
    assert [goal.get("column") for goal in report["goals"]] == [None, "Condition", "Gender", None]
    assert examine(recipe, io.BytesIO(out)).holds
