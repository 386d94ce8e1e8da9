"""Randomized answers of the same data are the same in every file: drawn anew they average out."""

from collections import Counter

import pytest

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.randomness import key_from_seed

ANSWERS = ("no", "yes")
ROWS = [{"answer": ANSWERS[i % 3 == 0], "age": str(20 + i % 50)} for i in range(3000)]
COLUMNS = {"answer": {"role": "sensitive", "categories": list(ANSWERS)}, "age": {"role": "quasi-identifier"}}
VERSION, OTHER = key_from_seed(7), key_from_seed(8)
STEPS = {
    "randomized-response": {"column": "answer", "epsilon": "1"},
    "pram": {"column": "answer", "keep": 0.7},
}
NOISE = ("noise", {"column": "age", "amount": 0.1})
AGAIN = ("pram", {"column": "answer", "keep": 0.6})


def released(seed, *steps, version=VERSION):
    file, report = run(
        recipe_of(COLUMNS, [], list(steps), []),
        table_of(ROWS),
        key=key_from_seed(seed),
        version_key=version,
        keep_order=True,
    )
    return [row["answer"] for row in rows_of(file)], report


@pytest.mark.parametrize("step", STEPS.items(), ids=STEPS)
def test_every_run_on_a_version_draws_alike(step):
    first, report = released(1, step)
    assert first != [row["answer"] for row in ROWS]
    for seed in range(2, 6):
        assert released(seed, step)[0] == first
    assert released(9, NOISE, step)[0] == first, "whatever stands beside"
    assert report["warnings"] == []


@pytest.mark.parametrize("step", STEPS.items(), ids=STEPS)
def test_forty_runs_tell_no_more_than_one(step):
    """With a key of its own for each, the commonest answer of each person is nearly always the true one."""
    true = [row["answer"] for row in ROWS]

    def recovered(version):
        files = [released(seed, step, version=version)[0] for seed in range(25)]
        commonest = [Counter(one).most_common(1)[0][0] for one in zip(*files, strict=True)]
        return sum(a == b for a, b in zip(commonest, true, strict=True)) / len(true)

    assert recovered(VERSION) < 0.8
    assert recovered(None) > 0.95


@pytest.mark.parametrize("step", STEPS.items(), ids=STEPS)
def test_another_version_column_or_matrix_draws_for_itself(step):
    first = released(1, step)[0]
    assert released(1, step, version=OTHER)[0] != first
    changed = {k: v for k, v in step[1].items() if k not in ("epsilon", "keep")} | {"keep": 0.65}
    assert released(1, (step[0], changed))[0] != first


@pytest.mark.parametrize("step", STEPS.items(), ids=STEPS)
def test_a_second_step_does_not_undo_the_first(step):
    """With the same words twice the two would depend on each other."""
    once = released(1, step)[0]
    twice = released(1, step, step)[0]
    true = [row["answer"] for row in ROWS]
    kept = sum(a == b for a, b in zip(once, true, strict=True)) / len(true)
    kept_again = sum(a == b for a, b in zip(twice, once, strict=True)) / len(true)
    assert kept_again == pytest.approx(kept, abs=0.04)
    moved = [i for i, (a, b) in enumerate(zip(once, true, strict=True)) if a != b]
    back = sum(twice[i] == true[i] for i in moved) / len(moved)
    assert back == pytest.approx(1 - kept, abs=0.06)


def test_without_a_key_of_the_version_the_report_says_so():
    _, report = released(1, ("pram", STEPS["pram"]), version=None)
    assert any("drawn anew" in text for text in report["warnings"])
    assert released(1, NOISE, version=None)[1]["warnings"] == []
