"""The closed forms that pages show, against OpenDP's own conversions and maps."""

import math
from decimal import Decimal

import opendp.prelude as dp
import pytest
from opendp import accuracy as opendp_accuracy

from worker.engine.dp import accuracy
from worker.engine.dp.accuracy import gaussian_noise, half_width, laplace_noise, shown_alone, threshold_for

dp.enable_features("contrib")
SCALES = (0.05, 0.3, 0.5, 1.0, 2.0, 3.7, 10.0, 1234.5)


def reach(conversion, scale: float, alpha: float) -> int:
    """The same half-width from OpenDP: the largest size that is exceeded with probability alpha."""
    return max(0, math.ceil(conversion(scale, alpha) - 1e-9) - 1)


@pytest.mark.parametrize("alpha", [0.05, 0.001, 1e-6])
@pytest.mark.parametrize("scale", SCALES)
def test_half_width_of_the_laplace_distribution(scale, alpha):
    expected = reach(opendp_accuracy.discrete_laplacian_scale_to_accuracy, scale, alpha)
    assert half_width("laplace", scale, alpha) == expected


@pytest.mark.parametrize("scale", SCALES[1:-1])
def test_half_width_of_the_gaussian_distribution(scale):
    expected = reach(opendp_accuracy.discrete_gaussian_scale_to_accuracy, scale, 0.05)
    assert half_width("gaussian", scale, 0.05) == expected


def test_half_width_of_a_wide_gaussian_is_the_continuous_one():
    below, above = (half_width("gaussian", s, 0.05) for s in (1999.0, 2001.0))
    assert 0 <= above - below <= 5


def test_all_cells_together():
    noise = laplace_noise(1, Decimal("0.5"))
    alone, together = noise.error(), noise.error(100)
    assert alone == 6
    each = 1 - 0.95 ** (1 / 100)
    assert together == reach(opendp_accuracy.discrete_laplacian_scale_to_accuracy, 2.0, each)


@pytest.mark.parametrize("delta", ["0.01", "0.000001", "0.000000000001"])
@pytest.mark.parametrize("epsilon", ["0.05", "1", "7.5"])
@pytest.mark.parametrize("squared", [1, 4, 27])
def test_the_gaussian_scale_is_what_opendp_accepts_and_hardly_more(squared, epsilon, delta):
    noise = gaussian_noise(squared, Decimal(epsilon), Decimal(delta))

    def found(scale):
        space = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.l2_distance(T=dp.f64)
        drawing = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale))
        return drawing.map(math.sqrt(squared)).epsilon(float(delta))

    assert found(noise.scale) <= float(epsilon) * (1 + 1e-9)
    assert found(noise.scale * 0.99) > float(epsilon)


@pytest.mark.parametrize("rows", [1, 3, 10])
@pytest.mark.parametrize("delta", ["0.01", "0.000001", "0.000000000001"])
def test_a_threshold_is_the_smallest_that_hides_one_person(rows, delta):
    for scale in (0.5, 1.0, 20.0):
        threshold = threshold_for(scale, rows, Decimal(delta))
        assert shown_alone(threshold, scale, rows) <= float(delta)
        assert threshold == rows + 1 or shown_alone(threshold - 1, scale, rows) > float(delta)


def test_opendp_counts_one_step_too_few_below_its_threshold():
    """Its function shows counts that reach the threshold, its map stops short of it: ours must be larger."""
    domain = dp.map_domain(dp.atom_domain(T=dp.String), dp.atom_domain(T=dp.i64))
    metric = dp.l01inf_distance(dp.absolute_distance(T=dp.i64))
    drawing = dp.m.make_laplace_threshold(domain, metric, scale=1.0, threshold=3)
    shown = drawing({str(i): 1 for i in range(20_000)})
    assert min(shown.values()) == 3
    assert drawing.map((1, 1, 1))[1] < len(shown) / 20_000
    assert shown_alone(3, 1.0, 1) == pytest.approx(len(shown) / 20_000, abs=0.015)


def test_what_a_count_must_reach_to_mean_something():
    assert accuracy.smallest_telling(6) == 7
    assert accuracy.tenth_accurate(6) == 60
