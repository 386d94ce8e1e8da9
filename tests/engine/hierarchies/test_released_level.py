"""The lowest level at which all released labels can stand."""

import numpy as np
import pytest

from tests.engine.measures.scenes import LINES
from worker.engine.hierarchies.released_level import labels_at_released_level
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind

SPEC = HierarchySpec(lines=tuple(LINES))


def domain(*texts):
    texts = sorted(texts)
    return Domain("x", Kind.CATEGORICAL, tuple(texts), np.array([not text for text in texts], bool))


@pytest.mark.parametrize(
    ("released", "before", "after"),
    [
        (["g0", "g1"], ["g0", "g0", "g1"], ["g0", "g1"]),
        (["*", "g0", "v2"], ["g0", "g0", "g1"], ["*", "g0", "g1"]),
        (["g0", "h0"], ["h0", "h0", "h0"], ["h0", "h0"]),
    ],
)
def test_both_sides_climb_to_it(released, before, after):
    assert labels_at_released_level(domain("v0", "v1", "v2"), domain(*released), SPEC) == (before, after)


@pytest.mark.parametrize(("released", "spec"), [(["g0"], None), (["v1", "*"], SPEC), (["g0", "else"], SPEC)])
def test_where_nothing_is_coarser_or_a_label_is_unknown_there_is_none(released, spec):
    assert labels_at_released_level(domain("v0", "v1"), domain(*released), spec) is None
