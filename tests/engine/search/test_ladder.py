"""A column's codes climb its hierarchy the same way, whether masked or looked up."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.engine.search import problems
from tests.engine.search.problems import domain
from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.search import ladder
from worker.engine.search.ladder import Ladder
from worker.engine.tables.declaration import HierarchySpec


@settings(max_examples=60, deadline=None)
@given(problems.tables(most_rows=2))
def test_fields_meet_where_labels_do(drawn: problems.Drawn) -> None:
    for levels in drawn.levels:
        for mask_bits in (ladder.MASK_BITS, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ladder, "MASK_BITS", mask_bits)
                made = Ladder.of_levels(levels)
                fields, width = made.fields, made.width
            assert len(set(fields.tolist())) == made.size
            assert int(fields.max()) < 1 << width or width == 0
            for level, values in enumerate(made.maps):
                climbed = (
                    fields >> np.uint64(made.first_bits[level])
                    if made.is_masked
                    else made.climbs[level][fields]
                )
                alike = climbed[:, None] == climbed[None, :]
                assert np.array_equal(alike, values[:, None] == values[None, :])
            assert np.array_equal(made.leaves[fields], np.arange(made.size))


def test_a_column_without_values_takes_no_room() -> None:
    empty = Ladder.of_codes(0, "q")
    assert (empty.size, empty.width, empty.rows) == (0, 0, 1.0)
    assert len(empty.fields) == 0


def test_a_value_that_is_a_label_of_another_branch_is_no_tree() -> None:
    """A star in the data has no row: it stays a star up to the root, beside the stars that become a p."""
    spec = HierarchySpec(lines=("a;*;p;x", "b;c;p;x"))
    with pytest.raises(EngineError, match="two different labels at level 2") as caught:
        Ladder.of_levels(levels_of(spec, domain("q", ["*", "a", "b"])))
    assert (caught.value.code, caught.value.param) == ("hierarchy-not-a-tree", "columns.q.hierarchy")
