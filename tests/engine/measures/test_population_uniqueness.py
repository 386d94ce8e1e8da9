"""Population uniqueness: the models are tested in their room, here which is asked with what."""

import random

import pytest

from tests.engine.measures.class_oracle import KEYS, in_classes, moved, random_sample
from tests.engine.measures.scenes import Case, figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.measures.risk.population_uniqueness import PopulationUniqueness

COLUMNS = {"q": {"role": "quasi-identifier", "kind": "text"}, "w": {"role": "weight"}}


def skewed(rows=400, weight="20"):
    """Classes of many sizes, as people have them."""
    draw = random.Random(3)
    cells = {"q": [str(int(draw.paretovariate(0.5)) % 3000) for _ in range(rows)], "w": [weight] * rows}
    return Case(dict(COLUMNS), cells, cells)


def weightless(case):
    columns = {name: part for name, part in case.columns.items() if name != "w"}
    cells = {name: texts for name, texts in case.before.items() if name != "w"}
    after = {name: texts for name, texts in case.after.items() if name != "w"}
    return Case(columns, cells, after, case.kept, case.traces)


def test_weights_say_which_part_is_in_the_data():
    by_weight = figures_of(PopulationUniqueness(), skewed())
    given = figures_of(PopulationUniqueness(sampling_fraction=0.05), weightless(skewed()))
    assert by_weight == given
    assert by_weight["sampling_fraction"] == pytest.approx(0.05)
    assert by_weight["unique_share"] == by_weight["pitman"] < by_weight["sample_unique_share"]


def test_nobody_says_which_part_is_in_the_data():
    result = result_of(PopulationUniqueness(), weightless(skewed()))
    assert (result.state, "sampling weight" in result.reason) == (State.DOES_NOT_APPLY, True)


def test_a_release_without_weights():
    case = skewed()
    case.after = {"q": case.after["q"]}
    result = result_of(PopulationUniqueness(), case)
    assert (result.state, "no sampling weights" in result.reason) == (State.DOES_NOT_APPLY, True)


def test_the_rule_asks_pitman_up_to_a_tenth_and_then_the_lower_of_two():
    case = weightless(skewed())
    low, high = (figures_of(PopulationUniqueness(sampling_fraction=f), case) for f in (0.1, 0.5))
    assert low["unique_share"] == low["pitman"]
    fitting = [high[name] for name in ("snb", "zayatz") if high[name] is not None]
    assert high["unique_share"] == min(fitting)
    assert high["unique_share"] == pytest.approx(
        figures_of(PopulationUniqueness(), skewed(weight="2"))["unique_share"]
    )


@pytest.mark.parametrize("seed", range(40))
def test_where_everybody_is_in_the_data_uniques_are_counted(seed):
    case = weightless(random_sample(seed, persons=False))
    found = figures_of(PopulationUniqueness(sampling_fraction=1), case)
    rows = in_classes(case, KEYS)
    tuples = [tuple(case.after[name][i] for name in KEYS) for i in rows]
    share = sum(tuples.count(one) == 1 for one in tuples) / len(rows)
    assert found["rows"] == len(rows)
    for name in ("unique_share", "pitman", "zayatz", "snb", "sample_unique_share"):
        assert found[name] == pytest.approx(share)


def test_a_smaller_sample_has_more_who_are_alone_in_it_only():
    case = weightless(skewed())
    found = [
        figures_of(PopulationUniqueness(model="pitman", sampling_fraction=f), case)["unique_share"]
        for f in (0.001, 0.01, 0.1)
    ]
    assert found == sorted(found)


def test_the_curve_goes_over_fractions():
    result = result_of(PopulationUniqueness(sampling_fraction=0.2), weightless(skewed()))
    (chart,) = result.charts
    points = {one.name: dict(zip(one.x, one.y, strict=True)) for one in chart.series}
    assert points["zayatz, after"][0.2] == result.after["zayatz"]
    assert points["dankar, after"][0.05] == points["pitman, after"][0.05]


def test_perturbed_keys_are_left_to_others():
    result = result_of(PopulationUniqueness(sampling_fraction=0.1), moved(random_sample(2), *KEYS))
    assert (result.state, "record linkage answers" in result.reason) == (State.DOES_NOT_APPLY, True)


def test_truthful_keys_of_a_mixed_file_answer():
    case = moved(weightless(random_sample(13)), "sex")
    assert figures_of(PopulationUniqueness(sampling_fraction=0.1), case)["keys"] == "age, place"
