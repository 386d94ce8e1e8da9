"""What steps declare of how they move values, held against what they do."""

import random

import numpy as np
import pytest

from tests.engine.measures.scenes import Case, statistics_of
from worker.engine.contracts.channels import AddedNoise, Channels, RankWindow, Transitions
from worker.engine.contracts.traces import Trace
from worker.engine.methods.correlated_noise import CorrelatedNoise
from worker.engine.methods.generalization import Generalization
from worker.engine.methods.noise import Noise
from worker.engine.methods.pram import Pram
from worker.engine.methods.randomized_response import RandomizedResponse
from worker.engine.methods.rank_swapping import RankSwapping
from worker.engine.randomness import Source, key_from_seed
from worker.engine.reporting import NullReporter

ROWS = 20_000
ALPHA = 6.2
COLUMNS = {
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "pay": {"role": "quasi-identifier", "kind": "decimal"},
}


@pytest.fixture(scope="module")
def statistics():
    draw = random.Random(1)
    ages = [draw.randrange(100) for _ in range(ROWS)]
    before = {
        "town": [draw.choice("aabc") for _ in range(ROWS)],
        "age": [str(age) for age in ages],
        "pay": [f"{50 * age + draw.gauss(0, 400):.2f}" for age in ages],
    }
    return statistics_of(before, Case(COLUMNS, before, before), [True] * ROWS, True)


def released(statistics, method, names):
    """The original and released rows of some columns."""
    source = Source(key_from_seed(3)).for_step("a step")
    plan = method.plan(statistics, (), source, NullReporter())
    whole = statistics.table(("town", "age", "pay"))
    after = method.transform(whole, plan, source)
    return [(whole[name], after[name]) for name in names]


@pytest.mark.parametrize(
    "method",
    [
        Pram(column="town", keep=0.6),
        Pram(column="town", keep=0.6, invariant=True),
        Pram(
            column="town", categories=("a", "b", "c"), matrix=((0.8, 0.2, 0), (0, 0.5, 0.5), (0.1, 0.1, 0.8))
        ),
        RandomizedResponse(column="town", categories=("a", "b", "c", "d")),
    ],
)
def test_categories_move_as_the_declared_matrix_says(statistics, method):
    channel = method.channels(statistics)["town"]
    assert isinstance(channel, Transitions)
    assert channel.rows.sum(axis=1) == pytest.approx(1.0)
    ((was, became),) = released(statistics, method, ["town"])
    was, became = np.array(was.texts()), np.array(became.texts())
    for i, one in enumerate(channel.categories):
        rows = np.count_nonzero(was == one)
        for j, other in enumerate(channel.categories):
            chance = channel.rows[i, j]
            found = np.count_nonzero((was == one) & (became == other))
            assert abs(found - rows * chance) <= ALPHA * np.sqrt(rows * chance * (1 - chance)) + 1e-6


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "uniform"])
@pytest.mark.parametrize("mode", ["additive", "multiplicative"])
def test_numbers_move_by_the_declared_deviation(statistics, distribution, mode):
    method = Noise(column="pay", amount=0.2, distribution=distribution, mode=mode)
    check_noise(statistics, method, ["pay"])
    assert method.channels(statistics)["pay"].shape == distribution


@pytest.mark.parametrize("keep", [True, False])
def test_correlated_noise_declares_what_each_column_gets(statistics, keep):
    check_noise(
        statistics, CorrelatedNoise(columns=("age", "pay"), share=0.3, keep_covariance=keep), ["age", "pay"]
    )


def check_noise(statistics, method, names):
    for name, (was, became) in zip(names, released(statistics, method, names), strict=True):
        channel = method.channels(statistics)[name]
        assert isinstance(channel, AddedNoise)
        away = became.numbers - channel.factor * was.numbers - channel.shift
        if channel.relative:
            away = away[was.numbers != 0] / was.numbers[was.numbers != 0]
        assert abs(away.mean()) < ALPHA * channel.deviation / np.sqrt(ROWS)
        assert away.std() == pytest.approx(channel.deviation, rel=0.05)


def test_ranks_move_within_the_declared_window(statistics):
    method = RankSwapping(columns=("pay",), percent=2)
    assert method.channels(statistics) == {"pay": RankWindow(0.02)}


def test_a_robust_covariance_and_the_matrices_of_strata_are_not_published(statistics):
    assert CorrelatedNoise(columns=("age", "pay"), robust=True).channels(statistics) == {}
    strata = Pram(column="town", invariant=True, strata=("age",))
    assert strata.channels(statistics) == {}


def test_a_mechanism_is_known_where_one_step_alone_moved_a_column(statistics):
    noise, more, pram = Noise(column="age"), CorrelatedNoise(columns=("age", "pay")), Pram(column="town")
    coarser = Generalization()
    assert coarser.leaves(statistics.schema)["town"] is Trace.COARSER
    known = Channels((pram, coarser), statistics)
    assert isinstance(known.of("town"), Transitions)
    assert known.of("age") is None
    twice = Channels((noise, more), statistics)
    assert twice.of("age") is None
    assert isinstance(twice.of("pay"), AddedNoise)
    assert Channels().of("age") is None
