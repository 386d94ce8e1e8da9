"""What a search holds follows the room given, not the number of different rows."""

import tracemalloc

import numpy as np
import pytest

from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.reporting import NullReporter
from worker.engine.search import fetching
from worker.engine.search.costs import Aim
from worker.engine.search.deciding import decided
from worker.engine.search.fetching import Base
from worker.engine.search.judging import Judge
from worker.engine.search.optimal import search
from worker.engine.search.problem import Problem
from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind
from worker.engine.uniqueness.class_sizes import sizes_of

CHUNK, CHUNKS, ROOM = 10_000, 20, 10_000
TEXTS = tuple(f"{value:04d}" for value in range(1_000))
NAMES = ("a", "b", "c")
COLUMNS = [(name, Kind.CATEGORICAL) for name in NAMES]


@pytest.fixture(scope="module")
def levels():
    lines = tuple(";".join([text, text[:3], text[:2], text[:1], "*"]) for text in TEXTS)
    domain = Domain("", Kind.CATEGORICAL, TEXTS, np.zeros(len(TEXTS), bool))
    return [
        levels_of(HierarchySpec(lines=lines), Domain(name, domain.kind, TEXTS, domain.missing))
        for name in NAMES
    ]


def chunk(number):
    """Rows of which nearly none equals another."""
    draw = np.random.default_rng(number)
    drawn = [draw.integers(0, len(TEXTS), CHUNK).astype(np.int32) for _ in NAMES]
    drawn[0][: len(TEXTS)] = drawn[1][: len(TEXTS)] = drawn[2][: len(TEXTS)] = np.arange(len(TEXTS))
    domain = Domain("", Kind.CATEGORICAL, TEXTS, np.zeros(len(TEXTS), bool))
    return {
        name: Column(name, Kind.CATEGORICAL, codes, domain.arrow, domain.missing)
        for name, codes in zip(NAMES, drawn, strict=True)
    }


def found(levels, chunks, most):
    """What becomes of so many chunks, and the most memory it took."""
    tracemalloc.start()
    try:
        counter = Counter(COLUMNS, None, None, None, most)
        for number in range(chunks):
            counter.add(chunk(number), CHUNK)
        table = counter.tuples()
        judge = Judge([KAnonymity(k=5)], table.rows // 20, False)
        bounds = [(0, one.height) for one in levels]
        outcome = search(Problem.of(table, levels, bounds, judge, Aim(), most), NullReporter())
        done = decided(table, levels, outcome.best, judge)
        answer = (
            outcome.best,
            outcome.score,
            done.suppressed_rows,
            done.classes,
            sizes_of(table, NAMES).classes,
        )
        return answer, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_follows_the_room(levels, monkeypatch):
    monkeypatch.setattr(fetching, "AT_ONCE", 1_000)  # snapshots are cut
    for most in (None, ROOM // 10):  # so that nothing is compiled while memory is watched
        found(levels, 1, most)
    whole, much = found(levels, CHUNKS, None)
    parts, little = found(levels, CHUNKS, ROOM)
    assert parts == whole
    assert little < much / 4, (little, much)


def test_a_sparse_node_is_given_up_after_a_look_at_some_shares_of_its_classes(levels, monkeypatch):
    looks, group = [], Base._group

    def noted(base, at, fine, share, shares, checkpoint):
        looks.append((tuple(at), shares))
        return group(base, at, fine, share, shares, checkpoint)

    monkeypatch.setattr(Base, "_group", noted)
    found(levels, CHUNKS // 4, ROOM // 4)
    finest = min((at for at, _ in looks), key=sum)
    shares = [shares for at, shares in looks if at == finest]
    assert min(shares) > 1  # never all classes at once
    assert len(shares) <= 1 + shares[0] // 8
