"""Survey pages: the steward's, and the public door that takes randomized codes and nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from stewardapp.access.survey_states import SurveyMove
from stewardapp.actions import surveys
from stewardapp.models import Survey, SurveyAnswer, SurveyQuestion, Version
from stewardapp.presenters import survey_pages
from tests import factories
from tests.factories import Team
from tests.integration.canaries import Search
from tests.listening import Listener, listener
from tests.markup import tight

__all__ = ["listener"]
pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
OPEN = SurveyMove.OPEN
CANARY = "a-true-answer-kanari"
IP, AGENT = "203.0.113.77", "Respondent/7.7"


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def door(survey: Survey) -> str:
    return reverse("survey-receive", args=[survey.public_id])


def payload(survey: Survey, *codes: Any, **more: Any) -> dict[str, Any]:
    said = {"protocol": "k-rr/1", "parameters": survey.parameters_sha256, "codes": list(codes)}
    return said | more


def send(survey: Survey, body: Any, client: Client | None = None, **headers: str) -> Any:
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    content_type = headers.pop("content_type", "application/json")
    sent = {"data": text, "content_type": content_type, "headers": headers, "REMOTE_ADDR": IP}
    return (client or Client(enforce_csrf_checks=True)).post(door(survey), **sent)  # type: ignore[arg-type]


# The public door


def test_a_randomized_answer_needs_no_session_and_leaves_no_cookie(team: Team, listener: Listener) -> None:
    survey = factories.make_survey(team, OPEN)
    client = Client(enforce_csrf_checks=True)
    page = client.get(reverse("survey-answer", args=[survey.public_id]), headers={"User-Agent": AGENT})
    answer = send(survey, payload(survey, 1, 2), client, Origin="http://testserver", User_Agent=AGENT)
    assert (page.status_code, answer.status_code, answer.json()) == (200, 201, {"stored": True})
    assert not client.cookies
    assert survey.answers.get().codes == [1, 2]
    assert "no-store" in page["Cache-Control"]
    said = listener.stream.getvalue()
    assert f"POST {door(survey)}" in said
    assert IP not in said
    assert AGENT not in said


def test_other_pages_still_log_who_asked(listener: Listener) -> None:
    Client().get("/catalogue/", headers={"User-Agent": AGENT})
    assert AGENT in listener.stream.getvalue()


REFUSED: dict[str, Callable[[Survey], Any]] = {
    "answers as words": lambda s: payload(s, "yes", CANARY),
    "one field more": lambda s: payload(s, 0, 0, truth=CANARY),
    "a time": lambda s: payload(s, 0, 0, at="2030-01-01T00:00:00"),
    "one field less": lambda s: {"codes": [0, 0], "protocol": "k-rr/1"},
    "another protocol": lambda s: payload(s, 0, 0) | {"protocol": CANARY},
    "no protocol": lambda s: payload(s, 0, 0) | {"protocol": None},
    "a hash that is none": lambda s: payload(s, 0, 0) | {"parameters": CANARY},
    "the hash of others": lambda s: payload(s, 0, 0) | {"parameters": "0" * 64},
    "codes with more": lambda s: payload(s, {"code": 0, "truth": CANARY}, 0),
    "codes that are true": lambda s: payload(s, True, False),
    "fractions": lambda s: payload(s, 0.0, 1.0),
    "too many codes": lambda s: payload(s, 0, 0, 0),
    "a code too high": lambda s: payload(s, 0, 3),
    "a long code": lambda s: payload(s, 918273645, 0),
    "a negative code": lambda s: payload(s, -1, 0),
    "not a number": lambda s: json.dumps(payload(s, 0, 0)).replace("[0, 0]", "[NaN, 0]"),
    "a name twice": lambda s: (
        json.dumps(payload(s, 0, 0))[:-1] + f', "codes": [0, 0], "codes": ["{CANARY}"]}}'
    ),
    "a list": lambda s: [CANARY],
    "text": lambda s: CANARY,
    "bytes": lambda s: b"\xff" + CANARY.encode(),
    "nothing": lambda s: "",
    "deep": lambda s: "[" * 4000,
    "long": lambda s: payload(s, 0, 0) | {"parameters": CANARY * 400},
}


@pytest.mark.parametrize("what", REFUSED)
def test_anything_else_is_refused_and_leaves_no_trace(team: Team, listener: Listener, what: str) -> None:
    survey = factories.make_survey(team, OPEN)
    answer = send(survey, REFUSED[what](survey))
    assert answer.status_code == 400
    assert untraced(answer, listener)


def untraced(answer: Any, listener: Listener) -> bool:
    """Whether the canary is nowhere: not in the answer, the log, the database."""
    search = Search((("truth", CANARY),))
    found = search.found(answer.content) | search.found(listener.stream.getvalue().encode())
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found |= {hit for row in cursor for hit in search.found(repr(row).encode())}
    return not found and not SurveyAnswer.objects.exists()


@pytest.mark.parametrize("content_type", ["text/plain", "application/json; charset=utf-8", ""])
def test_only_what_calls_itself_json_is_read(team: Team, content_type: str) -> None:
    survey = factories.make_survey(team, OPEN)
    assert send(survey, payload(survey, 0, 0), content_type=content_type).status_code == 400


def test_a_form_is_refused_unread(team: Team, listener: Listener) -> None:
    survey = factories.make_survey(team, OPEN)
    for sent in ({"doping": CANARY}, {"codes": "[0, 0]", "protocol": "k-rr/1"}):
        assert untraced(Client().post(door(survey), sent), listener)
        body = "&".join(f"{name}={value}" for name, value in sent.items())
        answer = send(survey, body, content_type="application/x-www-form-urlencoded")
        assert answer.status_code == 400
        assert untraced(answer, listener)
    page = reverse("survey-answer", args=[survey.public_id])
    assert Client().post(page, {"doping": CANARY}).status_code == 405


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_another_sites_page_sends_nothing(team: Team, headers: dict[str, str]) -> None:
    survey = factories.make_survey(team, OPEN)
    assert send(survey, payload(survey, 0, 0), **headers).status_code == 400
    assert not SurveyAnswer.objects.exists()


def test_one_network_sends_so_many_an_hour(
    team: Team, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STEWARD_SURVEY_PER_HOUR = 2
    survey, invited = factories.make_survey(team, OPEN), factories.make_survey(team, OPEN, invited=True)
    answers = [send(survey, payload(survey, 0, 0)).status_code for _ in range(3)]
    assert answers == [201, 201, 429]
    assert IP not in repr(cache.__dict__) + repr(getattr(cache, "_cache", ""))
    tokens = surveys.invite(survey=invited, number=3, by=team.steward)
    for token in tokens:
        assert send(invited, payload(invited, 0, 0), Invitation=token).status_code == 201
    said = {"X-Forwarded-For": "198.51.100.7"}  # nobody vouches for it
    assert send(survey, payload(survey, 0, 0), **said).status_code == 429


def test_a_personal_link_is_told_once_and_counts_once(team: Team, browse: Browser) -> None:
    survey = factories.make_survey(team, OPEN, invited=True)
    told = browse("steward").post(reverse("survey-invite", args=[survey.pk]), {"number": "2"})
    links = told.content.decode().split()
    assert [link.partition("#")[0] for link in links] == [
        f"http://testserver{reverse('survey-answer', args=[survey.public_id])}"
    ] * 2
    token = links[0].partition("#")[2]
    said = payload(survey, 0, 0)
    assert [send(survey, said, Invitation=token).status_code for _ in range(2)] == [201, 409]
    assert send(survey, said).status_code == 403
    page = browse("steward").get(reverse("survey-detail", args=[survey.pk])).content.decode()
    assert "1 of 2" in page
    assert token not in page
    refused = browse("steward").post(reverse("survey-invite", args=[survey.pk]), {"number": "many"})
    assert refused.status_code == 400


def test_the_page_says_when_nobody_can_answer(team: Team) -> None:
    draft = factories.make_survey(team)
    assert Client().get(reverse("survey-answer", args=[draft.public_id])).status_code == 404
    assert send(draft, payload(draft, 0, 0)).status_code == 404
    paused = factories.make_survey(team, OPEN, SurveyMove.PAUSE)
    page = Client().get(reverse("survey-answer", args=[paused.public_id])).content.decode()
    assert "paused" in page
    assert "survey.js" not in page
    assert send(paused, payload(paused, 0, 0)).status_code == 403


def test_without_a_script_nothing_can_be_sent_and_the_page_says_why(team: Team) -> None:
    survey = factories.make_survey(team, OPEN)
    page = tight(Client().get(reverse("survey-answer", args=[survey.public_id])).content.decode())
    assert "<form" not in page
    assert "This page needs JavaScript" in page
    assert "Below 75 say the truth" in page  # with dice, where they are exact
    assert "cannot be thrown with dice" in page
    assert "more than 3 times as likely" in page
    assert "ε = 2.099 in all" in page


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 1.0, math.log(3), math.log(3.5), 3.0, 20.0])
def test_what_is_promised_to_respondents_is_never_rounded_down(epsilon: float) -> None:
    said = survey_pages.Strength(epsilon).promise.replace("\u202f", "")
    promised = float(said.removeprefix("No answer is more than ").split(" ")[0])
    assert math.exp(epsilon) <= promised * (1 + 1e-11)
    assert promised < 1.01 * math.exp(epsilon)


# The steward's pages


def test_a_steward_makes_a_survey_from_page_to_page(team: Team, browse: Browser) -> None:
    steward = browse("steward")
    made = {"title": "Doping", "introduction": "Why.", "access": "open", "new_population": "Athletes"}
    answer = steward.post(reverse("survey-create", args=[team.project.pk]), made)
    survey = Survey.objects.get(title="Doping")
    assert answer["Location"] == reverse("survey-detail", args=[survey.pk])
    question = {
        "text": "Age?",
        "name": "age",
        "kind": "ranges",
        "answers": "18\n40",
        "epsilon": "1",
    }
    add = reverse("survey-question-add", args=[survey.pk])
    assert steward.post(add, question).status_code == 302
    found = SurveyQuestion.objects.get()
    assert found.answers == ["under 18", "18 to under 40", "40 or more"]
    change = reverse("survey-question-change", args=[found.pk])
    assert b"18 to under 40" in steward.get(change).content
    assert (
        steward.post(change, question | {"kind": "choice", "keep": "0.7", "epsilon": ""}).status_code == 302
    )
    edit = reverse("survey-edit", args=[survey.pk])
    dates = {"title": "Doping", "access": "open", "opens_on": "2020-01-01", "closes_on": "2999-01-01"}
    assert steward.get(edit).status_code == 200
    assert steward.post(edit, dates).status_code == 302
    move = reverse("survey-move", args=[survey.pk])
    assert steward.post(move, {"move": "explode"}).status_code == 404
    assert steward.post(move, {"move": "open"}).status_code == 302
    listed = steward.get(reverse("project-surveys", args=[team.project.pk])).content.decode()
    assert "Doping" in listed
    assert steward.post(reverse("survey-question-remove", args=[found.pk])).status_code == 403


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "not a name"}, "name"),
        ({"answers": "one"}, "answers"),
        ({"kind": "ranges", "answers": "18\nx"}, "answers"),
        ({"kind": "ranges", "answers": "40\n18"}, "answers"),
        ({"kind": "ranges", "answers": "inf"}, "answers"),
        ({"kind": "ranges", "answers": "18\n1e900000"}, "answers"),
        ({"kind": "ranges", "answers": ""}, "answers"),
        ({"keep": "1"}, "keep"),
        ({"keep": "0.5"}, "keep"),
        ({"keep": ""}, "epsilon"),
        ({"epsilon": "1"}, "keep"),
        ({"keep": "", "epsilon": "21"}, "epsilon"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    team: Team, browse: Browser, changes: dict[str, str], field: str
) -> None:
    survey = factories.make_survey(team)
    good = {"text": "?", "name": "n", "kind": "choice", "answers": "a\nb", "keep": "0.75"}
    answer = browse("steward").post(reverse("survey-question-add", args=[survey.pk]), good | changes)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]


def test_results_take_the_randomization_out(team: Team, browse: Browser) -> None:
    survey = factories.make_survey(team, OPEN)
    factories.make_answers(survey, *([(0, 0)] * 60 + [(1, 1)] * 40))
    first = survey_pages.results(survey)[0]
    yes = first.lines[0]
    assert (yes.sent, yes.share) == (60, pytest.approx((0.6 - 0.25) / 0.5))
    half = 1.959963984540054 * (0.6 * 0.4 / 100 / 0.25) ** 0.5
    assert (yes.low, yes.high) == (pytest.approx(0.7 - half), pytest.approx(0.7 + half))
    assert first.error_local == pytest.approx(half)
    assert 0 < first.error_central < first.error_local
    page = browse("reviewer").get(reverse("survey-results", args=[survey.pk])).content.decode()
    assert "70" in page
    chart = browse("reviewer").get(reverse("survey-chart", args=[survey.pk, 1])).json()
    assert [trace["name"] for trace in chart["data"]] == ["As sent", "Estimated"]
    assert browse("reviewer").get(reverse("survey-chart", args=[survey.pk, 3])).status_code == 404


def test_without_answers_or_after_erasure_there_are_no_results(team: Team, browse: Browser) -> None:
    survey = factories.make_survey(team, OPEN)
    results = reverse("survey-results", args=[survey.pk])
    assert b"Nobody has answered yet" in browse("steward").get(results).content
    Survey.objects.filter(pk=survey.pk).update(erased=True, answered=3)
    assert b"erased on their date" in browse("steward").get(results).content


def test_one_click_collects_and_the_columns_say_how_to_estimate(team: Team, browse: Browser) -> None:
    survey = factories.make_answers(factories.make_survey(team, OPEN), (0, 1), (1, 2), (1, 0))
    collect = reverse("survey-collect", args=[survey.pk])
    answer = browse("steward").post(collect)
    version = Version.objects.get()
    assert answer["Location"] == reverse("version-detail", args=[version.pk])
    version = factories.read_for_real(version)
    columns = browse("steward").get(reverse("version-columns", args=[version.pk])).content.decode()
    assert columns.count("randomized") >= 2
    column = version.columns.get(name="doping")
    page = browse("steward").get(reverse("column-settings", args=[column.pk])).content.decode()
    assert "(λ − 0.25) / 0.5 estimates the true share" in page
    team.project.datasets.update(name="moved")
    Survey.objects.update(dataset=None)
    factories.datasets.create(
        project=team.project, population=survey.population, name=survey.title, by=team.steward
    )
    assert browse("steward").post(collect)["Location"] == reverse("survey-detail", args=[survey.pk])
