"""What noisy counts of columns and pairs still tell at an ε that people use: nothing measured is lost."""

import numpy as np
import pytest

from worker.engine.dp.counting import CellRows
from worker.engine.dp.tree_model import Prices, drawn_rows, grown
from worker.engine.dp.tryout import Pretence

ROWS = 20_000
SIZES = (2, 60, 5, 16, 40, 7)
EMPTY = (3, 400, 3, 250)


class Seeded(Pretence):
    """Noise that a test can repeat."""

    def __init__(self, seed):
        self._generator = np.random.default_rng(seed)


def people(sizes, rows=ROWS):
    """Columns that depend on one another and whose last categories hardly anybody or nobody has."""
    draw = np.random.default_rng(8)
    trait = draw.normal(size=rows)
    columns = []
    for at, size in enumerate(sizes):
        shown = trait * (at % 3) + draw.normal(size=rows)
        ranks = np.argsort(np.argsort(shown)) / rows
        columns.append(np.minimum((ranks**3 * size * 0.8), size - 1).astype(np.int32))
    return CellRows(tuple(columns), np.ones(rows, np.int64))


def distances(rows, counted, sizes):
    """Total variation of columns and of all pairs, each as a mean."""
    drawn = CellRows(tuple(rows), np.ones(len(rows[0]), np.int64))
    of_columns = [(a,) for a in range(len(sizes))]
    of_pairs = [(a, b) for a in range(len(sizes)) for b in range(a)]
    return [
        np.mean([np.abs(shares(drawn, sizes, one) - shares(counted, sizes, one)).sum() / 2 for one in some])
        for some in (of_columns, of_pairs)
    ]


def shares(counted, sizes, columns):
    found = counted.marginal(sizes, columns)
    return found / found.sum()


@pytest.mark.parametrize(("epsilon", "columns", "pairs"), [(1_000_000, 0.01, 0.06), (100_000, 0.08, 0.2)])
def test_columns_and_pairs_are_nearly_as_exact_as_the_noise_allows(epsilon, columns, pairs):
    counted, prices, found = people(SIZES), Prices(len(SIZES), 1, epsilon), []
    for seed in range(5):
        tree = grown(counted, SIZES, prices, Seeded(seed))
        rows = drawn_rows(tree, tree.rows, np.random.default_rng(seed))
        found.append(distances(rows, counted, SIZES))
    assert (np.mean(found, axis=0) <= (columns, pairs)).all(), np.mean(found, axis=0)


@pytest.mark.parametrize("epsilon", [1_000_000, 100_000])
@pytest.mark.parametrize("sizes", [SIZES, EMPTY])
def test_19_of_20_counts_lie_within_the_stated_error(sizes, epsilon):
    """Of all cells, of those that somebody is in, and of those with more people than the error."""
    counted, prices, inside, rounds = people(sizes), Prices(len(sizes), 1, epsilon), {}, 30
    for seed in range(rounds):
        tree = grown(counted, sizes, prices, Seeded(seed))
        rows = drawn_rows(tree, tree.rows, np.random.default_rng(seed))
        drawn = CellRows(tuple(rows), np.ones(tree.rows, np.int64))
        for error, tables in zip(tree.errors, ([(a,) for a in range(len(sizes))], tree.edges), strict=True):
            for table in tables:
                true = counted.marginal(sizes, table)
                held = np.abs(drawn.marginal(sizes, table) - true) <= error
                for what, some in {"all": true >= 0, "some": true > 0, "many": true > error}.items():
                    inside.setdefault((len(table), what), []).extend(held[some].tolist())
    assert len(inside) == 6
    assert all(np.mean(one) >= 0.95 for one in inside.values() if one)


def test_what_fitting_takes_from_counts_among_many_empty_ones_is_in_the_error():
    """The noise's own half-width alone would hold for far fewer."""
    sizes, rounds, held, bare = (3000,), 20, [], []
    counted = CellRows((np.repeat(np.arange(100), 200),), np.ones(20_000, np.int64))
    prices = Prices(1, 1, 100_000)
    for seed in range(rounds):
        tree = grown(counted, sizes, prices, Seeded(seed))
        off = np.abs(tree.alone[0][:100] - 200)
        held.append(off <= tree.errors[0])
        bare.append(off <= prices.alone.error())
    assert np.mean(held) >= 0.95 > 0.92 > np.mean(bare)


def test_an_error_is_not_stated_wider_than_the_noise_and_what_fitting_takes():
    prices = Prices(len(SIZES), 1, 1_000_000)
    tree = grown(people(SIZES), SIZES, prices, Seeded(1))
    assert prices.alone.error() <= tree.errors[0] <= 1.5 * prices.alone.error()
    assert prices.pairs.error() <= tree.errors[1] <= 1.5 * prices.pairs.error()


def test_what_was_measured_agrees():
    tree = grown(people(SIZES), SIZES, Prices(len(SIZES), 1, 300_000), Seeded(2))
    assert [one.sum() for one in tree.alone] == pytest.approx([tree.rows] * len(SIZES))
    for (a, b), pair in zip(tree.edges, tree.pairs, strict=True):
        assert np.abs(pair.sum(axis=1) - tree.alone[a]).sum() < 2.5
        assert np.abs(pair.sum(axis=0) - tree.alone[b]).sum() < 2.5
        assert pair.min() >= 0


def test_a_large_empty_pair_does_not_win_by_its_noise():
    """Two small columns that depend on each other, beside two large ones that hardly anybody is in."""
    draw = np.random.default_rng(3)
    small = draw.integers(0, 2, 5000)
    large = [np.minimum(draw.geometric(0.6, 5000), 299) for _ in range(2)]
    counted = CellRows((small, small.copy(), *large), np.ones(5000, np.int64))
    tree = grown(counted, (2, 2, 300, 300), Prices(4, 1, 500_000), Seeded(4))
    assert (0, 1) in tree.edges
    assert not {(2, 3), (3, 2)} & set(tree.edges)


def test_rows_are_drawn_as_often_as_their_counts_say():
    """Drawing adds no error of its own: each cell of a column is off by at most a row."""
    tree = grown(people((4,)), (4,), Prices(1, 1, 1_000_000), Seeded(5))
    drawn = np.bincount(drawn_rows(tree, 1000, np.random.default_rng(6))[0], minlength=4)
    assert np.abs(drawn - tree.alone[0] / tree.rows * 1000).max() < 1


def test_nobody_at_all():
    nobody = CellRows((np.zeros(0, np.int32),) * 2, np.zeros(0, np.int64))

    class Silent(Pretence):
        def noisy(self, counts, noise):
            return counts - 1

    tree = grown(nobody, (2, 3), Prices(2, 1, 1_000_000), Silent())
    assert tree.rows == 0
    assert [len(one) for one in drawn_rows(tree, 5, np.random.default_rng(1))] == [5, 5]
