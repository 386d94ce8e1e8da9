"""Charts of distributions single out no small group, however many values there are."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from worker.engine.marginals.distributions import FEWEST, SHOWN, shares_of
from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter as Tally
from worker.engine.tables.kinds import Kind

ROWS = st.dictionaries(st.sampled_from("abcdefghijklmnop*") | st.just(""), st.integers(1, 25))


def table_of(rows):
    """The frequency table of a column that holds each text so often."""
    texts = [text for text, times in rows.items() for _ in range(times)]
    tally = Tally([("x", Kind.TEXT)], None, None)
    tally.add({"x": Column.of_texts("x", texts)}, len(texts))
    return tally.table()


@given(ROWS, ROWS)
def test_the_most_frequent_are_shown_and_rare_ones_together(before, after):
    found = shares_of(table_of(before), table_of(after))
    old, new = Counter(before), Counter(after)
    if not new:
        assert found == []
        return
    often = [(n, text) for text, n in new.items() if n >= FEWEST and not 0 < old[text] < FEWEST]
    shown = [text for _, text in sorted(often, reverse=True)[:SHOWN]]
    assert [one["value"] for one in found if one["value"] != "(other)"] == [t or "(missing)" for t in shown]
    for one, text in zip(found, shown, strict=False):
        assert one["after"] == new[text] / new.total()
        assert one["before"] == (old[text] / old.total() if old else None)
    for side, rows in (("before", old), ("after", new)):
        assert not rows or np.isclose(sum(one[side] for one in found), 1.0)
