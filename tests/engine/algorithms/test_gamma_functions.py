"""Derivatives of ln Γ against closed forms and the library's own."""

import math

import numpy as np
import pytest
from scipy import special

from worker.engine.algorithms.gamma_functions import log_binomial, polygamma


def test_closed_forms():
    digamma, trigamma = polygamma(np.array([1.0, 0.5]))
    euler = 0.5772156649015329
    assert digamma == pytest.approx([-euler, -euler - 2 * math.log(2)], rel=1e-13)
    assert trigamma == pytest.approx([math.pi**2 / 6, math.pi**2 / 2], rel=1e-13)


def test_equals_the_library_over_fourteen_decades():
    x = np.logspace(-6, 8, 300)
    digamma, trigamma = polygamma(x)
    assert digamma == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-14)
    assert trigamma == pytest.approx(special.polygamma(1, x), rel=1e-12)


def test_choices():
    assert math.exp(log_binomial(52, 5)) == pytest.approx(2_598_960)
