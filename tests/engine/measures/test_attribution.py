"""Correct attribution, beside a brute force, by hand, and on releases that give something away."""

import random
import statistics
from math import ceil, floor

import pytest

from tests.engine.measures.scenes import LINES, TREE, Case, figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.attribution import Attribution

MEASURE = Attribution()
COLUMNS = {
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "ill": {"role": "sensitive", "kind": "categorical"},
    "pay": {"role": "sensitive", "kind": "decimal"},
}


def cells(draw, rows):
    return {
        "town": [draw.choice(["a", "b", "", "*"]) for _ in range(rows)],
        "age": [str(draw.randrange(20, 60)) if draw.random() < 0.9 else "" for _ in range(rows)],
        "ill": [draw.choice(["flu", "none", "rare", ""]) for _ in range(rows)],
        "pay": [f"{draw.randrange(40) / 4}" for _ in range(rows)],
    }


def edges(texts):
    """The distinct deciles, halfway in proportion between neighbours."""
    ordered = sorted(float(text) for text in texts if text)
    found = set()
    for tenth in range(1, 10):
        at = (len(ordered) - 1) * tenth / 10
        low, high = ordered[floor(at)], ordered[ceil(at)]
        found.add(low + (high - low) * (at - floor(at)))
    return sorted(found)


def read(before, side, name):
    """Numbers as the number of deciles at or below them."""
    if name not in ("age", "pay"):
        return side[name]
    steps = edges(before[name])
    return [sum(edge <= float(text) for edge in steps) if text else text for text in side[name]]


def share(part, whole):
    return part / whole if whole else None


def plainly(before, after, target, chosen):
    """CAP, row by row."""
    names = ("town", "age", target)
    was = list(zip(*(read(before, before, name) for name in names), strict=True))
    became = list(zip(*(read(before, after, name) for name in names), strict=True))
    caps, matched, right, certain = [], 0, 0, 0
    for *keys, value in (row for row, stays in zip(was, chosen, strict=True) if stays):
        alike = [other for *others, other in became if others == keys]
        caps.append(alike.count(value) / len(alike) if alike else 0.0)
        matched += bool(alike)
        certain += len(set(alike)) == 1
        right += set(alike) == {value}
    return caps, {
        "cap": share(sum(caps), len(caps)),
        "cap_matched": share(sum(caps), matched),
        "matched_share": share(matched, len(caps)),
        "targeted": share(right, certain),
    }


@pytest.mark.parametrize("seed", range(60))
def test_is_what_brute_force_finds(seed):
    draw = random.Random(seed)
    rows = draw.choice([2, 6, 25, 60])
    before, after = cells(draw, rows), cells(draw, draw.choice([1, 20, 60]))
    held_out = [draw.random() < 0.3 for _ in range(rows)] if seed % 2 else []
    if held_out:
        held_out[:2] = [True, False]
    case = Case(COLUMNS, before, after, [True] * len(after["town"]), held_out=held_out)
    found = figures_of(MEASURE, case)
    inside = [not one for one in held_out] or [True] * rows
    for name in ("ill", "pay"):
        caps, expected = plainly(before, after, name, inside)
        for figure, value in expected.items():
            assert found[figure][name] == (None if value is None else pytest.approx(value, abs=1e-9)), figure
        values = [one for one, stays in zip(read(before, before, name), inside, strict=True) if stays]
        q = {value: values.count(value) / len(values) for value in values}
        assert found["baseline"][name] == pytest.approx(sum(x * x for x in q.values()))
        assert found["most_common"][name] == pytest.approx(max(q.values()))
        if held_out:
            others, expected = plainly(before, after, name, held_out)
            assert found["cap_held_out"][name] == pytest.approx(expected["cap"])
            assert found["targeted_held_out"][name] == (
                None if expected["targeted"] is None else pytest.approx(expected["targeted"])
            )
            gap = statistics.fmean(caps) - statistics.fmean(others)
            error = (
                statistics.pvariance(caps) / len(caps) + statistics.pvariance(others) / len(others)
            ) ** 0.5
        else:
            above = [cap - q[value] for cap, value in zip(caps, values, strict=True)]
            gap, error = statistics.fmean(above), statistics.pstdev(above) / len(above) ** 0.5
        assert found["advantage"][name] == pytest.approx(max(gap, 0), abs=1e-9)
        assert found["advantage_low"][name] == pytest.approx(gap - 1.959963984540054 * error, abs=1e-9)
        assert found["advantage_high"][name] == pytest.approx(gap + 1.959963984540054 * error, abs=1e-9)


def two(before, after, **more):
    """One key and one sensitive column, in rows such as `a1`."""
    columns = {"key": {"role": "quasi-identifier"}, "ill": {"role": "sensitive", "kind": "categorical"}}
    sides = [{"key": [row[0] for row in rows], "ill": [row[1] for row in rows]} for rows in (before, after)]
    return Case(columns, *sides, [True] * len(after), **more)


def test_by_hand():
    found = figures_of(MEASURE, two(["a1", "a2", "b1", "c1"], ["a1", "a1", "a2", "b2", "d1"]))
    assert found["cap"]["ill"] == pytest.approx((2 / 3 + 1 / 3 + 0 + 0) / 4)
    assert found["cap_matched"]["ill"] == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    assert found["matched_share"]["ill"] == pytest.approx(3 / 4)
    assert found["targeted"]["ill"] == 0  # b alone is certain, and wrong
    assert found["baseline"]["ill"] == pytest.approx(9 / 16 + 1 / 16)
    assert found["compared_with"]["ill"] == "what the table tells of everybody"


def test_keys_without_a_certain_value_are_no_target():
    assert figures_of(MEASURE, two(["a1", "a2"], ["a1", "a2"]))["targeted"]["ill"] is None


def test_rows_nobody_learnt_from_are_what_counts():
    """The file knows everybody in the data and nobody else: the same figures, another advantage."""
    before = [f"{key}{value}" for key, value in zip("abcdefgh", "12121212", strict=True)]
    held_out = [False] * 4 + [True] * 4
    copied = figures_of(MEASURE, two(before, before[:4], held_out=held_out))
    assert (copied["cap"]["ill"], copied["cap_held_out"]["ill"]) == (1, 0)
    assert (copied["advantage"]["ill"], copied["compared_with"]["ill"]) == (1, "rows held out")
    learnt = figures_of(MEASURE, two(before, before, held_out=held_out))
    assert (learnt["cap"]["ill"], learnt["advantage"]["ill"]) == (1, 0)


def people(seed, rows=400):
    draw = random.Random(seed)
    keys = [f"p{draw.randrange(100)}" for _ in range(rows)]
    columns = {"key": {"role": "quasi-identifier"}, "ill": {"role": "sensitive", "kind": "categorical"}}
    return columns, {"key": keys, "ill": [draw.choice("abcd") for _ in range(rows)]}, draw


@pytest.mark.parametrize("seed", range(3))
def test_a_release_that_leaks_is_above_one_that_does_not(seed):
    columns, before, draw = people(seed)
    shuffled = {**before, "ill": draw.sample(before["ill"], len(before["ill"]))}
    honest = figures_of(MEASURE, Case(columns, before, shuffled))
    copied = figures_of(MEASURE, Case(columns, before, before))  # swapped by nothing, noise of 0
    turned = {name: texts[1:] + texts[:1] for name, texts in before.items()}
    assert honest["advantage_low"]["ill"] < 0.03
    assert copied["advantage_low"]["ill"] > 0.05
    assert figures_of(MEASURE, Case(columns, before, turned)) == copied  # who stands where helps nobody


def test_more_exchanged_values_are_attributed_less_often():
    means = []
    for amount in (0, 0.25, 0.5, 0.75, 1):
        caps = []
        for seed in range(8):
            columns, before, draw = people(seed)
            ill = [draw.choice("abcd") if draw.random() < amount else value for value in before["ill"]]
            caps.append(figures_of(MEASURE, Case(columns, before, {**before, "ill": ill}))["cap"]["ill"])
        means.append(statistics.fmean(caps))
    assert means == sorted(means, reverse=True)


def test_rows_pasted_into_a_made_up_file_are_caught():
    columns, before, draw = people(5)
    before["key"] = [f"p{number}" for number in range(400)]  # everybody can be told apart
    held_out = [number % 2 == 1 for number in range(400)]
    made_up = {"key": [f"p{draw.randrange(400)}" for _ in range(200)], "ill": draw.choices("abcd", k=200)}
    pasted = {name: texts + before[name][:200:2] for name, texts in made_up.items()}
    traces = dict.fromkeys(columns, Trace.MADE_UP)

    def found(after):
        case = Case(columns, before, after, [True] * len(after["key"]), traces, held_out=held_out)
        return figures_of(MEASURE, case)

    assert found(made_up)["advantage_low"]["ill"] < 0
    assert found(pasted)["advantage_low"]["ill"] > 0.1


def test_a_column_is_compared_at_the_level_at_which_it_is_released():
    columns = {
        "town": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": LINES},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    before = {"town": ["v0", "v1", "v4"], "ill": list("xyx")}
    after = {"town": [TREE[town][1] for town in before["town"]], "ill": list("xyx")}
    found = figures_of(MEASURE, Case(columns, before, after))
    assert found["cap"]["ill"] == pytest.approx((0.5 + 0.5 + 1) / 3)


def state(traces, measure=MEASURE, **columns):
    draw = random.Random(1)
    rows = cells(draw, 20)
    known = dict.fromkeys(COLUMNS, Trace.KEPT) | traces
    return result_of(measure, Case({**COLUMNS, **columns}, rows, rows, traces=known))


def test_where_classes_answer_it_does_not_apply():
    for traces in ({}, {"town": Trace.COARSER}):
        result = state(traces)
        assert result.state is State.DOES_NOT_APPLY
        assert "attribute disclosure" in result.reason
    gone = dict.fromkeys(("ill", "pay"), Trace.REMOVED)
    assert state(gone).state is state(dict.fromkeys(("town", "age"), Trace.REMOVED)).state
    assert state(gone).state is State.DOES_NOT_APPLY


def test_of_a_mixed_file_it_answers_for_what_was_changed():
    assert set(state({"pay": Trace.PERTURBED}).after["cap"]) == {"pay"}
    assert set(state({"age": Trace.PERTURBED}).after["cap"]) == {"ill", "pay"}
    assert set(state({}, Attribution(keys=("town",))).after["cap"]) == {"ill", "pay"}
    assert set(state({}, Attribution(target=("ill",))).after["cap"]) == {"ill"}


def test_a_pseudonym_among_the_keys_is_no_clue():
    with_it = state({"age": Trace.PERTURBED, "town": Trace.MADE_UP}).after["cap"]
    without = state({"age": Trace.PERTURBED, "town": Trace.REMOVED}).after["cap"]
    assert with_it == without


def test_a_column_is_known_or_wanted():
    with pytest.raises(ValueError, match="known or wanted"):
        Attribution(keys=("ill",), target=("ill",))
    assert set(state({}, Attribution(keys=("ill",))).after["cap"]) == {"pay"}
