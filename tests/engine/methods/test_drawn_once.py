"""Randomized answers of the same data are the same in every file: drawn anew they average out."""

from collections import Counter

import pytest

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.randomness import key_from_seed

ANSWERS = ("no", "yes")
ROWS = [{"answer": ANSWERS[i % 3 == 0], "age": str(20 + i % 50)} for i in range(3000)]
TRUE = [row["answer"] for row in ROWS]
COLUMNS = {"answer": {"role": "sensitive", "categories": list(ANSWERS)}, "age": {"role": "quasi-identifier"}}
VERSION, OTHER = key_from_seed(7), key_from_seed(8)
STEPS = {
    "randomized-response": {"column": "answer", "epsilon": "1"},
    "pram": {"column": "answer", "keep": 0.7},
}
NOISE = ("noise", {"column": "age", "amount": 0.1})
NOTHING = ("pram", {"column": "answer", "keep": 1.0})
TURNED = tuple(reversed(ANSWERS))
OWN = ((0.7, 0.3), (0.3, 0.7))


def released(seed, *steps, version=VERSION, columns=COLUMNS):
    file, report = run(
        recipe_of(columns, [], list(steps), []),
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
    assert released(9, step, NOISE)[0] == first, "in whatever order"
    assert released(9, NOTHING, step)[0] == first, "after a step that changed nothing"
    assert report["warnings"] == []


def share_recovered(steps, version):
    """How many answers the commonest one of all files gives back."""
    files = [released(seed, step, version=version)[0] for seed, step in enumerate(steps)]
    commonest = [Counter(one).most_common(1)[0][0] for one in zip(*files, strict=True)]
    return sum(a == b for a, b in zip(commonest, TRUE, strict=True)) / len(TRUE)


@pytest.mark.parametrize("step", STEPS.items(), ids=STEPS)
def test_forty_runs_tell_no_more_than_one(step):
    """With a key of its own for each, the commonest answer of each person is nearly always the true one."""
    once = share_recovered([step], VERSION)
    assert once < 0.8
    assert share_recovered([step] * 40, VERSION) == once
    assert share_recovered([step] * 40, None) >= 0.95


def test_forty_promises_tell_no_more_than_the_strongest():
    """Every run is a little different, in its way or in what it keeps; independent draws give all away."""
    steps = [
        ("randomized-response", {"column": "answer", "epsilon": f"{1 - n / 100:.4f}"}) for n in range(40)
    ]
    steps[20:] = [("pram", {"column": "answer", "keep": round(0.73 - n / 1000, 4)}) for n in range(20)]
    assert share_recovered(steps, VERSION) <= share_recovered(steps[:1], VERSION) + 0.02
    assert share_recovered(steps, None) >= 0.95


@pytest.mark.parametrize(
    "step",
    [
        ("pram", {"column": "answer", "keep": 0.7, "categories": TURNED}),
        ("pram", {"column": "answer", "categories": ANSWERS, "matrix": OWN}),
        ("pram", {"column": "answer", "categories": TURNED, "matrix": OWN}),
        ("pram", {"column": "answer", "keep": 0.7, "groups": (ANSWERS,)}),
        ("pram", {"column": "answer", "keep": 0.7, "strata": ("age",)}),
        ("randomized-response", {"column": "answer", "keep": 0.7}),
        ("randomized-response", {"column": "answer", "keep": 0.7, "categories": TURNED}),
    ],
)
def test_the_same_law_written_otherwise_draws_the_same(step):
    first, report = released(1, ("pram", STEPS["pram"]))
    again, other = released(2, step)
    assert again == first
    assert report["steps"][0]["draws"] == other["steps"][0]["draws"]


def test_the_order_in_which_categories_are_declared_changes_nothing():
    turned = {**COLUMNS, "answer": {**COLUMNS["answer"], "categories": list(TURNED)}}
    step = ("randomized-response", {"column": "answer", "epsilon": "1"})
    assert released(1, step, columns=turned)[0] == released(2, step)[0]


def test_almost_the_same_promise_gives_almost_the_same_answers():
    one, other = (
        released(1, ("randomized-response", {"column": "answer", "epsilon": epsilon}))[0]
        for epsilon in ("1.0", "1.0001")
    )
    assert sum(a != b for a, b in zip(one, other, strict=True)) <= 3


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
    kept = sum(a == b for a, b in zip(once, TRUE, strict=True)) / len(TRUE)
    kept_again = sum(a == b for a, b in zip(twice, once, strict=True)) / len(TRUE)
    assert kept_again == pytest.approx(kept, abs=0.04)
    moved = [i for i, (a, b) in enumerate(zip(once, TRUE, strict=True)) if a != b]
    back = sum(twice[i] == TRUE[i] for i in moved) / len(moved)
    assert back == pytest.approx(1 - kept, abs=0.06)


def test_without_a_key_of_the_version_the_report_says_so():
    _, report = released(1, ("pram", STEPS["pram"]), version=None)
    assert any("drawn anew" in text for text in report["warnings"])
    assert "draws" not in report["steps"][0]
    assert released(1, NOISE, version=None)[1]["warnings"] == []
