"""The classes that fare worst, held against a loop over the rows."""

from __future__ import annotations

import io
import random
import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from tests.engine.running import recipe_of, table_of
from worker.engine.contracts.figure import Figure
from worker.engine.errors import LimitExceeded
from worker.engine.execution import measuring
from worker.engine.execution.local import Output, anonymize
from worker.engine.execution.worst_classes import ALIKE, Grouped, judged_by, worst, worst_chart
from worker.engine.randomness import key_from_seed
from worker.engine.tables.table import MemorySource

RISK = Figure("risk", "Risk", "How likely.", unit="share", better="low", per="record")
SIZE = Figure("size", "Joint class", "So many.", unit="count", better="high", per="record")
ONCE = Figure("mean", "Mean", "One.", better="low")
NEUTRAL = Figure("own", "Own", "One each.", per="record")
KEYS = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "sex": {"role": "quasi-identifier", "kind": "categorical"},
    "illness": {"role": "sensitive", "kind": "categorical"},
}


def grouped(found: list[int], fewest: int = 1) -> Grouped:
    codes = np.array(found, np.int32)
    return Grouped(codes, int(codes.max()) + 1, lambda group: f"group {group}", fewest)


def test_the_worst_means_come_first_and_what_is_unknown_does_not_count() -> None:
    found = [0, 0, 1, 1, 2, -1, 3, 3, 3]
    values = np.array([0.125, 0.375, 0.5, np.nan, 0.0, 1.0, 0.25, 0.25, 0.25])
    told = [(one.called, one.rows, one.mean) for one in worst([grouped(found)], values, low=True)]
    assert told == [("group 1", 1, 0.5), ("group 3", 3, 0.25), ("group 0", 2, 0.25)]
    high = [one.called for one in worst([grouped(found)], values, low=False)]
    assert high == ["group 2", "group 3", "group 0", "group 1"]


def test_groups_of_several_columns_stand_in_one_list_and_small_ones_are_left_out() -> None:
    values = np.array([1.0, 1.0, 0.0, 0.5, 0.0, 0.0])
    one, other = grouped([0, 0, 1, 1, 1, 1], fewest=3), grouped([0, 1, 0, 1, 0, 1])
    told = [(each.called, each.mean) for each in worst([one, other], values, low=True)]
    assert told == [("group 1", 0.5), ("group 0", 1 / 3), ("group 1", 0.125)]


def test_five_are_shown_as_a_sentence_each() -> None:
    values = np.repeat(np.linspace(0.1, 0.9, 9), 2)
    chart = worst_chart(RISK, values, [grouped([group for group in range(9) for _ in range(2)], ALIKE)])
    assert chart is not None
    assert chart.series[0].x == tuple(f"2 rows with group {group}" for group in (8, 7, 6, 5, 4))
    assert chart.internal
    assert chart.y.scale == "percent"
    several = worst_chart(SIZE, np.array([1.0, 1.0]), [grouped([0, 0])])
    assert several is not None
    assert several.series[0].x == ("2 rows with group 0",)
    assert several.y.scale == "linear"
    assert worst_chart(RISK, np.zeros(3), [grouped([0, 1, 2])]) is None


def test_the_first_figure_per_record_that_has_a_better_way_judges() -> None:
    assert judged_by((ONCE, NEUTRAL, RISK, SIZE), {"own", "risk", "size"}) is RISK
    assert judged_by((ONCE, NEUTRAL, RISK, SIZE), {"own", "size"}) is SIZE
    assert judged_by((ONCE, NEUTRAL), {"own"}) is None


def people(number: int = 240) -> list[dict[str, str]]:
    draw = random.Random(7)
    return [
        {
            "age": str(draw.randint(20, 69)),
            "sex": draw.choice(["F", "M", ""]),
            "illness": draw.choice(["cold", "flu"]),
        }
        for _ in range(number)
    ]


def charts_of(steps: Any, measure: str, columns: Any = KEYS, **options: Any) -> tuple[dict[str, Any], str]:
    """The charts of one measure by their slugs, and the records as they are written."""
    records = io.BytesIO()
    recipe = recipe_of(columns, steps=steps, measures=[measure])
    outputs = [Output("csv", io.BytesIO())]
    options.setdefault("records", records)
    report = anonymize(recipe, MemorySource(table_of(people())), outputs, key=key_from_seed(1), **options)
    (result,) = report.as_dict()["measures"]
    assert result["state"] == "measured", result["reason"]
    return {chart["slug"]: chart for chart in result["charts"]}, records.getvalue().decode()


def by_hand(records: str, column: str) -> list[str]:
    """The means of the five worst combinations of age and sex that several have, by what the lines say."""
    head, *lines = records.splitlines()
    at = head.split(",").index(column)
    found = defaultdict(list)
    for person, line in zip(people(), lines, strict=True):
        found[person["age"], person["sex"]].append(float(line.split(",")[at]))
    means = sorted((sum(own) / len(own) for own in found.values() if len(own) > 1), reverse=True)
    return [f"{mean:.9f}" for mean in means[:5]]


def test_classes_that_tell_the_truth_are_those_of_a_loop() -> None:
    charts, records = charts_of([], "individual-risk")
    (series,) = charts["worst-risk"]["series"]
    assert [f"{mean:.9f}" for mean in series["y"]] == by_hand(records, "individual-risk_risk")
    for words in series["x"]:
        assert re.fullmatch(r"\d+ rows with age \d+, (sex [FM]|no sex)", words)


def test_a_score_of_single_rows_alone_names_no_class() -> None:
    charts, records = charts_of([], "suda")
    assert set(by_hand(records, "suda_suda")) == {"0.000000000"}
    assert "worst-suda" not in charts


def test_where_nothing_is_true_values_and_tenths_are_looked_at() -> None:
    steps = [
        ("noise", {"column": "age", "amount": 0.2}),
        ("pram", {"column": "sex"}),
    ]
    charts, _ = charts_of(steps, "record-linkage")
    (series,) = charts["worst-linked"]["series"]
    assert series["x"]
    for words in series["x"]:
        where = r"age below [\d.]+|age from [\d.]+( to below [\d.]+)?|sex [FM]|no sex"
        assert re.fullmatch(rf"\d+ rows with ({where})", words)
    assert series["y"] == sorted(series["y"], reverse=True)


def test_what_one_alone_has_is_said_of_nobody() -> None:
    alone, pair = np.array([1.0, 0.5, 0.25]), [0, 1, 1]
    chart = worst_chart(RISK, alone, [grouped(pair, ALIKE)])
    assert chart is not None
    assert chart.series[0].x == ("2 rows with group 1",)
    assert worst_chart(RISK, alone, [grouped([0, 1, 2], ALIKE)]) is None


def test_nobody_who_wants_no_records_gets_words() -> None:
    charts, _ = charts_of([], "individual-risk", records=None)
    assert "worst-risk" not in charts


def test_classes_too_large_for_memory_cost_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_many(*_: object) -> None:
        raise LimitExceeded("memory", "Too many.")

    monkeypatch.setattr(measuring, "groups_of", too_many)
    charts, _ = charts_of([], "individual-risk")
    assert charts
    assert "worst-risk" not in charts
