"""Dependency, beside a brute force over plain lists and by hand."""

import math
from datetime import date
from itertools import combinations

import pytest

from tests.engine.measures.scenes import COLUMNS, Case, figures_of, random_answers, random_case, result_of
from worker.engine.contracts.result import State
from worker.engine.measures.utility.dependency import Dependency

MEASURE = Dependency()
KEYS = ("town", "age")
NUMBERS = ("age", "pay", "born")


def number(text):
    if text.startswith("["):
        low, high = map(float, text.strip("[").split(","))
        return (low + high) / 2
    try:
        return float(date.fromisoformat(text).toordinal()) if text.count("-") == 2 else float(text)
    except ValueError:
        return None


def mean(numbers):
    return sum(numbers) / len(numbers)


def correlation(pairs):
    xs, ys = zip(*pairs, strict=True)
    dx, dy = ([one - mean(side) for one in side] for side in (xs, ys))
    size = math.sqrt(sum(d * d for d in dx) * sum(d * d for d in dy))
    return sum(a * b for a, b in zip(dx, dy, strict=True)) / size if size else None


def ranks(numbers):
    return [sum(one < x for one in numbers) + sum(one == x for one in numbers) / 2 for x in numbers]


def association(one, other, kinds):
    """Of two columns of texts; the second is the number where one is."""
    if kinds == (True, True):
        known = [(number(a), number(b)) for a, b in zip(one, other, strict=True)]
        known = [pair for pair in known if None not in pair]
        return correlation(list(zip(*map(ranks, zip(*known, strict=True)), strict=True))) if known else None
    if kinds == (True, False):
        return association(other, one, (False, True))
    if kinds == (False, True):
        known = [(a, y) for a, b in zip(one, other, strict=True) if (y := number(b)) is not None]
        whole = sum((y - mean([y for _, y in known])) ** 2 for _, y in known) if known else 0
        groups = [[y for a, y in known if a == value] for value in {a for a, _ in known}]
        within = sum((y - mean(group)) ** 2 for group in groups for y in group)
        return math.sqrt(max(1 - within / whole, 0)) if whole > 1e-12 else None
    least = min(len(set(one)), len(set(other))) - 1
    if least < 1:
        return None
    pairs = list(zip(one, other, strict=True))
    square = sum(pairs.count((a, b)) ** 2 / (one.count(a) * other.count(b)) for a, b in set(pairs)) - 1
    return math.sqrt(max(square, 0) / least)


def whole_day(text):
    """A month or a year is no day."""
    return text if len(text) == 10 else ""


def associations(rows, names):
    rows = [row for row in rows if {row[key] for key in KEYS} != {"*"}]
    found = {}
    for a, b in combinations(names, 2):
        columns = [[whole_day(row[name]) if name == "born" else row[name] for row in rows] for name in (a, b)]
        found[f"{a} × {b}"] = association(*columns, (a in NUMBERS, b in NUMBERS)) if rows else None
    return found


@pytest.mark.parametrize("seed", range(40))
def test_is_what_brute_force_finds(seed):
    case = random_answers(seed) if seed % 2 else random_case(seed)
    names = [name for name in COLUMNS if name in case.after]
    before = [{name: case.before[name][i] for name in case.before} for i in range(case.rows)]
    result = result_of(MEASURE, case)
    was, became = associations(before, names), associations(case.released(), names)
    assert result.before["association"] == pytest.approx(was, abs=1e-7)
    assert result.after["association"] == pytest.approx(became, abs=1e-7)
    apart = [abs(was[pair] - became[pair]) for pair in was if None not in (was[pair], became[pair])]
    assert result.after["mean_difference"] == (pytest.approx(mean(apart), abs=1e-7) if apart else None)
    stars = sum({row[key] for key in KEYS} == {"*"} for row in case.released())
    assert result.after["suppressed_rows"] == stars


TWO = {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}}


def test_a_handful_of_suppressed_rows_is_no_association():
    before = {"x": list("abababab"), "y": list("ccddccdd")}
    after = {"x": list("ababab**"), "y": list("ccddcc**")}
    found = figures_of(MEASURE, Case(TWO, before, after))
    assert (found["suppressed_rows"], found["association"]["x × y"]) == (2, pytest.approx(0))


def test_exchanged_values_keep_each_column_and_lose_what_binds_them():
    columns = {name: {"role": "other", "kind": "decimal"} for name in "xy"}
    numbers = [str(n) for n in range(40)]
    exchanged = [numbers[(n * 17) % 40] for n in range(40)]
    found = result_of(MEASURE, Case(columns, {"x": numbers, "y": numbers}, {"x": numbers, "y": exchanged}))
    assert found.before["association"]["x × y"] == pytest.approx(1)
    assert found.after["difference"]["x × y"] > 0.5
    assert found.after["eigenvalues"] > 0.5
    drawn = {chart.slug: chart.series[0].z for chart in found.charts}
    assert drawn["dependency-difference"][0][1] == drawn["dependency-difference"][1][0] > 0.5
    assert drawn["dependency-before"][0][0] is None


def test_eigenvalues_of_columns_nearly_alike_by_hand():
    """Two equal columns have the eigenvalues 2 and 0; scaled by two, one of them, 5 and 0."""
    columns = {name: {"role": "other", "kind": "integer"} for name in "xy"}
    numbers = [str(n) for n in range(10)]
    twice = [str(2 * n) for n in range(10)]
    found = figures_of(MEASURE, Case(columns, {"x": numbers, "y": numbers}, {"x": numbers, "y": twice}))
    assert found["eigenvalues"] == pytest.approx((3 + 0) / 2)
    assert found["mean_difference"] == pytest.approx(0)


def test_one_column_is_no_pair():
    case = Case({"x": {"role": "other"}}, {"x": ["a"]}, {"x": ["a"]})
    assert result_of(MEASURE, case).state is State.DOES_NOT_APPLY
