"""Tables that are held whole, and such as lie in parts."""

import numpy as np
import pytest

from tests.engine.scan.tables import tuples_of
from worker.engine.scan import counting
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan


def test_what_lies_in_parts_is_estimated_within_its_error(monkeypatch):
    draw = np.random.default_rng(5)
    number = 6000
    sizes = {"a": 3000, "b": 40, "c": 6, "d": 2, "e": 1}
    values = {name: draw.integers(0, size, number).astype(str).tolist() for name, size in sizes.items()}
    monkeypatch.setattr(counting, "SKETCHED", 256)
    parts, whole = Table(tuples_of(values, most=500)), Table(tuples_of(values))
    assert not parts.is_exact
    assert parts.whole() == whole.whole()
    estimated, counted = scan(parts, 2), scan(whole, 2)
    assert estimated.error > 0 == counted.error
    for names, one in counted.sets.items():
        guess = estimated.sets[names]
        assert guess.singled_out == pytest.approx(one.singled_out, abs=2 * guess.error + 1e-9)
        assert guess.separation is None
