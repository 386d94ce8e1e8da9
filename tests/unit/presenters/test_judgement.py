"""Goals and policy in one table, in which nothing to check is a third answer."""

from __future__ import annotations

import pytest

from stewardapp.presenters.judgement import Line, judgement
from tests import factories

pytestmark = pytest.mark.django_db


def lines(**changes: object) -> dict[str, Line]:
    run = factories.make_succeeded_run(factories.make_release(factories.make_project()), **changes)  # type: ignore[arg-type]
    found = judgement(factories.seen(run))
    return {line.title: line for line in (*found.goals, *found.policy)}


def test_each_row_of_the_policy_has_its_bound_and_what_was_found() -> None:
    found = lines(smallest_class=3)
    row = found["Smallest class"]
    assert (row.demand, row.found, row.badge.word) == ("at least 5", "3", "Failed")
    assert row.help is not None
    assert row.help.direction == "Higher is better."
    assert "The run succeeded" not in found
    assert "Every goal holds on the released bytes" not in found  # each of them has a row


def test_a_goal_that_fails_says_how_many_rows_violate_it() -> None:
    found = [line for line in lines(goals_hold=False).values() if line.badge.word == "Does not hold"]
    assert found


def test_nothing_to_check_is_neither_green_nor_red() -> None:
    [idle] = [line for line in lines().values() if line.title.startswith("Privacy loss")]
    assert (idle.badge.tone, idle.badge.word, idle.badge.icon) == ("", "Does not apply", "minus")
    assert idle.remark
