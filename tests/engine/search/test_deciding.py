"""Classes added up piece by piece are those of the table held whole."""

import tracemalloc
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.search import problems
from worker.engine.goals.average_risk import AverageRisk
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.search import deciding
from worker.engine.search.judging import Judge
from worker.engine.search.outcome import Explored, Outcome
from worker.engine.tables import frequency
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data(), problems.tables(), st.integers(1, 5), st.booleans())
def test_pieces_and_the_whole_decide_alike(data, drawn, k, drop):
    judge = Judge([KAnonymity(k=k)], 0, drop)
    node = tuple(data.draw(st.integers(0, one.height)) for one in drawn.levels)
    given = (drawn.table, drawn.levels, node, judge)
    with patch.object(frequency, "TUPLES_AT_ONCE", 3):
        pieces = deciding.decided(*given)
    with patch.object(Judge, "sizes_only", lambda self, table: False):
        whole = deciding.decided(*given)
    assert np.array_equal(pieces.suppressed, whole.suppressed)
    assert pieces.packer.sizes == whole.packer.sizes
    for name in ("suppressed_rows", "classes", "smallest"):
        assert getattr(pieces, name) == getattr(whole, name)


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(problems.tables())
def test_goals_about_more_than_sizes_see_the_whole_table(drawn):
    node = tuple(one.height for one in drawn.levels)
    with patch.object(deciding, "_sizes") as never:
        deciding.decided(drawn.table, drawn.levels, node, Judge([AverageRisk(limit=0.5)], 0, False))
    never.assert_not_called()


def peak_of(table, levels, node):
    tracemalloc.start()
    try:
        return deciding.decided(table, levels, node, Judge([KAnonymity(k=5)], 0, False)), (
            tracemalloc.get_traced_memory()[1]
        )
    finally:
        tracemalloc.stop()


def test_a_table_of_many_tuples_is_not_copied():
    """A hundred values each in three columns, all combinations; at the top there are eight classes."""
    texts = tuple(f"{value:02d}" for value in range(100))
    lines = tuple(f"{text};{'ab'[text < '50']}" for text in texts)
    domains = [Domain(name, Kind.CATEGORICAL, texts, np.zeros(100, bool)) for name in "xyz"]
    levels = [levels_of(HierarchySpec(lines=lines), domain) for domain in domains]
    codes = [part.reshape(-1).astype(np.int32) for part in np.indices((100, 100, 100))]
    table = FrequencyTable(tuple(domains), tuple(codes), np.ones(1_000_000, np.int64))
    with patch.object(frequency, "TUPLES_AT_ONCE", 50_000):
        pieces, little = peak_of(table, levels, (1, 1, 1))
    with patch.object(Judge, "sizes_only", lambda self, table: False):
        whole, much = peak_of(table, levels, (1, 1, 1))
    assert pieces.classes == whole.classes == 8
    assert little < table.counts.nbytes < much


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(problems.tables(), st.integers(1, 3))
def test_listed_nodes_are_rated_the_best_first(drawn, most):
    judge, bottom = Judge([KAnonymity(k=1)], 0, False), tuple(0 for _ in drawn.levels)
    top = tuple(one.height for one in drawn.levels)
    listed = [Explored(top, True, 0, 0.5), Explored(bottom, True, 0, None), Explored(bottom, False, 1, 0.1)]
    outcome = Outcome(2, explored=listed)
    with patch.object(deciding, "MOST_RATED", most):
        found = deciding.rated(drawn.table, drawn.levels, outcome, judge)
    assert list(found) == list(dict.fromkeys([top, bottom][:most]))
    for node, rating in found.items():
        one = deciding.decided(drawn.table, drawn.levels, node, judge)
        assert rating == (one.classes, one.smallest, one.size)
    with patch.object(deciding, "MOST_TUPLES", len(drawn.table) - 1):
        assert deciding.rated(drawn.table, drawn.levels, outcome, judge) == {}
