"""Rows set aside: so many, whole households and persons, whatever the rows say and however they are cut."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.engine.methods.running import Tagged
from worker.engine.contracts.facts import Facts, HeldOut
from worker.engine.contracts.scene import FEWEST_HELD_OUT
from worker.engine.execution.dataset import Dataset
from worker.engine.randomness import Source, key_from_seed
from worker.engine.reporting import NullReporter
from worker.engine.synthesis.hold_out import SetAside
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, MemorySource, Table

ROLES = {"household": Role.HOUSEHOLD_KEY, "person": Role.PERSON_KEY, "x": Role.OTHER, "agreed": Role.CONSENT}


def statistics_of(blocks: int = 16, **columns) -> Statistics:
    table = Table([Column.of_texts(name, [str(one) for one in cells]) for name, cells in columns.items()])
    tagged = {name: Tagged(ROLES[name], Kind.TEXT) for name in columns}
    return Statistics(Dataset(MemorySource(table, blocks_per_chunk=blocks), tagged, {}), {}, NullReporter())


@dataclass
class Held:
    """What was set aside where everything else is learnt from."""

    rows: np.ndarray | None
    announced: Facts
    learnt: Statistics


def aside(statistics: Statistics, share: float = 0.2, seed: int = 1) -> Held:
    found = SetAside.of(statistics, share, Source(key_from_seed(seed)))
    (column, *_) = statistics.schema.names
    rows = found.unseen(found.learnt.table((column,)).row_ids)
    return Held(rows, found.announced(rows), found.learnt)


def test_a_share_of_the_rows():
    found = aside(statistics_of(x=range(1000)))
    assert found.rows.sum() == 200
    assert found.announced == Facts(held_out=HeldOut(200, "row"))
    assert found.learnt.rows() == 800
    (column,) = found.learnt.table(("x",)).columns
    assert not found.rows[[int(text) for text in column.texts()]].any()


def test_another_seed_draws_others_and_every_row_as_often():
    times = sum(aside(statistics_of(x=range(300)), seed=seed).rows for seed in range(60))
    assert times.sum() == 60 * 60
    assert times.max() < 12 + 6.1 * (60 * 0.2 * 0.8) ** 0.5


def test_the_draw_looks_at_no_value_and_at_no_cutting():
    rows = 2 * BLOCK + 5
    one = aside(statistics_of(1, x=np.arange(rows) % 7)).rows
    assert (one == aside(statistics_of(16, x=np.arange(rows) % 3)).rows).all()


@pytest.mark.parametrize("key", ["household", "person"])
def test_those_who_belong_together_stay_together(key):
    groups = [f"g{i // 4}" for i in range(800)]
    groups[:3] = ["", "", ""]  # nobody knows: rows of their own
    found = aside(statistics_of(x=range(800), **{key: groups}))
    parts = {(group, bool(one)) for group, one in zip(groups, found.rows, strict=True) if group}
    assert len(parts) == 200, "each household on one side"
    assert found.announced.held_out.unit == key
    assert found.rows.sum() == pytest.approx(160, abs=3)
    alone = [aside(statistics_of(x=range(800), **{key: groups}), seed=seed).rows[:3] for seed in range(40)]
    assert len({tuple(one.tolist()) for one in alone}) > 2


def test_a_person_in_two_households_holds_both_together():
    people = [f"p{i}" for i in range(600)]
    houses = [f"h{i // 2}" for i in range(600)]
    people[1] = people[2]  # of the first household and of the second
    for seed in range(60):
        found = aside(statistics_of(household=houses, person=people), seed=seed).rows
        assert len(set(found[:4].tolist())) == 1
    assert any(aside(statistics_of(household=houses, person=people), seed=seed).rows[0] for seed in range(60))


def test_too_few_or_none_wanted_are_none():
    for statistics, share in (
        (statistics_of(x=range(5 * FEWEST_HELD_OUT - 1)), 0.2),
        (statistics_of(x=range(1000)), 0.0),
        (statistics_of(x=[]), 0.2),
        (statistics_of(household=["all"] * 1000), 0.2),
    ):
        found = aside(statistics, share)
        assert (found.rows, found.announced) == (None, Facts())
        assert found.learnt is statistics
    assert aside(statistics_of(x=range(5 * FEWEST_HELD_OUT))).rows.sum() == FEWEST_HELD_OUT


def test_rows_without_consent_are_neither():
    declared = Statistics(*_half_agreed(1000), NullReporter())
    found = aside(declared)
    assert found.rows.sum() == 100
    assert not found.rows[::2].any()
    assert found.learnt.rows() == 400


def _half_agreed(rows: int):
    from worker.engine.tables.declaration import Declaration

    declared = {"agreed": Declaration(granted=("yes",))}
    table = Table([Column.of_texts("x", [str(i) for i in range(rows)]),
                   Column.of_texts("agreed", ["yes" if i % 2 else "no" for i in range(rows)])])  # fmt: skip
    tagged = {name: Tagged(ROLES[name], Kind.TEXT) for name in ("x", "agreed")}
    return Dataset(MemorySource(table), tagged, declared), declared


def test_rows_that_were_shown_and_not_fitted_are_unseen_too():
    people = [f"p{i // 2}" for i in range(1000)]
    found = SetAside.of(statistics_of(person=people), 0.2, Source(key_from_seed(1)))
    fitted = found.learnt.table(("person",)).row_ids[::5]
    seen = {people[at] for at in fitted}
    assert found.unseen(fitted).tolist() == [one not in seen for one in people]
