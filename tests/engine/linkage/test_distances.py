"""Nearest points against all distances."""

import numpy as np
import pytest

from worker.engine.linkage.distances import nearest_standings


@pytest.mark.parametrize("seed", range(60))
def test_nearest_points_are_those_of_all_distances(seed):
    """Whole numbers make many ties, of points that stand for several rows and of others as far away."""
    draw = np.random.default_rng(seed)
    size, width, most = int(draw.integers(1, 40)), int(draw.integers(1, 4)), int(draw.integers(1, 5))
    points = np.unique(draw.integers(0, 5, (size, width)), axis=0).astype(float) * 0.1
    counts = draw.integers(1, 4, len(points))
    targets = draw.integers(0, 5, (size, width)) * 0.1
    own = points[draw.integers(0, len(points), size)]
    there = draw.random(size) < 0.9
    found = nearest_standings(points, counts, targets, own, there, most)
    for target in range(size):
        far = np.sqrt(((points - targets[target]) ** 2).sum(axis=1))
        mine = np.sqrt(((own[target] - targets[target]) ** 2).sum())
        less = int(counts[far < mine - 1e-9].sum())
        assert found[target, 0] == (min(less, most) if there[target] else most)
        if there[target] and less < most:
            assert found[target, 1] == counts[np.abs(far - mine) <= 1e-9].sum()
