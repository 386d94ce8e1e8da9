"""Nobody counts with more rows than the bound, and nobody's rows decide about another person's."""

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.dp.cells import Cells
from worker.engine.dp.counting import WORTHWHILE, bounded_counts, tally
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

KEY = bytes(range(32))
LABELS = ("a", "b", "c")
rows_of_people = st.lists(st.tuples(st.sampled_from("pqrs"), st.sampled_from("abcd")), max_size=40)


def counted(rows, bound, *, unknown=False, key=KEY, pieces=1):
    """Declared and undeclared counts of (person, cell) rows."""
    cuts = np.array_split(np.arange(len(rows)), pieces)
    chunks = []
    for cut in cuts:
        some = [rows[i] for i in cut]
        chunks.append(
            Table(
                [Column.of_texts("who", [p for p, _ in some]), Column.of_texts("cell", [c for _, c in some])],
                0,
                len(some),
            )
        )
    found = bounded_counts(chunks, [Cells("cell", LABELS)], "who", key, bound, unknown)
    return Counter(dict(zip(LABELS, found.cells.tolist(), strict=True))) + Counter(
        {k[0]: v for k, v in found.unknown.items()}
    )


def distance(one, other):
    return sum(abs(one[cell] - other[cell]) for cell in {*one, *other})


@settings(max_examples=150, deadline=None)
@given(rows_of_people, st.integers(1, 4), st.booleans(), st.integers(1, 3))
def test_taking_one_person_away_moves_the_counts_by_at_most_the_bound(rows, bound, unknown, pieces):
    everybody = counted(rows, bound, unknown=unknown)
    assert everybody == counted(list(reversed(rows)), bound, unknown=unknown, pieces=pieces)
    for person in "pqrs":
        others = [row for row in rows if row[0] != person]
        without = counted(others, bound, unknown=unknown)
        assert distance(everybody, without) <= bound
        assert not without - everybody


@settings(max_examples=50, deadline=None)
@given(rows_of_people)
def test_a_generous_bound_counts_every_row(rows):
    assert counted(rows, 1000, unknown=True) == Counter(cell for _, cell in rows)


def test_a_person_with_a_thousand_rows_counts_as_often_as_allowed():
    rows = [("p", "a")] * 1000 + [("q", "b")]
    assert counted(rows, 3) == {"a": 3, "b": 1}


def test_rows_without_a_person_are_nobodys():
    assert counted([("", "a"), ("", "b"), ("p", "c")], 5) == {"c": 1}


def test_which_rows_are_kept_depends_on_the_key_and_is_fair():
    rows = [("p", cell) for cell in "abc" for _ in range(4)]
    kept: Counter[str] = Counter()
    for number in range(600):
        kept += counted(rows, 1, key=number.to_bytes(32, "big"))
    assert sum(kept.values()) == 600
    assert all(140 < kept[cell] < 260 for cell in LABELS)


def test_rows_outside_every_cell_do_not_use_up_the_bound():
    rows = [("p", "zzz")] * 50 + [("p", "a")]
    assert counted(rows, 1) == {"a": 1}


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize(("size", "kind"), [(14, np.int32), (256, np.int64), (300, np.int32), (2, np.uint8)])
def test_codes_are_tallied(size, kind, loaded, monkeypatch):
    from worker.engine.kernels import loading  # noqa: F401 - its presence decides how is counted

    if not loaded:
        monkeypatch.delitem(sys.modules, "worker.engine.kernels.loading")
    codes = np.random.default_rng(1).integers(0, size, WORTHWHILE + 3).astype(kind)
    assert tally(codes, size).tolist() == np.bincount(codes, minlength=size).tolist()
    assert tally(codes[:5], size).sum() == 5


def test_numbers_are_counted_by_their_bins_for_persons_too():
    from decimal import Decimal

    bins = Cells("age", ("low", "high"), (Decimal(0), Decimal(10), Decimal(20)))
    ages = Column.of_texts("age", ["1", "2", "15", "99", "x", ""], Kind.DECIMAL)
    people = Column.of_texts("who", ["p", "p", "p", "p", "q", "q"])
    for person in (None, "who"):
        found = bounded_counts([Table([ages, people])], [bins], person, KEY, 10, False)
        assert found.cells.tolist() == [2, 1]
