"""The thin layer over OpenDP: it refuses what costs more than requested, and never falls back."""

import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from worker.engine.dp.accuracy import Noise, gaussian_noise, laplace_noise, threshold_for
from worker.engine.dp.mechanisms import noisy, noisy_above, noisy_best
from worker.engine.errors import EngineError

ZEROS = np.zeros(3, np.int64)


@pytest.mark.parametrize(
    "noise",
    [
        Noise("laplace", 0.99, 1, Decimal(1)),
        Noise("laplace", 1.0, 2, Decimal(1)),
        Noise(
            "gaussian",
            gaussian_noise(1, Decimal(1), Decimal("0.001")).scale * 0.99,
            1,
            Decimal(1),
            Decimal("0.001"),
        ),
    ],
)
def test_noise_that_costs_more_than_requested_is_refused(noise):
    with pytest.raises(EngineError) as caught:
        noisy(ZEROS, noise)
    assert caught.value.code == "noise-too-small"


def test_a_threshold_below_the_requested_delta_is_refused():
    noise = Noise("laplace", 1.0, 1, Decimal(1), Decimal("0.01"))
    with pytest.raises(EngineError) as caught:
        noisy_above({"a": 1}, noise, 5, 1)
    assert caught.value.code == "noise-too-small"
    assert set(noisy_above({"many": 1000, "one": 1}, noise, 60, 1)) == {"many"}
    assert noisy_above({}, noise, 60, 1) == {}


@pytest.mark.parametrize("epsilon", ["0.1", "0.3", "0.7", "1.234567", "0.000001", "1000000"])
@pytest.mark.parametrize("change", [1, 3, 7, 49])
def test_every_epsilon_can_be_had_exactly(epsilon, change):
    assert noisy(ZEROS, laplace_noise(change, Decimal(epsilon))).dtype == np.int64


@pytest.mark.parametrize(
    ("rows", "epsilon", "delta"),
    [(1, "0.001", "1e-15"), (10, "1", "1e-14"), (1000, "0.001", "1e-12"), (1000, "0.01", "0.000000001")],
)
def test_a_threshold_leaves_room_for_what_the_sampler_rounds_up(rows, epsilon, delta):
    noise = replace(laplace_noise(rows, Decimal(epsilon)), delta=Decimal(delta))
    assert noisy_above({"a": 0}, noise, threshold_for(noise.scale, rows, noise.delta), rows) == {}


def test_no_counts_need_no_noise():
    assert len(noisy(ZEROS[:0], laplace_noise(1, Decimal(1)))) == 0


def test_the_best_score_is_found_when_it_stands_out():
    scores = [0, 3, 1000, 2]
    assert noisy_best(scores, 1, 2.0, Fraction(1), monotone=False) == 2
    assert noisy_best(scores, 1, 1.0, Fraction(1), monotone=True) == 2


def test_scores_that_are_not_monotone_need_the_factor_two():
    with pytest.raises(EngineError):
        noisy_best([1, 2], 1, 1.0, Fraction(1), monotone=False)


def test_without_opendp_the_run_fails_clearly(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(EngineError) as caught:
        noisy(ZEROS, laplace_noise(1, Decimal(1)))
    assert caught.value.code == "no-noise"
    assert "nothing weaker" in caught.value.message.lower()


def test_what_opendp_says_of_a_failure_stays_inside(monkeypatch):
    import opendp.prelude as dp

    def fails(*args, **kwargs):
        raise RuntimeError("count 4711")

    monkeypatch.setattr(dp.m, "make_laplace", fails)
    with pytest.raises(EngineError) as caught:
        noisy(ZEROS, laplace_noise(1, Decimal(1)))
    assert caught.value.code == "no-noise"
    assert "4711" not in str(caught.value.args)
    assert caught.value.__suppress_context__
