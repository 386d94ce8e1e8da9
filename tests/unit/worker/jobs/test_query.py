"""Questions through the worker: charged once, answered once, and never drawn again."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from stewardapp import storage
from stewardapp.access.verdict import NotAllowed
from stewardapp.actions import ledger
from stewardapp.models import AuditEvent, Charge, Desk, JobState, Notification, Query, User
from tests import factories
from tests.faults.invariants import broken
from tests.site import Site
from worker.jobs import query as asking
from worker.process import answers
from worker.process.drawn import Mark
from worker.queue import runner
from worker.queue.claim import Claim
from worker.queue.kinds import kind

QUESTIONS: list[dict[str, Any]] = [
    {"ask": "count", "where": [{"column": "illness", "op": "is", "values": ["flu"]}]},
    {"ask": "sum", "column": "age"},
    {"ask": "mean", "column": "age", "by": ["illness"]},
    {"ask": "variance", "column": "age", "on": "sample"},
    {"ask": "minimum", "column": "age"},
    {"ask": "maximum", "column": "age"},
    {"ask": "median", "column": "age", "on": "perturbed"},
    {"ask": "quantile", "column": "age", "share": 0.9},
    {"ask": "histogram", "column": "illness"},
    {"ask": "most-common", "column": "illness"},
    {"ask": "top-k", "column": "illness", "top": 2},
]


@pytest.fixture
def team(embedded_site: Site) -> factories.Team:
    """On a database of its own, because the lease is renewed by another connection."""
    return factories.make_project()


def test_every_question_is_answered_and_paid_for(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    for question in QUESTIONS:
        query = factories.make_answer(desk, team.analyst, {**question, "epsilon": 0.01})
        assert query.state == JobState.SUCCEEDED, (question, query.error_code, query.error_message)
        assert query.answer["columns"][-1] == "error95"
        assert query.answer["rows"]
        assert "exact" not in query.answer["columns"]
        assert Charge.objects.get(query=query.pk).epsilon_micro == 10_000
    allowance = desk.allowance_of(team.analyst)
    assert allowance is not None
    assert allowance.spent.epsilon_micro == 10_000 * len(QUESTIONS)


def test_groups_cost_what_the_largest_costs(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    query = factories.make_answer(desk, team.analyst, {"ask": "count", "by": ["illness"], "epsilon": 0.5})
    assert [row[0] for row in query.answer["rows"]] == ["cold", "flu", "none"]
    assert Charge.objects.get(query=query.pk).epsilon_micro == 500_000


def test_the_true_figure_is_sealed(team: factories.Team) -> None:
    query = factories.make_answer(factories.make_desk(team), team.analyst)
    assert query.exact is not None
    with storage.reading(query.exact) as sealed:
        assert json.loads(sealed.readall())["columns"] == ["exact", "answer", "error95"]
    assert b"exact" not in (storage.root() / query.exact.path).read_bytes()


def test_the_same_question_is_answered_from_the_store(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    flu = {"column": "illness", "op": "is", "values": ["flu"]}
    old = {"column": "age", "op": "above", "values": ["30.0"]}
    first = factories.make_answer(desk, team.analyst, {"ask": "count", "where": [flu, old], "epsilon": 0.5})
    again = {"ask": "count", "where": [{**old, "values": ["30"]}, {**flu, "op": "in"}], "epsilon": 0.5}
    assert factories.make_query(desk, team.analyst, again) == first
    assert Charge.objects.filter(version=desk.version).count() == 1
    assert factories.make_query(desk, team.analyst, {**again, "epsilon": 0.4}) != first


def test_a_charge_and_its_mark_are_one_transaction(team: factories.Team) -> None:
    """A second holder of the same question never pays, and never draws."""
    query = factories.make_query(factories.make_desk(team), team.analyst)
    late, now = claimed(query), claimed(query, again=True)
    assert asking.bought(now) is None
    with pytest.raises(ledger.Conflict):
        lost(late)
    assert Charge.objects.filter(query=query.pk).count() == 1


def lost(claim: Claim) -> None:
    Query.objects.filter(pk=claim.id).update(charged_at=None)
    asking.bought(claim)


def claimed(query: Query, *, again: bool = False) -> Claim:
    if again:
        Query.objects.filter(pk=query.pk).update(state=JobState.QUEUED, lease_until=None, worker="")
    claim = kind("query").take(query.pk)
    assert claim is not None
    return claim


def test_a_charged_question_of_which_nothing_was_drawn_goes_on(team: factories.Team) -> None:
    query = factories.make_query(factories.make_desk(team), team.analyst)
    assert asking.bought(claimed(query)) is None
    runner.attempt(claimed(query, again=True))
    query.refresh_from_db()
    assert (query.state, query.error_code) == (JobState.SUCCEEDED, "")
    assert Charge.objects.filter(query=query.pk).count() == 1


def test_a_charged_question_without_an_answer_ends(team: factories.Team) -> None:
    """Killed while drawing: no second draw, the charge stays, whoever asked learns nothing more."""
    query = factories.make_query(factories.make_desk(team), team.analyst)
    assert asking.bought(claimed(query)) is None
    Mark(str(storage.answer_folder(query))).make()
    claim = claimed(query, again=True)
    runner.attempt(claim)
    query.refresh_from_db()
    assert (query.state, query.error_code) == (JobState.FAILED, "charged-unanswered")
    assert Charge.objects.filter(query=query.pk).count() == 1
    noted = AuditEvent.objects.filter(action="query.failed").get().details
    assert noted["code"] == "charged-unanswered"
    assert "ask it again" in noted["message"]
    assert "run" not in noted["message"]
    assert not Notification.objects.filter(user=team.analyst, text__icontains="question").exists()


@pytest.mark.parametrize("forgotten", [False, True], ids=["as it is", "without its mark"])
def test_a_question_lost_after_its_charge_is_never_drawn_again(
    team: factories.Team, monkeypatch: pytest.MonkeyPatch, forgotten: bool
) -> None:
    """Not by the takeover, not by a repeated message; the twin without the mark would draw."""
    drawn: list[Claim] = []
    monkeypatch.setattr(asking, "run_engine", lambda claim, *_: drawn.append(claim) or {})
    query = factories.make_query(factories.make_desk(team), team.analyst)
    assert asking.bought(claimed(query)) is None
    Mark(str(storage.answer_folder(query))).make()  # its noise was being drawn when it was lost
    if forgotten:  # the control: what would happen if nobody looked at the mark
        monkeypatch.setattr(asking, "bought", lambda claim: None)
    claim = claimed(query, again=True)
    runner.attempt(claim)
    runner.perform("query", str(query.pk))
    assert bool(drawn) is forgotten
    assert Charge.objects.filter(query=query.pk).count() == 1


def test_a_takeover_adopts_the_answer_that_was_left(team: factories.Team) -> None:
    """Killed between the answer and its row: the same bytes, not another draw."""
    query = factories.make_query(factories.make_desk(team), team.analyst)
    claim = claimed(query)
    assert asking.bought(claim) is None
    with asking.asked(claim) as made:
        drawn = made.answer
    assert answers.left_by(Query.objects.get(pk=query.pk)) is not None
    runner.attempt(claimed(query, again=True))
    query.refresh_from_db()
    assert query.state == JobState.SUCCEEDED
    assert query.answer == drawn
    assert Charge.objects.filter(query=query.pk).count() == 1
    storage.sweep()
    assert not (storage.root() / storage.ANSWERS / str(query.pk)).exists()


def test_an_answer_that_is_awaited_is_not_swept(team: factories.Team) -> None:
    query = factories.make_query(factories.make_desk(team), team.analyst)
    claim = claimed(query)
    asking.bought(claim)
    with asking.asked(claim):
        pass
    storage.sweep()
    assert answers.left_by(query) is not None


def test_a_purse_that_empties_meanwhile_charges_nothing(team: factories.Team) -> None:
    desk = factories.make_desk(team, allowance="0.6")
    one = factories.make_query(desk, team.analyst)
    two = factories.make_query(desk, team.analyst, {"ask": "sum", "column": "age", "epsilon": 0.5})
    for query in (one, two):
        runner.perform("query", str(query.pk))
    two.refresh_from_db()
    assert (two.state, two.error_code) == (JobState.FAILED, "budget-exhausted")
    assert two.charged_at is None
    assert not Charge.objects.filter(query=two.pk).exists()
    with pytest.raises(NotAllowed, match="only"):
        factories.make_query(desk, team.analyst, {"ask": "sum", "column": "age", "epsilon": 0.5})


def test_destroyed_data_answer_nothing(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    query = factories.make_query(desk, team.analyst)
    with transaction.atomic():
        storage.destroy_key(desk.version.key)
    runner.perform("query", str(query.pk))
    query.refresh_from_db()
    assert query.error_code == "destroyed"


def test_a_question_is_charged_once(team: factories.Team) -> None:
    query = factories.make_query(factories.make_desk(team), team.analyst)
    arguments = {"query": query.pk, "version": query.version, "what": "Question", "by": team.analyst}
    ledger.charge_query(cost=query.spend, **arguments)
    with pytest.raises(ledger.Conflict):
        ledger.charge_query(cost=query.spend, **arguments)


def test_answers_are_removed_with_the_data(team: factories.Team) -> None:
    query = factories.make_answer(factories.make_desk(team), team.analyst)
    with transaction.atomic():
        storage.destroy_key(query.key)
    query.refresh_from_db()
    assert query.exact is not None
    assert query.exact.destroyed_at is not None
    shutil.rmtree(storage.root() / storage.ANSWERS, ignore_errors=True)


# -- what a colleague asked -----------------------------------------------------------------------------


def colleague(team: factories.Team, desk: Desk, limit: str = "1") -> User:
    """Another analyst with an allowance."""
    found = factories.make_user("colleague")
    factories.memberships.add(project=team.project, user=found, role="analyst", by=team.admin)
    allotment = desk.allotment
    assert allotment is not None
    allowed = factories.Spend.of(Decimal(limit))
    factories.budgets.allow(allotment=allotment, user=found, limit=allowed, by=team.steward)
    return found


def test_a_colleagues_answer_is_repeated_and_not_drawn_again(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    other = colleague(team, desk)
    first = factories.make_answer(desk, team.analyst)
    again = factories.make_answer(desk, other)
    assert (again.state, again.repeats) == (JobState.SUCCEEDED, first)
    assert (again.answer, again.exact) == (first.answer, first.exact)
    assert Charge.objects.count() == 1
    assert [one.allowances.get().spent for one in (team.analyst, other)] == [first.spend] * 2
    assert broken() == []


def test_what_is_being_answered_is_waited_for(team: factories.Team) -> None:
    """Queued again without a note and without using up an attempt, until the answer is there."""
    desk = factories.make_desk(team)
    first, again = factories.make_query(desk, team.analyst), factories.make_query(desk, colleague(team, desk))
    claim = claimed(first)
    assert asking.bought(claim) is None
    runner.perform("query", str(again.pk))
    again.refresh_from_db()
    assert (again.state, again.attempts, again.charged_at) == (JobState.QUEUED, 0, None)
    runner.attempt(claimed(first, again=True))
    runner.perform("query", str(again.pk))
    for query in (first, again):
        query.refresh_from_db()
    assert (again.state, again.answer) == (JobState.SUCCEEDED, first.answer)


def test_what_a_colleague_got_no_answer_to_is_drawn(team: factories.Team) -> None:
    """Paid for and lost: nobody has an answer, so this one is new, for its price."""
    desk = factories.make_desk(team)
    first, again = factories.make_query(desk, team.analyst), factories.make_query(desk, colleague(team, desk))
    assert asking.bought(claimed(first)) is None
    Query.objects.fail(first.pk, 1, code="charged-unanswered", message="Lost.")
    runner.perform("query", str(again.pk))
    again.refresh_from_db()
    assert (again.state, again.repeats) == (JobState.SUCCEEDED, None)
    assert Charge.objects.count() == 2


def test_a_repeated_answer_that_was_lost_is_stored_by_the_takeover(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    first = factories.make_answer(desk, team.analyst)
    again = factories.make_query(desk, colleague(team, desk))
    assert asking.repeated(claimed(again)) == first
    runner.attempt(claimed(again, again=True))
    again.refresh_from_db()
    assert (again.state, again.answer) == (JobState.SUCCEEDED, first.answer)
    assert again.asked_by.allowances.get().spent == first.spend


def test_who_cannot_pay_meanwhile_gets_no_answer_of_a_colleague(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    other = colleague(team, desk, "0.6")
    questions = [{"ask": ask, "column": "age", "epsilon": 0.5} for ask in ("sum", "mean")]
    for question in questions:
        factories.make_answer(desk, team.analyst, question)
    made = [factories.make_query(desk, other, question) for question in questions]
    for query in made:
        runner.perform("query", str(query.pk))
        query.refresh_from_db()
    assert [query.error_code for query in made] == ["", "budget-exhausted"]
    assert made[1].charged_at is None
    assert broken() == []


def test_destroyed_data_repeat_nothing(team: factories.Team) -> None:
    desk = factories.make_desk(team)
    factories.make_answer(desk, team.analyst)
    again = factories.make_query(desk, colleague(team, desk))
    with transaction.atomic():
        storage.destroy_key(desk.version.key)
    runner.perform("query", str(again.pk))
    again.refresh_from_db()
    assert again.error_code == "destroyed"
