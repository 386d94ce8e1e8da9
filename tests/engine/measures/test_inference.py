"""Inference with a learner that can be followed by hand, beside a brute force.

What trees learn is theirs; here stands what is made of their guesses.
"""

import random
import statistics
from collections import Counter
from math import ceil, floor

import numpy as np
import pytest

from tests.engine.measures.scenes import LINES, TREE, Case, figures_of, result_of
from worker.engine.attributes import guessing
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.inference import Inference

MEASURE = Inference()
COLUMNS = {
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "sex": {"role": "quasi-identifier", "kind": "categorical"},
    "ill": {"role": "sensitive", "kind": "categorical"},
    "pay": {"role": "sensitive", "kind": "decimal"},
}
KEYS = ("town", "sex")


def first_met(known, values, asked, draw):
    """Remembers the value that first came with each keys; about anybody else it is wrong."""
    met = {}
    for row, value in zip(known.tolist(), values.tolist(), strict=True):
        met.setdefault(tuple(row), value)
    return [np.array([met.get(tuple(row), -1) for row in one.tolist()]) for one in asked]


@pytest.fixture(autouse=True)
def _remembers(monkeypatch):
    monkeypatch.setattr(guessing, "guessed", first_met)


def cells(draw, rows):
    return {
        "town": [draw.choice(["a", "b", "c", "", "*"]) for _ in range(rows)],
        "sex": [draw.choice("fm") for _ in range(rows)],
        "ill": [draw.choice(["flu", "flu", "flu", "none", ""]) for _ in range(rows)],
        "pay": [f"{draw.choice([1, 1, 1, 2, 5, 9]) / 4}" for _ in range(rows)],
    }


def edges(texts):
    ordered = sorted(map(float, texts))
    found = set()
    for tenth in range(1, 10):
        at = (len(ordered) - 1) * tenth / 10
        found.add(ordered[floor(at)] + (ordered[ceil(at)] - ordered[floor(at)]) * (at - floor(at)))
    return sorted(found)


def read(before, side, name):
    if name != "pay":
        return side[name]
    return [sum(edge <= float(text) for edge in edges(before[name])) for text in side[name]]


def plainly(before, after, name, chosen):
    """Whether each chosen original is guessed right, and whether the commonest released value is its own."""
    learnt, asked = read(before, after, name), read(before, before, name)
    met = {}
    for *keys, value in zip(*(after[key] for key in KEYS), learnt, strict=True):
        met.setdefault(tuple(keys), value)
    most = Counter(learnt).most_common()
    assert len(most) == 1 or most[0][1] > most[1][1], "no tie"
    rows = [row for row, stays in zip(zip(*(before[key] for key in KEYS), asked, strict=True), chosen,
            strict=True) if stays]  # fmt: skip
    return [float(met.get(tuple(keys)) == value) for *keys, value in rows], [
        float(value == most[0][0]) for *_, value in rows
    ]


def interval(values):
    error = statistics.pstdev(values) / len(values) ** 0.5
    mean = statistics.fmean(values)
    return mean, mean - 1.959963984540054 * error, mean + 1.959963984540054 * error


@pytest.mark.parametrize("seed", range(40))
def test_is_what_brute_force_finds(seed):
    draw = random.Random(seed)
    rows = draw.choice([4, 20, 60])
    before, after = cells(draw, rows), cells(draw, draw.choice([61, 81]))
    held_out = [draw.random() < 0.4 for _ in range(rows)] if seed % 2 else []
    if held_out:
        held_out[:2] = [True, False]
    found = figures_of(MEASURE, Case(COLUMNS, before, after, [True] * len(after["ill"]), held_out=held_out))
    for name in ("ill", "pay"):
        inside, blind = plainly(before, after, name, [not one for one in held_out] or [True] * rows)
        assert found["accuracy"][name] == pytest.approx(statistics.fmean(inside))
        about = inside
        if held_out:
            about, blind = plainly(before, after, name, held_out)
            assert found["accuracy_held_out"][name] == pytest.approx(statistics.fmean(about))
            gap = statistics.fmean(inside) - statistics.fmean(about)
            error = sum(statistics.pvariance(one) / len(one) for one in (inside, about)) ** 0.5
            assert found["advantage"][name] == pytest.approx(max(gap, 0), abs=1e-9)
            assert found["advantage_low"][name] == pytest.approx(gap - 1.959963984540054 * error, abs=1e-9)
            assert found["advantage_high"][name] == pytest.approx(gap + 1.959963984540054 * error, abs=1e-9)
        assert found["baseline"][name] == pytest.approx(statistics.fmean(blind))
        told = [found[figure][name] for figure in ("gain", "gain_low", "gain_high")]
        expected = interval([one - other for one, other in zip(about, blind, strict=True)])
        assert told == pytest.approx(expected, abs=1e-9)


def test_without_rows_held_out_there_is_a_gain_and_no_advantage():
    before = cells(random.Random(1), 50)
    found = figures_of(MEASURE, Case(COLUMNS, before, before))
    assert found["advantage"] == found["advantage_low"] == {"ill": None, "pay": None}
    assert set(found["no_advantage"]) == {"ill", "pay"}
    assert found["gain"]["ill"] is not None
    held_out = [number % 2 == 0 for number in range(50)]
    assert figures_of(MEASURE, Case(COLUMNS, before, before, held_out=held_out))["no_advantage"] == {}


def people(rows=600):
    draw = random.Random(7)
    columns = {"key": {"role": "quasi-identifier"}, "ill": {"role": "sensitive", "kind": "categorical"}}
    keys = [f"p{number}" for number in range(rows)]
    return columns, {"key": keys, "ill": draw.choices("abc", k=rows)}, draw


def advantage(columns, before, after):
    held_out = [number % 2 == 1 for number in range(len(before["key"]))]
    found = figures_of(MEASURE, Case(columns, before, after, [True] * len(after["key"]), held_out=held_out))
    return found["advantage_low"]["ill"]


def test_rows_that_were_copied_are_what_is_learnt_of_people():
    columns, before, draw = people()
    copied = {name: texts[::2] for name, texts in before.items()}
    turned = {**copied, "ill": copied["ill"][1:] + copied["ill"][:1]}
    shuffled = {**copied, "ill": draw.sample(copied["ill"], 300)}
    assert advantage(columns, before, copied) > 0.9
    some = {name: texts[:100] + shuffled[name][100:] for name, texts in copied.items()}
    assert advantage(columns, before, copied) > advantage(columns, before, some) > 0.4
    # Values in rows of others tell something wrong of everybody: the learner knows no stranger at all.
    assert advantage(columns, before, turned) < 0.45
    columns["key"]["kind"] = "categorical"
    about_all = {"key": before["key"], "ill": before["ill"]}
    assert advantage(columns, before, about_all) <= 0


def test_a_sample_is_learnt_from_and_a_sample_is_guessed():
    columns, before, _ = people()
    found = figures_of(Inference(rows=150, targets=400), Case(columns, before, before))
    assert found["accuracy"]["ill"] == pytest.approx(0.25, abs=0.08)  # a quarter of the file was met
    same = figures_of(Inference(rows=150, targets=400), Case(columns, before, before))
    assert same == found


def test_values_beyond_the_commonest_are_not_learnt(monkeypatch):
    monkeypatch.setattr(guessing, "VALUES", 1)
    columns, before, _ = people()
    most = Counter(before["ill"]).most_common(1)[0][1]
    assert figures_of(MEASURE, Case(columns, before, before))["accuracy"]["ill"] == pytest.approx(most / 600)


def test_a_column_is_guessed_from_the_level_at_which_it_is_released():
    columns = {
        "town": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": LINES},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    before = {"town": ["v0", "v1", "v4"], "ill": list("xyx")}
    after = {"town": [TREE[town][1] for town in before["town"]], "ill": list("xyx")}
    assert figures_of(MEASURE, Case(columns, before, after))["accuracy"]["ill"] == pytest.approx(2 / 3)


def state(traces):
    rows = cells(random.Random(1), 20)
    known = dict.fromkeys(COLUMNS, Trace.KEPT) | traces
    return result_of(MEASURE, Case(COLUMNS, rows, rows, traces=known))


def test_every_family_of_rows_may_be_learnt_from():
    for trace in (Trace.COARSER, Trace.EXCHANGED, Trace.PERTURBED, Trace.MADE_UP):
        assert state(dict.fromkeys(COLUMNS, trace)).state is State.MEASURED
    assert set(state({"ill": Trace.REMOVED}).after["gain"]) == {"pay"}


def test_without_clues_or_targets_there_is_nothing_to_learn():
    for names in (KEYS, ("ill", "pay")):
        result = state(dict.fromkeys(names, Trace.REMOVED))
        assert result.state is State.DOES_NOT_APPLY
        assert result.reason
    with pytest.raises(ValueError, match="known or wanted"):
        Inference(keys=("ill",), target=("ill",))
