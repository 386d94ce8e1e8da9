"""Classes with the risk of their rows, whichever way they were counted."""

import random

import numpy as np
import pytest

from tests.engine.uniqueness.rows import statistics_of_rows
from worker.engine.uniqueness.rated_classes import rated, risks_of


def random_rows(seed):
    draw = random.Random(seed)
    return [tuple(draw.choice("abc*") for _ in range(2)) for _ in range(draw.choice([1, 10, 50]))]


@pytest.mark.parametrize("seed", range(40))
def test_sizes_alone_give_what_classes_give(seed):
    """Weights of 1 say nothing new; but with them classes are looked at one by one."""
    rows = random_rows(seed)
    plain, weighted = (statistics_of_rows(rows, weights=one) for one in (None, [1] * len(rows)))
    first, second = (
        rated(one.tuples(names, persons=True, weights=True), names) for one, names in (plain, weighted)
    )
    assert (first.rows, first.suppressed_rows, first.total) == (
        second.rows,
        second.suppressed_rows,
        second.total,
    )
    assert first.expected == pytest.approx(second.expected, abs=1e-9)
    assert first.mean(first.risks) == pytest.approx(second.mean(second.risks))
    for bound in (0.05, 0.3, 0.9):
        assert first.share(first.risks > bound) == pytest.approx(second.share(second.risks > bound))


def test_weights_say_how_many_people_there_are():
    statistics, names = statistics_of_rows([("a",), ("b",), ("b",)], weights=[10, 4, 6])
    found = rated(statistics.tuples(names, persons=True, weights=True), names)
    assert found.population.tolist() == [10, 10]
    np.testing.assert_allclose(found.risks, [0.255842788, 0.149410130], atol=1e-8)
    classes, risks = risks_of(statistics.counts(names, persons=True, weights=True), names)
    assert classes.sizes.tolist() == [1, 2]
    assert risks.tolist() == found.risks.tolist()


def test_nothing_has_no_mean():
    statistics, names = statistics_of_rows([("a",)])
    found = rated(statistics.tuples(names).only(names), names)
    none = type(found)(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 3, 0, 0)
    assert (none.expected, none.mean(none.risks), none.share(none.risks > 0)) == (0.0, None, None)
