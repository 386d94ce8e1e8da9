"""Shares of a class beside shares of the file, as whole numbers."""

from __future__ import annotations

import io

import numpy as np

from worker.engine.verification.grouping import Grouping
from worker.engine.verification.likelihood import shares, worst
from worker.engine.verification.released import Released


def test_counts_are_scaled_to_one_measure() -> None:
    released = Released(io.BytesIO(b"q,s\na,x\na,x\na,y\nb,y\n"))
    ((_, group),) = Grouping(released, ("q",), ("s",)).groups(lambda: None)
    seen = shares(group, released, "s")
    assert (seen.total, seen.file.tolist(), seen.sizes.tolist()) == (4, [2, 2, 0], [3, 1])
    assert seen.classes.tolist() == [0, 0, 1]
    assert seen.inside.tolist() == [2 * 4, 1 * 4, 1 * 4]  # count in the class x rows of the file
    assert seen.outside.tolist() == [2 * 3, 2 * 3, 2 * 1]  # count in the file x rows of the class


def test_the_largest_figure_of_each_class() -> None:
    assert worst(np.array([1.0, 5.0, 2.0]), np.array([0, 0, 2]), 3).tolist() == [5.0, 0.0, 2.0]
