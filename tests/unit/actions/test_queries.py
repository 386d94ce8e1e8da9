"""Opening desks and asking: what is refused, what is free, what the log and the ledger may know."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import columns, desks, queries
from stewardapp.models import Asking, AuditEvent, Charge, Desk, Query
from tests import factories

pytestmark = pytest.mark.django_db
FLU: dict[str, Any] = {
    "ask": "count",
    "epsilon": 0.5,
    "where": [{"column": "illness", "op": "is", "values": ["flu"]}],
}


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def desk(team: factories.Team) -> Desk:
    return factories.make_desk(team)


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"columns": []}, "columns"),
        ({"columns": ["nothing"]}, "columns"),
        ({"columns": ["age"], "rows_per_person": 0}, "rows_per_person"),
        ({"columns": ["age"], "rows_per_person": 1001}, "rows_per_person"),
    ],
)
def test_what_cannot_be_opened(team: factories.Team, asked: dict[str, Any], param: str) -> None:
    version = factories.make_version(team)
    with pytest.raises(Invalid) as refused:
        desks.open_on(version=version, by=team.steward, **{"rows_per_person": 1, **asked})
    assert refused.value.param == param


def test_identifiers_cannot_be_asked_about_and_keys_come_along(team: factories.Team) -> None:
    roles = {"age": "quasi-identifier", "zip": "person-key", "illness": "direct-identifier"}
    version = factories.make_version(team, roles=roles)
    with pytest.raises(Invalid):
        desks.open_on(version=version, columns=["age", "illness"], rows_per_person=3, by=team.steward)
    desk = desks.open_on(version=version, columns=["age"], rows_per_person=3, by=team.steward)
    assert desk.columns() == ["age"]
    assert desk.has_persons
    assert desk.rows_per_person == 3


def test_the_dictionary_is_that_of_the_opening(team: factories.Team, desk: Desk) -> None:
    """What is declared later would change what a stored answer means."""
    columns.describe(
        version=desk.version, name="illness", settings={"categories": ["other"]}, by=team.steward
    )
    desk.refresh_from_db()
    assert desk.declarations()["illness"].categories == ("cold", "flu", "none")


def test_a_second_desk_is_refused_by_the_rule_and_by_the_database(team: factories.Team, desk: Desk) -> None:
    with pytest.raises(NotAllowed):
        desks.open_on(version=desk.version, columns=["age"], rows_per_person=1, by=team.steward)
    with pytest.raises(IntegrityError), transaction.atomic():
        Desk.objects.create(version=desk.version, opened_by=team.steward)


@pytest.mark.parametrize(
    ("question", "param"),
    [
        ({"ask": "mean", "column": "illness"}, "column"),
        ({"ask": "mean", "column": "zip"}, "column"),
        ({"ask": "sum"}, ""),
        ({"ask": "count", "epsilon": "1"}, "epsilon"),
        ({"ask": "count", "epsilon": float("nan")}, "epsilon"),
        ({"ask": "count", "epsilon": float("inf")}, "epsilon"),
        ({"ask": "count", "epsilon": -1}, "epsilon"),
        ({"ask": "count", "epsilon": 5e-324}, "epsilon"),
    ],
)
def test_what_no_mechanism_covers(
    team: factories.Team, desk: Desk, question: dict[str, Any], param: str
) -> None:
    with pytest.raises(Invalid) as refused:
        queries.ask(desk=desk, question=question, by=team.analyst)
    assert refused.value.param == param
    assert not Query.objects.exists()


def test_the_bound_is_the_desks_and_not_the_askers(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, {**FLU, "rows_per_person": 7})
    assert query.question["rows_per_person"] == 1


def test_the_same_question_by_somebody_else_is_one_like_any_other(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    other = factories.make_user("analyst")
    factories.memberships.add(project=team.project, user=other, role="analyst", by=team.admin)
    with pytest.raises(NotAllowed, match="allowance"):
        factories.make_query(desk, other, FLU)
    allotment, least = desk.allotment, factories.Spend(1)
    assert allotment is not None
    factories.budgets.allow(allotment=allotment, user=other, limit=least, by=team.steward)
    with pytest.raises(NotAllowed, match="left"):  # or the refusal would tell what colleagues asked
        factories.make_query(desk, other, FLU)
    enough = factories.Spend(500_000)
    factories.budgets.allow(allotment=allotment, user=other, limit=enough, by=team.steward)
    assert not Query.objects.visible_to(other).exists()
    own = factories.make_query(desk, other, FLU)
    assert own != query
    assert factories.make_query(desk, other, FLU) == own
    assert Query.objects.visible_to(other).get() == own
    assert dict(Asking.objects.values_list("by", "paid")) == {team.analyst.pk: True, other.pk: True}
    said = AuditEvent.objects.filter(action="query.asked").order_by("id")
    assert [one.details["epsilon_micro"] for one in said] == [500_000, 500_000, 0]


def test_whoever_may_look_into_the_data_gets_what_anybody_asked(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    factories.memberships.add(project=team.project, user=team.steward, role="analyst", by=team.admin)
    allotment = desk.allotment
    assert allotment is not None
    least = factories.Spend(1)
    factories.budgets.allow(allotment=allotment, user=team.steward, limit=least, by=team.admin)
    assert factories.make_query(desk, team.steward, FLU) == query


def test_neither_log_nor_ledger_know_the_values_of_a_condition(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    assert query.bought == "Question: How many rows"
    assert "flu" not in str(AuditEvent.objects.get(action="query.asked").details)
    mean = factories.make_query(desk, team.analyst, {"ask": "mean", "column": "age", "epsilon": 0.1})
    assert mean.bought == "Question: The mean of age"


def test_more_than_the_policy_allows_is_refused(team: factories.Team, desk: Desk) -> None:
    factories.revise_policy(team.project, team.admin, maximum_epsilon_micro=100_000)
    with pytest.raises(NotAllowed, match="policy"):
        factories.make_query(desk, team.analyst)


def test_a_lost_claim_records_nothing(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst)
    fence = Query.objects.claim(query.pk, "w", 60)
    assert fence is not None
    Query.objects.mark_charged(query.pk, fence)
    exact = factories.store(b"exact", query.key, "exact.csv")
    with pytest.raises(Conflict):
        queries.record(query=query, fence=fence - 1, answer={}, exact=exact, engine_version="1")


def test_the_database_lets_one_meaning_be_drawn_once(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst)
    twin = Query.objects.create(
        desk=desk,
        version=desk.version,
        reading=desk.reading,
        asked_by=team.steward,
        fingerprint=query.fingerprint,
        epsilon_micro=1,
    )
    fences = [Query.objects.claim(one.pk, "w", 60) for one in (query, twin)]
    fence = fences[0]
    assert fence is not None
    assert fences[1] is not None
    assert Query.objects.mark_charged(query.pk, fence)
    with pytest.raises(IntegrityError), transaction.atomic():
        Query.objects.mark_charged(twin.pk, fences[1])
    assert Query.objects.drawn(twin) == query
    assert Query.objects.drawn(query) is None
    assert Query.objects.mark_repeated(twin.pk, fences[1], query)
    Query.objects.fail(query.pk, fence, code="memory", message="Too much.")
    assert factories.make_query(desk, team.analyst) != query


def test_outsiders_see_neither_desk_nor_questions(team: factories.Team, desk: Desk) -> None:
    factories.make_query(desk, team.analyst)
    assert Desk.objects.visible_to(team.analyst).get() == desk
    assert not Desk.objects.visible_to(team.outsider).exists()
    assert Query.objects.visible_to(team.reviewer).exists()
    assert not Query.objects.visible_to(team.outsider).exists()


def test_what_does_not_matter_does_not_make_another_question(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    again = {**FLU, "column": "age", "share": 0.3, "where": [{**FLU["where"][0], "op": "in"}]}
    assert factories.make_query(desk, team.analyst, again) == query


def test_a_question_is_taken_back_before_it_costs_anything(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    assert queries.withdraw(query=query, by=team.analyst).stands == "cancelled"
    assert Query.objects.claim(query.pk, "w", 60) is None
    again = factories.make_query(desk, team.analyst, FLU)
    assert again != query
    assert not Charge.objects.exists()


def test_what_a_worker_has_is_not_taken_back(team: factories.Team, desk: Desk) -> None:
    """Nor what was paid for and given back by a worker that ended: its answer may be there."""
    query = factories.make_query(desk, team.analyst, FLU)
    fence = Query.objects.claim(query.pk, "w", 60)
    assert fence is not None
    assert not Query.objects.withdraw(query.pk, team.analyst)
    Query.objects.mark_charged(query.pk, fence)
    Query.objects.release(query.pk, fence)
    assert not Query.objects.withdraw(query.pk, team.analyst)
    with pytest.raises(NotAllowed, match="price is not given back"):
        queries.withdraw(query=query, by=team.analyst)


def test_a_worker_is_quicker(team: factories.Team, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    monkeypatch.setattr("stewardapp.models.query.QueryQuerySet.withdraw", lambda *_: False)
    with pytest.raises(Conflict):
        queries.withdraw(query=query, by=team.analyst)


def test_a_question_others_wait_for_stays(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst, FLU)
    Asking.objects.create(query=query, by=team.steward)
    with pytest.raises(NotAllowed, match="not given back"):
        queries.withdraw(query=query, by=team.analyst)
