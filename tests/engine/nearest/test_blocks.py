"""Blocks of neighbours."""

import random

import numpy as np

from tests.engine.nearest.test_neighbours import cells
from worker.engine.nearest.blocks import Blocks


def test_blocks_hold_every_record_once_and_neighbours_together():
    draw = random.Random(1)
    records = cells(draw, 1000, 3)
    held = Blocks.of(records)
    assert sorted(held.order.tolist()) == list(range(1000))
    lows, highs, _ = held.boxes
    known = np.isfinite(lows)
    assert (highs - lows)[known].mean() < 0.8 * (records.numbers.max() - records.numbers.min())
