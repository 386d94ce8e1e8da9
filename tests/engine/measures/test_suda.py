"""Special uniques as a measure: shares, DIS, contributions, row by row."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from tests.engine.measures.class_oracle import KEYS, in_classes, moved, random_sample
from tests.engine.measures.scenes import Case, figures_of, measured_of, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.suda import SpecialUniques


def minimal(case, keys, i, rows):
    """The smallest sets of keys by which nobody else's row equals one."""
    who = case.after.get("who", list(range(case.rows)))
    found = []
    for size in range(1, len(keys) + 1):
        for some in combinations(keys, size):
            same = {who[j] for j in rows if all(case.after[name][j] == case.after[name][i] for name in some)}
            if same == {who[i]} and not any(set(less) <= set(some) for less in found):
                found.append(some)
    return found


def by_hand(case, keys=KEYS):
    rows = in_classes(case, keys)
    sets = {i: minimal(case, keys, i, rows) for i in rows}
    return sets, {i: sum(math.factorial(len(keys) - len(one)) for one in sets[i]) for i in rows}


def class_sizes(case, keys, rows):
    """Persons, or rows, of each class."""
    who = case.after.get("who", list(range(case.rows)))
    classes = {}
    for i in rows:
        classes.setdefault(tuple(case.after[name][i] for name in keys), set()).add(who[i])
    return {key: len(people) for key, people in classes.items()}


@pytest.mark.parametrize("few", [1, 2])
@pytest.mark.parametrize("seed", range(40))
def test_as_by_hand(seed, few):
    case = random_sample(seed)
    made = measured_of(SpecialUniques(columns=few, dis_fraction=0.2), case)
    found, records = made.results[0].after, made.records
    sets, scores = by_hand(case)
    expected = np.array([scores.get(i, np.nan) for i in range(case.rows)])
    np.testing.assert_array_equal(records["suda_suda"], expected)
    sizes = class_sizes(case, KEYS, sets)
    people = {}
    for i, one in sets.items():
        key = tuple(case.after[name][i] for name in KEYS)
        people[key if "who" in case.after else (key, i)] = min(map(len, one), default=9)
    total = sum(sizes.values())
    assert found["risky_rows"] == sum(least <= few for least in people.values())
    assert found["risky_share"] == pytest.approx(found["risky_rows"] / total)
    assert found["unique_share"] == pytest.approx(sum(least < 9 for least in people.values()) / total)
    assert found["highest_score"] == max(scores.values())
    whole = sum(scores.values())
    for name in KEYS:
        part = sum(math.factorial(3 - len(one)) for some in sets.values() for one in some if name in one)
        assert found["contribution"][name] == pytest.approx(part / whole if whole else 0)


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_rows_are_told_by_what_they_are_alone_by_and_no_value(seed):
    case = random_sample(seed)
    (result,) = measured_of(SpecialUniques(), case).results
    sets, _ = by_hand(case)
    often = Counter(some for found in sets.values() for some in found)
    adds = {some: rows * math.factorial(len(KEYS) - len(some)) for some, rows in often.items()}
    worst = [chart for chart in result.charts if chart.slug == "worst-sets"]
    assert bool(worst) is bool(adds)
    for chart in worst:
        (series,) = chart.series
        whole = sum(adds.values())
        assert series.y == pytest.approx(sorted((add / whole for add in adds.values()), reverse=True)[:5])
        assert set(series.x) <= {said(some, rows) for some, rows in often.items()}


def said(some, rows):
    names = [*some]
    named = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"1 row is alone by {named}" if rows == 1 else f"{rows} rows are alone by {named}"


@pytest.mark.parametrize("seed", range(40))
def test_dis_as_by_hand(seed):
    case, fraction = random_sample(seed), 0.2
    made = measured_of(SpecialUniques(dis_fraction=fraction), case)
    sets, scores = by_hand(case)
    sizes = class_sizes(case, KEYS, sets).values()
    unique, pairs = list(sizes).count(1), 2 * list(sizes).count(2)
    if not unique:
        assert made.results[0].after["dis"] in (None, 0)
        return
    dis = unique * fraction / (unique * fraction + pairs * (1 - fraction))
    assert made.results[0].after["dis"] == pytest.approx(dis)
    power = 1 + (8 - 3) / 20
    whole = sum(score**-power for score in scores.values() if score)
    for i, score in scores.items():
        expected = 1 / (1 + (unique / dis - unique) / (score**power * whole)) if score else 0
        assert made.records["suda_dis_suda"][i] == pytest.approx(expected, abs=1e-9)


def test_a_cell_that_is_left_out_singles_out_nobody():
    columns = {name: {"role": "quasi-identifier"} for name in "pq"}
    cells = {"p": ["", "a", "a", "a"], "q": ["x", "x", "y", "y"]}
    case = Case(columns, cells, cells)
    own, left_out = (figures_of(SpecialUniques(missing=one), case) for one in ("own", "left-out"))
    assert (own["highest_score"], left_out["highest_score"]) == (1, 1)
    assert (own["risky_rows"], left_out["risky_rows"]) == (2, 1)


@pytest.mark.parametrize("seed", range(40))
def test_coarser_keys_single_out_no_more(seed):
    case = random_sample(seed, persons=False)
    fine = figures_of(SpecialUniques(columns=3), case)["unique_share"]
    case.after["age"] = ["-"] * case.rows
    assert figures_of(SpecialUniques(columns=3), case)["unique_share"] <= fine + 1e-12


def test_perturbed_keys_are_left_to_others():
    result = result_of(SpecialUniques(), moved(random_sample(2), *KEYS, trace=Trace.EXCHANGED))
    assert (result.state, "record linkage answers" in result.reason) == (State.DOES_NOT_APPLY, True)


def test_truthful_keys_of_a_mixed_file_answer():
    case = moved(random_sample(13), "sex")
    found = figures_of(SpecialUniques(), case)
    _, scores = by_hand(case, ("age", "place"))
    assert found["keys"] == "age, place"
    assert found["highest_score"] == max(scores.values())


def test_too_many_keys_are_refused_beforehand():
    names = [f"k{n}" for n in range(40)]
    columns = {name: {"role": "quasi-identifier"} for name in names}
    cells = {name: ["a", "b"] for name in names}
    assert result_of(SpecialUniques(), Case(columns, cells, cells)).state is State.TOO_LARGE
