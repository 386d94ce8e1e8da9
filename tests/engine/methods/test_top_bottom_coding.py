"""Top and bottom coding."""

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.errors import EngineError


def coded(texts, kind="integer", **params):
    columns = {"x": {"role": "other", "kind": kind}}
    step = ("top-bottom-coding", {"column": "x", **params})
    released, report = run(
        recipe_of(columns, [], [step], []), table_of([{"x": text} for text in texts]), keep_order=True
    )
    return [row["x"] for row in rows_of(released)], report["steps"][0]


TEXTS = ["5", "90", "17", "91", "120", "4", "17"]


def test_beyond_a_limit_there_is_the_limit():
    found, facts = coded(TEXTS, top=90, bottom=5)
    assert found == ["5", "90", "17", "90", "90", "5", "17"]
    assert (facts["top_coded"], facts["bottom_coded"]) == (2, 1)


def test_the_mean_keeps_the_total():
    found, _ = coded(["1.5", "2", "10", "20.5"], "decimal", top=9, replacement="mean")
    assert found == ["1.5", "2", "15.25", "15.25"]


def test_means_of_whole_numbers_are_whole():
    assert coded(["1", "10", "11"], top=9, replacement="mean")[0] == ["1", "10", "10"]


def test_the_median_of_an_even_number_lies_between():
    assert coded(["1", "10", "12", "20", "40"], top=9, replacement="median")[0][1] == "16"


def test_a_text_says_which_side():
    found, _ = coded(TEXTS, top=90, bottom=5, replacement="text")
    assert found == ["5", "90", "17", ">90", ">90", "<5", "17"]


def test_missing_values_stay():
    columns = {"x": {"role": "other", "kind": "integer"}, "y": {"role": "other"}}
    rows = [{"x": "", "y": "a"}, {"x": "99", "y": "b"}]
    step = ("top-bottom-coding", {"column": "x", "top": 9})
    released, _ = run(recipe_of(columns, [], [step], []), table_of(rows), keep_order=True)
    assert [row["x"] for row in rows_of(released)] == ["", "9"]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.sampled_from([0.05, 0.1, 0.25, 0.4]))
@settings(max_examples=60, deadline=None)
def test_a_share_is_never_exceeded_and_hardly_missed(numbers, share):
    found, facts = coded([str(n) for n in numbers], top_share=share)
    changed = sum(a != str(b) for a, b in zip(found, numbers, strict=True))
    assert changed == facts["top_coded"] <= share * len(numbers)
    limit = max(map(int, found))
    assert sum(n >= limit for n in numbers) >= share * len(numbers) or not changed


@given(st.lists(st.integers(0, 30), min_size=3, max_size=60), st.integers(0, 30))
@settings(max_examples=60, deadline=None)
def test_the_median_is_that_of_what_is_cut_off(numbers, top):
    found, _ = coded([str(n) for n in numbers], "decimal", top=top, replacement="median")
    beyond = [n for n in numbers if n > top]
    assert all(
        float(a) == (statistics.median(beyond) if n > top else n) for a, n in zip(found, numbers, strict=True)
    )


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({}, ""),
        ({"top": 5, "top_share": 0.1}, ""),
        ({"top": 5, "bottom": 6}, ""),
        ({"top": 5.5}, ".top"),
    ],
)
def test_limits_that_make_no_sense_are_refused(params, param):
    with pytest.raises(EngineError) as caught:
        coded(TEXTS, **params)
    assert caught.value.param == f"steps[0].params{param}"


def test_limits_that_cross_in_the_data_are_refused():
    with pytest.raises(EngineError) as caught:
        coded(TEXTS, bottom=100, top_share=0.2)
    assert caught.value.param == "steps[0].params.bottom"
