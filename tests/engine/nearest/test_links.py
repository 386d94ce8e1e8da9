"""Lists brought together by the nearest row."""

import numpy as np

from worker.engine.nearest.cells import NUMBER, Cells
from worker.engine.nearest.links import linked
from worker.engine.reporting import NullReporter


def numbers(*rows: tuple[float, float]) -> Cells:
    return Cells(np.array(rows), np.full((len(rows), 2), NUMBER, np.int32))


def test_the_same_row_links_and_several_link_in_part():
    released = numbers((0.0, 0.0), (1.0, 1.0), (1.0, 2.0))
    targets = numbers((0.1, 0.1), (0.9, 0.9), (0.1, 1.9))
    assert linked(targets, released, [0], [1], NullReporter()).tolist() == [1.0, 0.5, 0.0]
