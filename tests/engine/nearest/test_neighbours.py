"""The nearest records are those that looking at every one finds."""

import random

import numpy as np
import pytest

from worker.engine.errors import Cancelled
from worker.engine.nearest.blocks import SIZE
from worker.engine.nearest.cells import Cells
from worker.engine.nearest.neighbours import nearest
from worker.engine.reporting import NullReporter, Reporter


def cells(draw: random.Random, rows: int, width: int, wide: float = 1.0) -> Cells:
    """Numbers of a coarse grid, some beyond the range, and more texts than there are bits in a word."""
    texts = [draw.choice([0, 2, 90]) for _ in range(width)]
    codes = np.array([[draw.randrange(one) if draw.random() < 0.3 and one else -1 for one in texts]
                      for _ in range(rows)], np.int32).reshape(rows, width)  # fmt: skip
    numbers = np.array([[draw.randrange(9) / 8 * wide for _ in texts] for _ in range(rows)])
    return Cells(np.where(codes < 0, numbers.reshape(rows, width), 0.0), codes)


def looked_at(rows: Cells, row: int, records: Cells, euclidean: bool) -> tuple[float, float, int, int]:
    found = []
    for at in range(len(records)):
        pairs = zip(rows.numbers[row], records.numbers[at], rows.codes[row], records.codes[at], strict=True)
        steps = [abs(x - y) if a == b else 1.0 for x, y, a, b in pairs]
        mean = sum(s * s if euclidean else s for s in steps) / len(steps)
        found.append(mean**0.5 if euclidean else mean)
    best, ordered = min(found), sorted(found)
    tied = [at for at, one in enumerate(found) if one <= best + 1e-9]
    return best, ordered[1] if len(ordered) > 1 else np.inf, len(tied), tied[0]


@pytest.mark.parametrize("seed", range(40))
def test_every_record_is_as_good_as_looked_at(seed):
    draw = random.Random(seed)
    width = draw.randrange(1, 6)
    records = cells(draw, draw.choice([1, 2, SIZE, 3 * SIZE + 1, 200]), width)
    strangers, copies = cells(draw, 20, width, 3.0), records.take(slice(0, 5))
    rows = Cells(
        np.concatenate([strangers.numbers, copies.numbers]), np.concatenate([strangers.codes, copies.codes])
    )
    for distance in ("gower", "euclidean"):
        found = nearest(rows, records, NullReporter(), distance)
        for at in range(len(rows)):
            best, second, tied, first = looked_at(rows, at, records, distance == "euclidean")
            assert (found.first[at], found.second[at]) == pytest.approx((best, second), abs=1e-9)
            assert (found.tied[at], found.where[at]) == (tied, first)
        assert found.identical[20:].all()
        assert (found.ratio[20:] == 0).all() or len(records) == 1


def test_the_ratio_is_nothing_on_a_record_and_unknown_beside_a_single_one():
    rows = Cells(np.array([[0.5], [0.0]]), np.full((2, 1), -1, np.int32))
    two = Cells(np.array([[0.0], [1.5]]), np.full((2, 1), -1, np.int32))
    assert nearest(rows, two, NullReporter()).ratio.tolist() == [0.5, 0.0]
    assert np.isnan(nearest(rows, two.take(slice(0, 1)), NullReporter()).ratio).all()


def test_the_work_stops_when_it_is_cancelled():
    some = cells(random.Random(1), 50, 2)

    def stop():
        raise Cancelled

    with pytest.raises(Cancelled):
        nearest(some, some, Reporter(cancelled=stop))
