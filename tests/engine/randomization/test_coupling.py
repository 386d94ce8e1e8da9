"""Draws of a version: exactly the law that was asked for, and together no more than the strongest of them."""

from fractions import Fraction
from functools import partial
from math import exp

import numpy as np
import pytest

from tests.engine.methods.judging import fits
from worker.engine.randomization import coupling_kernel, transition
from worker.engine.randomization.coupling import WORD, Coupling, Row, drawn_one, last_moment, rows_of
from worker.engine.randomization.coupling_kernel import cell_word, drawn
from worker.engine.randomness import Source, fresh_key, key_from_seed
from worker.engine.tables.table import Chunk

NAMES = ("a", "b", "c")
ROWS = 60_000
VERSION = key_from_seed(1)
SKEW = [[7, 2, 1], [1, 8, 1], [1, 2, 7]]
OWN = [[5, 5, 0], [0, 9, 1], [2, 2, 6]]
FORGETS = [[2, 3, 5], [2, 3, 5], [2, 3, 5]]


def alike(keep, size=3):
    return transition.uniform(Fraction(keep), [list(range(size))], size)


def draws(weights, source, names=NAMES, rows=ROWS, first_row=0):
    made = Coupling.of([weights], names)
    codes = (np.arange(first_row, first_row + rows) % len(names)).astype(np.int32)
    straight = np.arange(len(names), dtype=np.int32)
    found, counts = drawn(made, made.keys(source, "x"), codes, straight, Chunk([], first_row, rows))
    assert counts.tolist() == np.bincount(found, minlength=len(names)).tolist()
    return codes, found


def version(key=VERSION):
    """What runs on a version draw from: the same each time, so that no judgement is a matter of luck."""
    return Source(fresh_key(), version_key=key)


def test_words_are_those_of_the_published_function():
    """Entry 8 of the authors' list for SipHash-2-4."""
    low, high = np.frombuffer(bytes(range(16)), np.uint64)
    message = np.uint64(int.from_bytes(bytes(range(8)), "little"))
    assert int(coupling_kernel._word(low, high, message)) == 0x93F5F5799A932462


@pytest.mark.parametrize("weights", [alike("0.6"), alike("0.2"), alike("1/3"), SKEW, OWN, FORGETS])
def test_the_law_that_was_asked_for_is_drawn(weights):
    codes, found = draws(weights, version())
    for i, row in enumerate(weights):
        assert fits(np.bincount(found[codes == i], minlength=3), np.array(row) / sum(row))
    wrong = np.roll(np.array(weights, float), 1, axis=1)
    if wrong.tolist() != weights and weights != FORGETS:
        assert not all(
            fits(np.bincount(found[codes == i], minlength=3), wrong[i] / wrong[i].sum()) for i in range(3)
        )


@pytest.mark.parametrize("weights", [alike("0.6"), alike("0.2"), SKEW, OWN, FORGETS])
def test_the_probabilities_of_a_row_are_exact(weights):
    for i, row in enumerate(rows_of(weights, NAMES)):
        first, then = (dict(_shares(one)) for one in (row.at_first, row.forgotten))
        left = 1 - sum(first.values())
        exact = [first.get(j, 0) + left * then.get(j, 0) for j in range(3)]
        assert exact == [Fraction(weight, sum(weights[i])) for weight in weights[i]]


def _shares(cumulated):
    before = Fraction(0)
    for cell, share in cumulated:
        yield cell, share - before
        before = share


@pytest.mark.parametrize("weights", [alike("0.6"), SKEW, OWN, FORGETS])
def test_the_loop_draws_what_exact_numbers_draw(weights):
    source = version()
    codes, found = draws(weights, source, rows=3000)
    made = Coupling.of([weights], NAMES)
    keys = made.keys(source, "x")
    plain = [drawn_one(made.row(c), partial(cell_word, keys[c], at)) for at, c in enumerate(codes.tolist())]
    assert found.tolist() == plain


def test_a_word_on_a_threshold_is_continued():
    third = Row(((0, Fraction(1, 3)), (1, Fraction(1))))
    words = {0: WORD // 3, 4096: 0}
    assert drawn_one(third, words.__getitem__) == 0
    assert drawn_one(third, {**words, 4096: WORD - 1}.__getitem__) == 1
    assert drawn_one(third, {0: WORD - 1}.__getitem__) == 1
    with pytest.raises(ValueError, match="no words left"):
        drawn_one(third, lambda number: WORD // 3)
    with pytest.raises(ValueError, match="sum to 1"):
        drawn_one(Row(((0, Fraction(1, 3)),)), lambda number: WORD - 1)


def test_the_loop_leaves_words_on_a_threshold_to_exact_numbers(monkeypatch):
    monkeypatch.setattr(
        coupling_kernel,
        "_draw",
        lambda *given: given[-1].__setitem__(slice(None), coupling_kernel.ON_A_THRESHOLD),
    )
    source = version()
    monkeypatched = draws(alike("0.6"), source, rows=500)[1]
    monkeypatch.undo()
    assert monkeypatched.tolist() == draws(alike("0.6"), source, rows=500)[1].tolist()


def test_a_piece_draws_what_the_whole_draws():
    source = version()
    whole = draws(SKEW, source)[1]
    assert draws(SKEW, source, rows=1000, first_row=31_000)[1].tolist() == whole[31_000:32_000].tolist()


def test_where_nothing_is_kept_the_moment_is_the_last():
    assert last_moment(0.0, lambda number: WORD // 2) == 2000
    assert last_moment(0.3, lambda number: WORD // 2) == 1
    assert last_moment(0.2, lambda number: WORD // 2) == 2


def test_laws_written_otherwise_draw_alike():
    source = version()
    found = draws(alike("0.7"), source)[1]
    stated = transition.stated([[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]])
    assert draws(stated, source)[1].tolist() == found.tolist()
    turned = draws(alike("0.7"), source, names=("c", "b", "a"))
    names, other = np.array(["c", "b", "a"]), np.array(NAMES)
    same = turned[0] == 1  # rows whose category has the same name in both orders
    assert names[turned[1][same]].tolist() == other[found[same]].tolist()
    wider = [[*row, 0] for row in stated] + [[0, 0, 0, 5]]
    straight, made = np.arange(4, dtype=np.int32), Coupling.of([wider], (*NAMES, ""))
    codes = (np.arange(ROWS) % 3).astype(np.int32)
    again, _ = drawn(made, made.keys(source, "x"), codes, straight, Chunk([], 0, ROWS))
    assert again.tolist() == found.tolist(), "a category that stays by itself changes nothing"


def test_weaker_laws_randomize_stronger_ones_further():
    """What a weak promise shows depends on the original only through what a stronger one shows."""
    source = version()
    strong, weak = alike("0.7"), alike("0.5")
    codes, first = draws(strong, source, rows=4 * ROWS)
    second = draws(weak, source, rows=4 * ROWS)[1]
    kept = (Fraction(1, 2) - Fraction(1, 4)) / (Fraction(7, 10) - Fraction(3, 20))
    share = float(kept + (1 - kept) / 3)
    step = np.full((3, 3), (1 - share) / 2) + np.eye(3) * (share - (1 - share) / 2)
    for true in range(3):
        for shown in range(3):
            at = (codes == true) & (first == shown)
            assert fits(np.bincount(second[at], minlength=3), step[shown]), "whatever the original is"


def test_outcomes_that_agree_as_often_as_possible_would_tell_the_original():
    """The twin with one uniform number for all laws: where two outcomes differ, the original is known."""
    rng = np.random.default_rng(1)
    codes, number = np.arange(ROWS) % 2, rng.random(ROWS)
    p, q = exp(1) / (1 + exp(1)), exp(0.5) / (1 + exp(0.5))
    first = np.where(codes == 0, number >= p, number >= 1 - p)
    second = np.where(codes == 0, number >= q, number >= 1 - q)
    differ = first != second
    assert differ.any()
    assert (first[differ] == codes[differ]).all()


@pytest.mark.parametrize("other", [SKEW, OWN, [[5, 5, 0], [5, 5, 0], [0, 0, 1]]])
def test_other_laws_are_drawn_apart(other):
    """Given the original, what one shows tells nothing of what the other shows: their promises add up."""
    source = version()
    codes, first = draws(alike("0.5"), source, rows=4 * ROWS)
    second = draws(other, source, rows=4 * ROWS)[1]
    for true in range(3):
        for shown in range(3):
            at = (codes == true) & (first == shown)
            assert fits(np.bincount(second[at], minlength=3), np.array(other[true]) / sum(other[true]))


def test_another_category_in_the_same_cell_is_drawn_apart():
    """A step before may have changed the cell: shared draws would show both where they differ."""
    source = version()
    made = Coupling.of([alike("0.5")], NAMES)
    straight, keys = np.arange(3, dtype=np.int32), made.keys(source, "x")
    first, second = (
        drawn(made, keys, np.full(ROWS, code, np.int32), straight, Chunk([], 0, ROWS))[0] for code in (0, 1)
    )
    for shown in range(3):
        assert fits(np.bincount(second[first == shown], minlength=3), [0.25, 0.5, 0.25])


def test_the_label_tells_families_apart_and_nothing_without_the_key():
    key = key_from_seed(3)
    source = version(key)

    def label(weights, names=NAMES, column="x", source=source):
        return Coupling.of([weights], names).label(source, column)

    same = label(alike("0.7"))
    assert (
        same
        == label(alike("0.6"))
        == label(alike("0.7"), ("b", "c", "a"))
        == label(alike("0.7"), source=version(key))
    )
    others = [label(SKEW), label(OWN), label(alike("0.7"), column="y"), label(alike("0.7"), ("a", "b", "d"))]
    others += [
        label(alike("0.7"), source=version()),
        label(alike("0.7"), source=source.for_step(1, earlier=1)),
    ]
    assert len({same, *others}) == 7
    assert label(alike("0.7"), source=Source(fresh_key())) is None
    two = Coupling.of([SKEW, alike("0.7")], NAMES)
    assert two.label(source, "x", ("sex",)) != two.label(source, "x", ("region",))
    assert Coupling.of([SKEW, SKEW], NAMES).label(source, "x", ("sex",)) == label(SKEW)
