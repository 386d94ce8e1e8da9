"""Uniques of the original that are uniques of a made-up file, beside a brute force and known mutants."""

import random
from collections import Counter

import pytest

from tests.engine.nearest.made_up import (
    COLUMNS,
    FILE,
    MadeUp,
    figures_of,
    random_files,
    readings,
    result_of,
    wilson,
)
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.replicated_uniques import ReplicatedUniques


def expected(files: MadeUp) -> dict[str, float | None]:
    training, hold_out, released = (
        readings(one, files.columns) for one in (files.training, files.hold_out, files.released)
    )
    original = Counter(training) if files.file else Counter(training + hold_out)
    made, everybody = Counter(released), Counter(training + hold_out)
    uniques = [one for one, rows in original.items() if rows == 1]
    alone = [one for one, rows in made.items() if rows == 1]
    replicated = [one for one in alone if original[one] == 1]
    groups = [[one for one in side if everybody[one] == 1] for side in (training, hold_out)]
    hits = [[one for one in group if made[one] == 1] for group in groups]
    (p, *one), (q, *other) = (
        (len(hit) / len(group), *wilson(len(hit), len(group)))
        for hit, group in zip(hits, groups, strict=True)
    )
    down, up = (
        ((p - one[0]) ** 2 + (other[1] - q) ** 2) ** 0.5,
        ((one[1] - p) ** 2 + (q - other[0]) ** 2) ** 0.5,
    )
    return {
        "replicated": len(replicated),
        "replicated_share": len(replicated) / len(released),
        "replicated_of_uniques": len(replicated) / len(uniques),
        "uniques": len(alone),
        "in_original_share": sum(original[one] > 0 for one in alone) / len(released),
        "training_share": p,
        "holdout_share": q,
        "excess": max(0, p - q),
        "excess_low": max(0, p - q - down),
        "excess_high": max(0, p - q + up),
    }


@pytest.mark.parametrize("seed", range(40))
def test_figures_are_those_of_plain_counting(seed):
    files = random_files(seed, file=seed % 3 == 0)
    result = result_of(ReplicatedUniques(hold_out=FILE if files.file else None), files)
    assert result.after == pytest.approx(expected(files), abs=1e-9)
    rows = files.training if files.file else files.training + files.hold_out
    counted = Counter(readings(rows, files.columns))
    assert result.before == {"uniques": sum(rows == 1 for rows in counted.values())}


def test_numbers_and_dates_are_equal_where_they_mean_the_same():
    training = [("20", "a", "1.50", "03.01.2020"), ("21", "b", "2.00", "31.01.2020")]
    files = MadeUp.of(training, [], [("20", "a", "1.5", "2020-01-03"), ("21.0", "c", "2", "2020-01-31")])
    assert figures_of(ReplicatedUniques(), files)["replicated"] == 1


def test_known_answers_without_a_hold_out():
    one, other, third = (
        ("20", "a", "1", "2020-01-01"),
        ("30", "b", "1", "2020-01-01"),
        ("40", "c", "", "2020-01-02"),
    )
    files = MadeUp.of(
        [one, other, other, third], [], [one, other, third, third, ("50", "a", "1", "2020-01-01")]
    )
    found = figures_of(ReplicatedUniques(), files)
    assert found["replicated"] == 1, "the second is not unique in the original, the third not in the release"
    assert (found["replicated_share"], found["replicated_of_uniques"]) == (1 / 5, 1 / 2)
    assert (found["uniques"], found["in_original_share"]) == (3, 2 / 5)
    assert "excess" not in found
    assert figures_of(ReplicatedUniques(columns=("age",)), files)["replicated"] == 1


def test_a_combination_of_one_person_is_unique_however_often_it_occurs():
    columns = {**COLUMNS, "who": {"role": "person-key"}}
    rows = [("20", "a", "1", "2020-01-01", "p1")] * 3 + [
        ("30", "b", "1", "2020-01-01", who) for who in ("p1", "p2")
    ]
    released = [("20", "a", "1", "2020-01-01", ""), ("30", "b", "1", "2020-01-01", "")]
    files = MadeUp.of(rows, [], released, columns)
    result = result_of(ReplicatedUniques(), files)
    assert (result.before["uniques"], result.after["replicated"]) == (1, 1)


def numbers(seed: int, rows: int) -> list[tuple[str, ...]]:
    draw = random.Random(seed)
    return [
        (str(draw.randrange(90)), draw.choice("abcdef"), f"{draw.random():.6f}", "2020-01-01")
        for _ in range(rows)
    ]


def test_copies_are_found_and_strangers_are_not():
    training, hold_out, made = numbers(1, 800), numbers(2, 200), numbers(3, 900)
    pasted = figures_of(ReplicatedUniques(), MadeUp.of(training, hold_out, made + training[:100]))
    assert pasted["replicated_share"] == pytest.approx(0.1)
    assert (pasted["training_share"], pasted["holdout_share"]) == (pytest.approx(1 / 8), 0)
    assert pasted["excess_low"] > 0.05
    clean = figures_of(ReplicatedUniques(), MadeUp.of(training, hold_out, made))
    assert clean["replicated"] == clean["excess"] == 0
    copy = figures_of(ReplicatedUniques(), MadeUp.of(training, hold_out, training))
    assert (copy["replicated_share"], copy["excess"]) == (1, 1)


def test_where_people_are_alike_strangers_are_replicated_too():
    """Few values: the release has every combination, and no excess."""
    draw = random.Random(1)

    def few(rows):
        return [(str(draw.randrange(60)), draw.choice("abc"), "1", "2020-01-01") for _ in range(rows)]

    found = figures_of(ReplicatedUniques(), MadeUp.of(few(120), few(120), few(200)))
    assert found["replicated"] > 5
    assert found["excess_low"] == 0


def test_other_families_and_empty_files():
    files = random_files(1)
    files.traces = dict.fromkeys(files.columns, Trace.PERTURBED)
    assert "record linkage" in result_of(ReplicatedUniques(), files).reason
    files.traces = None
    files.released = []
    assert result_of(ReplicatedUniques(), files).state is State.DOES_NOT_APPLY
