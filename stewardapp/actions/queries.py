"""Putting a question to a desk, and recording its answer."""

from __future__ import annotations

from collections.abc import Mapping

from stewardapp.access.rules import may_ask, may_spend, may_withdraw_question
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.pricing import price_of_question
from stewardapp.models import Asking, Blob, Desk, Query, User
from worker.engine.dp.auditor import refusals
from worker.engine.dp.questions import Question
from worker.engine.errors import EngineError


@action
def ask(*, desk: Desk, question: Mapping[str, object], by: User) -> Query:
    """Queue a question, or find the same one that this person asked, which costs nothing.

    What colleagues asked makes no difference: a worker that finds their answer repeats it.
    """
    desk = locked(desk)
    require(may_ask(desk.person(by), desk.facts(by)))
    asked = _understood(desk, question)
    known = Query.objects.visible_to(by).standing(desk.reading, desk.fingerprint(asked)).first()
    paid = known is None
    if known is None:
        require(may_spend(price_of_question(desk, asked, by), desk.project.policy.facts()))
    query = known or _created(desk, asked, by)
    Asking.objects.get_or_create(query=query, by=by, defaults={"paid": paid})
    details = {"desk": str(desk.pk), "fingerprint": query.fingerprint, "repeated": not paid}
    details["epsilon_micro"] = query.epsilon_micro if paid else 0
    audit.record("query.asked", query, by=by, project=desk.project, details=details)
    return query


def _understood(desk: Desk, question: Mapping[str, object]) -> Question:
    """The question under the desk's own bound, or why no mechanism answers it."""
    try:
        asked = Question.of({**question, "rows_per_person": desk.rows_per_person})
    except EngineError as error:
        raise Invalid(error.code, error.sentence, error.param or "") from None
    for refusal in refusals(asked, desk.declarations(), desk.roles()):
        raise Invalid("question-refused", refusal.reason, refusal.param)
    return asked


def _created(desk: Desk, asked: Question, by: User) -> Query:
    query = Query(
        desk=desk,
        version=desk.version,
        reading=desk.reading,
        asked_by=by,
        fingerprint=desk.fingerprint(asked),
        epsilon_micro=asked.spend().epsilon_micro,
    ).saying(question=asked.params(), words=asked.words())
    query.save()
    return query


@action
def withdraw(*, query: Query, by: User) -> Query:
    """Take a question back before it is charged; it can be asked again."""
    query = locked(query)
    require(may_withdraw_question(query.desk.person(by), query.facts()))
    if not Query.objects.withdraw(query.pk, by):
        raise Conflict("taken", "A worker took this question just now: it is going to be answered.")
    query.refresh_from_db()
    audit.record("query.withdrawn", query, by=by, project=query.project)
    return query


@action
def record(
    *,
    query: Query,
    fence: int,
    answer: Mapping[str, object],
    exact: Blob,
    engine_version: str,
    by: User | None = None,
) -> Query:
    """Store the answer and its sealed true twin and end the job; refused when the claim was lost."""
    outcome = {**query.sealed(answer=dict(answer)), "exact": exact, "engine_version": engine_version}
    if not Query.objects.succeed(query.pk, fence, **outcome):
        raise Conflict("claim-lost", "Another worker has this question now.")
    query.refresh_from_db()
    audit.record("query.answered", query, by=by, project=query.project)
    return query
