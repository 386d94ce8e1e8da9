"""The estimate recomputed from class sizes is the one the search used, by other arithmetic."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from worker.engine.errors import EngineError
from worker.engine.goals.population_uniqueness import PopulationUniqueness
from worker.engine.search.judging import sized
from worker.engine.verification.finding import Finding
from worker.engine.verification.population_uniqueness import Check, _solved

FRACTIONS = {"pitman": (0.05,), "zayatz": (0.1, 0.9), "snb": (0.1, 0.3, 0.99), "dankar": (0.11, 0.9, 1.0)}
SAMPLES = {
    "many sizes": ([1, 2, 3, 4, 5, 8, 13, 21, 60], [40, 12, 6, 4, 3, 3, 2, 1, 1]),
    "few sizes": ([1, 2, 3], [20, 9, 4]),
    "no pair": ([1, 3, 9], [30, 5, 2]),
    "nobody alone": ([2, 3], [9, 4]),
    "all alone": ([1], [40]),
    "one person": ([1], [1]),
    "one of a crowd": ([1, 500], [1, 1]),
    "hardly alone": ([1, 2], [2, 500]),
    "most in pairs": ([1, 2], [40, 500]),
}


def found(sizes: Any, **params: Any) -> Finding:
    group: Any = SimpleNamespace(sizes=np.asarray(sizes))
    return Check(params).find(group, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", FRACTIONS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_it_is_what_the_search_was_told(sample: str, model: str) -> None:
    sizes = np.repeat(*SAMPLES[sample])
    for fraction in FRACTIONS[model]:
        params: dict[str, Any] = {"model": model, "sampling_fraction": fraction, "limit": 0.02}
        goal, again = PopulationUniqueness(**params), found(sizes, **params)
        told = goal.achieved(sized(sizes))
        assert again.achieved == (told if told is None else pytest.approx(told, rel=1e-6)), fraction
        assert again.holds == goal.met(sized(sizes)), fraction


def test_of_a_small_sample_it_is_the_estimate_by_pitman() -> None:
    sizes = np.repeat([1, 2, 3, 30], [9, 2, 1, 1])
    small = found(sizes, sampling_fraction=0.1)
    assert small.achieved == found(sizes, sampling_fraction=0.1, model="pitman").achieved
    assert small.achieved not in (None, found(sizes, sampling_fraction=0.1, model="snb").achieved)


def test_equations_are_solved_or_have_no_solution() -> None:
    assert _solved(lambda x, y: (x * x * x - 8, y - x), 3.0, 0.0) == (pytest.approx(2), pytest.approx(2))
    too_steep = _solved(lambda x, y: (math.exp(1000 * x), y), 1.0, 1.0)
    flat = _solved(lambda x, y: (1.0, 1.0), 1.0, 1.0)
    never = _solved(lambda x, y: (x * x + 1, y), 1.0, 1.0)
    assert all(map(math.isnan, (*too_steep, *flat, *never)))


def test_a_census_needs_no_model() -> None:
    assert found([1, 1, 2, 6], sampling_fraction=1).achieved == 0.2
    assert found([2, 2], model="snb").achieved == 0.0


def test_halves_of_a_release_are_judged_as_the_whole() -> None:
    sizes = np.repeat(*SAMPLES["many sizes"])
    first, second = (found(part, sampling_fraction=0.3) for part in (sizes[:60], sizes[60:]))
    assert first.joined(second).achieved == found(sizes, sampling_fraction=0.3).achieved
    assert first.achieved != second.achieved


@pytest.mark.parametrize(
    ("params", "code", "param"),
    [
        ({"model": "guess"}, "not-verified", "model"),
        ({"sampling_fraction": 0}, "not-verified", "model"),
        ({"sampling_fraction": 1.5}, "goal-parameter", "sampling_fraction"),
        ({"limit": True}, "goal-parameter", "limit"),
    ],
)
def test_what_cannot_be_recomputed_is_refused(params: dict[str, Any], code: str, param: str) -> None:
    with pytest.raises(EngineError) as caught:
        Check(params)
    assert (caught.value.code, caught.value.param) == (code, param)
