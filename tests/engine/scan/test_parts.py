"""Tables that lie in parts: sets of few values are counted there too, the others are estimated."""

import numpy as np
import pytest

from tests.engine.scan.tables import tuples_of
from worker.engine.scan import cells, parts
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan

SIZES = {"a": 3000, "b": 40, "c": 6, "d": 2, "e": 1}


def _values():
    draw = np.random.default_rng(5)
    return {name: draw.integers(0, size, 6000).astype(str).tolist() for name, size in SIZES.items()}


@pytest.mark.parametrize(("room", "counted"), [(3000, 12), (300, 5), (0, 0)])
def test_what_lies_in_parts_is_counted_or_estimated_within_its_error(monkeypatch, room, counted):
    monkeypatch.setattr(parts, "SKETCHED", 256)
    monkeypatch.setattr(parts, "MOST_CELLS", room)
    monkeypatch.setattr(cells, "CELLS", 4000)
    monkeypatch.setattr(cells, "SHARED_CELLS", 100)
    given = _values()
    lying, whole = Table(tuples_of(given, most=500)), Table(tuples_of(given))
    assert not lying.is_exact
    assert lying.whole() == whole.whole()
    estimated, exact = scan(lying, 2), scan(whole, 2)
    assert estimated.error > 0 == exact.error
    assert sum(one == exact.sets[names] for names, one in estimated.sets.items()) == counted
    for names, one in exact.sets.items():
        guess = estimated.sets[names]
        assert guess.singled_out == pytest.approx(one.singled_out, abs=2 * guess.error + 1e-9)
        assert guess.separation in (None, one.separation)
