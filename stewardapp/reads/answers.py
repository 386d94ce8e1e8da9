"""Answers of query desks and of surveys: those a person may see, and the true figures behind one."""

from __future__ import annotations

import csv
import io
import json

from stewardapp import storage
from stewardapp.models import Desk, JobState, Query, Survey, User
from stewardapp.models.query import EXACT_VALUES
from worker.engine.dp.questions import EXACT, Question


def has_answer(desk: Desk, question: Question, user: User) -> bool:
    """Whether a question of this meaning that the person may see has an answer, or is going to."""
    seen = Query.objects.visible_to(user)
    return seen.standing(desk.reading, desk.fingerprint(question)).exists()


def answers_of_one_price(query: Query, user: User) -> list[Query]:
    """The answers of the same desk that the person may see and that cost the same."""
    seen = Query.objects.visible_to(user).filter(desk=query.desk, epsilon_micro=query.epsilon_micro)
    return list(seen.filter(state=JobState.SUCCEEDED))


def exact_figures(query: Query) -> list[str]:
    """One for each cell of the answer, while the data exist."""
    if query.exact is None or query.exact.destroyed_at is not None:
        return []
    with storage.reading(query.exact) as sealed:
        held = sealed.readall()
    if query.exact.purpose == EXACT_VALUES:
        found = json.loads(held)
        at = found["columns"].index(EXACT)
        return [str(row[at]) for row in found["rows"]]
    # Answers of before were written as releases are.
    return [row[EXACT] for row in csv.DictReader(io.StringIO(held.decode(), newline=""))]


def codes_sent(survey: Survey) -> list[list[int]]:
    """Every answer that has come: for each question the number of what was sent."""
    return list(survey.answers.values_list("codes", flat=True))
