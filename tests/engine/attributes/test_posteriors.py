"""Posteriors, by hand and cut into parts."""

import random

import numpy as np
import pytest

from worker.engine.attributes import posteriors
from worker.engine.attributes.posteriors import Posteriors
from worker.engine.tables.classes import classes_of
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind


def counted(rows):
    """(class, value, rows) in ascending order."""
    ids, codes, counts = (np.array(column, np.int64) for column in zip(*sorted(rows), strict=True))
    domains = (domain("key", int(ids.max()) + 1), domain("ill", int(codes.max()) + 1))
    return FrequencyTable(domains, (ids, codes), counts)


def domain(name, values):
    return Domain(name, Kind.TEXT, tuple(f"{name}{i:02d}" for i in range(values)), np.zeros(values, bool))


def found(rows, benign=()):
    return Posteriors.of(classes_of(counted(rows), ("key",)), "ill", benign)


def test_by_hand():
    one = found([(0, 0, 3), (0, 1, 1), (1, 1, 4)], benign=("ill01",))
    assert one.posterior.tolist() == [0.75, 0.25, 1]
    assert one.prior.tolist() == [3 / 8, 5 / 8]
    assert one.gain.tolist() == [3 / 8, -3 / 8, 3 / 8]
    assert (one.distinct.tolist(), one.judged.tolist()) == ([2, 1], [True, False])
    assert one.effective.tolist() == pytest.approx([4 / 3**0.75, 1])
    assert one.apart().tolist() == pytest.approx([3 / 8, 3 / 8])


@pytest.mark.parametrize("seed", range(20))
def test_classes_looked_at_in_parts_are_as_far(seed, monkeypatch):
    draw = random.Random(seed)
    cells = {(draw.randrange(30), draw.randrange(8)) for _ in range(90)}
    rows = [(*cell, draw.randrange(1, 5)) for cell in cells]
    ranks = np.array(draw.sample(range(8), 8))[: max(value for _, value in cells) + 1]
    whole = found(rows).apart_in_order(ranks)
    monkeypatch.setattr(posteriors, "AT_ONCE", 5)
    assert found(rows).apart_in_order(ranks).tolist() == pytest.approx(whole.tolist(), abs=1e-12)
    assert len(whole) == len({key for key, _ in cells})


@pytest.mark.parametrize("at_once", [1, 4, 100])
def test_parts_are_whole_classes_numbered_anew(at_once, monkeypatch):
    monkeypatch.setattr(posteriors, "AT_ONCE", at_once)
    one = found([(0, 0, 3), (0, 1, 1), (1, 1, 4), (2, 0, 1), (2, 1, 1), (2, 2, 5)])
    parts = list(one.parts())
    assert all(part.ids.tolist()[0] == 0 and part.ids.max() == part.number - 1 for part in parts)
    for figure in ("posterior", "gain", "people", "distinct", "effective", "held"):
        assert (
            np.concatenate([getattr(part, figure) for part in parts]).tolist()
            == getattr(one, figure).tolist()
        )
    assert np.concatenate([part.apart() for part in parts]).tolist() == one.apart().tolist()
    assert [len(part.ids) for part in parts] == {1: [2, 1, 3], 4: [6], 100: [6]}[at_once]
