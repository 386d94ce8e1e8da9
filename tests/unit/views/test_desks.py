"""Pages of query desks: dictionary, try, price, confirm, answer at its tick, history – for each persona."""

from __future__ import annotations

import difflib
import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from stewardapp.access.verdict import yes
from stewardapp.actions import budgets, memberships
from stewardapp.actions.desks import MOST_ROWS
from stewardapp.forms.desks import CONDITIONS, QuestionForm, filled
from stewardapp.models import Charge, Desk, JobState, Notification, Query, User
from stewardapp.models.query import EXACT_VALUES, next_tick
from tests import factories
from tests.markup import readable
from tests.site import Site
from worker.engine.contracts.privacy import Spend
from worker.engine.dp import auditor, tryout
from worker.engine.dp.questions import Question

FLU = {"where_1": "illness", "op_1": "is", "values_1": "flu"}


@pytest.fixture
def team(embedded_site: Site, settings: Any) -> factories.Team:
    settings.STEWARD_ANSWER_TICK = settings.STEWARD_ANSWER_WAIT = 0
    return factories.make_project()


@pytest.fixture
def desk(team: factories.Team) -> Desk:
    return factories.make_desk(team)


def client(user: User) -> Client:
    found = Client()
    found.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    return found


def page(user: User, name: str, *args: Any, status: int = 200, **sent: Any) -> str:
    url = reverse(name, args=args)
    answer = client(user).post(url, sent) if sent else client(user).get(url)
    assert answer.status_code == status, answer.content.decode()[:2000]
    return answer.content.decode()


def asked(**more: Any) -> dict[str, Any]:
    return {"ask": "count", "epsilon": "0.5", **more}


def test_the_list_and_the_navigation_lead_to_the_desk(team: factories.Team, desk: Desk) -> None:
    shown = page(team.analyst, "desk-list")
    assert reverse("desk-detail", args=[desk.pk]) in shown
    assert "ε = 1" in shown
    assert 'href="/desks/" aria-current="page"' in shown
    assert reverse("desk-detail", args=[desk.pk]) not in page(team.outsider, "desk-list")


def test_the_dictionary_is_what_was_declared(team: factories.Team, desk: Desk) -> None:
    shown = page(team.analyst, "desk-detail", desk.pk)
    assert "cold, flu, none" in shown
    assert "from 0 to 100, in bins of 10" in shown
    assert "Your allowance" in shown
    for purse in ("The project’s part", "The whole population"):
        assert purse not in shown
        assert purse in page(team.steward, "desk-detail", desk.pk)
    assert "Close the desk" not in shown


def test_a_declaration_of_which_nothing_can_be_made_is_told(team: factories.Team, desk: Desk) -> None:
    """Days are no numbers, and bins can be too many: neither breaks the page."""
    age = desk.dictionary["age"]
    for said, reason in (
        ({"kind": "date", "bounds": ["2020-01-01", "2020-12-31"]}, "Without a lowest and a highest"),
        ({"kind": "integer", "bounds": [0, 10**9], "bin_width": 1}, "1\u202f000\u202f000 bins"),
    ):
        kept = {key: value for key, value in age.items() if key not in ("bounds", "bin_width")}
        factories.rewrite(desk, dictionary={**desk.dictionary, "age": {**kept, **said}})
        assert str(said["bounds"][0]) in page(team.analyst, "desk-detail", desk.pk)
        shown = page(team.analyst, "desk-ask", desk.pk, status=422, **asked(ask="mean", column="age"))
        assert reason in shown


def test_a_question_is_tried_and_priced_before_anything_is_spent(team: factories.Team, desk: Desk) -> None:
    shown = page(team.analyst, "desk-ask", desk.pk, **asked(**FLU))
    assert "Count: sensitivity 1, because a person has at most 1 row" in shown
    assert "Tried on invented rows" in shown
    assert "Ask, and spend ε = 0.5" in shown
    assert not Query.objects.exists()
    assert not Charge.objects.exists()


def test_what_no_mechanism_covers_is_refused_in_terms_of_the_question(
    team: factories.Team, desk: Desk
) -> None:
    shown = page(team.analyst, "desk-ask", desk.pk, status=422, **asked(ask="mean", column="illness"))
    assert "Without a lowest and a highest possible value" in shown
    shown = page(team.analyst, "desk-confirm", desk.pk, status=422, **asked(ask="mean", column="illness"))
    assert "Ask the steward to declare bounds" in shown
    shown = page(team.analyst, "desk-ask", desk.pk, status=422, **asked(**{**FLU, "values_1": "plague"}))
    assert "not among the declared categories" in shown
    for epsilon in ("NaN", "inf", "-1", "0", "1e-320"):
        page(team.analyst, "desk-ask", desk.pk, status=422, **asked(epsilon=epsilon))


def test_the_price_beyond_the_allowance_cannot_be_confirmed(team: factories.Team) -> None:
    desk = factories.make_desk(team, allowance="0.4")
    shown = page(team.analyst, "desk-ask", desk.pk, **asked())
    assert "your allowance has only ε = 0.4 left" in shown
    page(team.analyst, "desk-confirm", desk.pk, status=403, **asked())
    assert not Query.objects.exists()


def test_confirmed_answered_and_remembered(team: factories.Team, desk: Desk) -> None:
    page(team.analyst, "desk-confirm", desk.pk, status=302, **asked(ask="mean", column="age", by=["illness"]))
    query = Query.objects.get()
    assert "Waiting" in page(team.analyst, "question-detail", query.pk)
    answer(query)
    shown = page(team.analyst, "question-detail", query.pk)
    assert shown.count("±") >= 1
    assert "How to read it" in shown
    assert "True figure" not in shown
    assert "The mean of age, for each illness" in page(team.analyst, "desk-detail", desk.pk)
    again = page(team.analyst, "desk-ask", desk.pk, **asked(ask="mean", column="age", by=["illness"]))
    assert "its stored answer costs nothing" in again
    page(team.analyst, "desk-confirm", desk.pk, status=302, **asked(ask="mean", column="age", by=["illness"]))
    assert Charge.objects.count() == 1


def test_what_colleagues_asked_is_not_told_by_price_or_refusal(team: factories.Team, desk: Desk) -> None:
    factories.make_stored_answer(desk, team.analyst)
    colleague = factories.make_user("colleague")
    memberships.add(project=team.project, user=colleague, role="analyst", by=team.admin)
    allotment = desk.allotment
    assert allotment is not None
    question = asked(ask="histogram", column="illness", epsilon="0.5")
    for limit, words in (("0.4", "has only ε = 0.4 left"), ("0.5", "Ask, and spend ε = 0.5")):
        budgets.allow(allotment=allotment, user=colleague, limit=Spend.of(Decimal(limit)), by=team.steward)
        shown = page(colleague, "desk-ask", desk.pk, **question)
        assert words in shown
        assert "costs nothing" not in shown
        status = 403 if limit == "0.4" else 302
        page(colleague, "desk-confirm", desk.pk, status=status, **question)
    assert "costs nothing" in page(team.analyst, "desk-ask", desk.pk, **question)


def told(analyst: User, desk: Desk, value: str) -> list[str]:
    """Everything this analyst is told on the way to an answer, without names, ids, times and the value."""
    question = asked(where_1="illness", op_1="is", values_1=value)
    pages = [page(analyst, "desk-ask", desk.pk, **question)]
    page(analyst, "desk-confirm", desk.pk, status=302, **question)
    query = Query.objects.visible_to(analyst).get()
    seen = [("question-detail", query.pk), ("question-progress", query.pk), *everywhere(desk)]
    pages += [page(analyst, name, *args) for name, *args in seen]
    answer(query)
    pages += [page(analyst, name, *args) for name, *args in seen]  # before its moment
    long_ago = {"queued_at": query.queued_at - timedelta(days=1), "finished_at": query.queued_at}
    Query.objects.filter(pk=query.pk).update(**long_ago)
    pages += [page(analyst, name, *args) for name, *args in everywhere(desk)]
    final = page(analyst, "question-detail", query.pk)
    pages += [re.sub(r"<b>[^<]*</b><span>Answer", "", final), page(analyst, "desk-ask", desk.pk, **question)]
    page(analyst, "question-withdraw", query.pk, status=403, yes=1)
    return [normal(text, analyst) for text in pages]


def everywhere(desk: Desk) -> list[tuple[Any, ...]]:
    """The pages beside those of the question."""
    population = desk.version.dataset.population_id
    plain = [("home",), ("desk-list",), ("population-list",)]
    return [
        *plain,
        ("desk-detail", desk.pk),
        ("population-budget", population),
        ("population-chart", population),
    ]


def normal(text: str, analyst: User) -> str:
    """The same for everybody who is told the same."""
    text = text.replace(analyst.get_username(), "NAME").replace(analyst.display_name, "NAME")
    text = re.sub(
        r"[0-9a-f]{8}-[0-9a-f-]{27}|csrfmiddlewaretoken[^>]*|why-\w+|help-\w+|nonce=\S+|[0-9]{4}-[0-9]{2}[^<\"]*",
        "#",
        text,
    )
    text = re.sub(r"title=\"[^\"]* UTC\">[^<]*", "#", text)
    text = re.sub(r"(?s)Tried on invented rows</summary>.*?</details>", "#", text)
    return re.sub(r"\b(flu|cold)\b", "VALUE", text)


@pytest.mark.parametrize("shared", [False, True], ids=["as it is", "told what others have left"])
def test_pages_are_the_same_whether_or_not_a_colleague_asked(
    team: factories.Team, desk: Desk, settings: Any, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    """One analyst asks what a colleague asked, the other something new; the twin shows the shared purses."""
    settings.STEWARD_ANSWER_WAIT = 100
    if shared:
        monkeypatch.setattr("stewardapp.access.rules.may_see_purchases", lambda _: yes())
    allotment = desk.allotment
    assert allotment is not None
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(Decimal("0.9")), by=team.steward)
    flu = {"column": "illness", "op": "is", "values": ["flu"]}
    answer(factories.make_query(desk, team.analyst, {"ask": "count", "epsilon": 0.5, "where": [flu]}))
    people = [factories.make_user(name) for name in ("onea", "oneb")]
    for other in people:
        memberships.add(project=team.project, user=other, role="analyst", by=team.admin)
        budgets.allow(allotment=allotment, user=other, limit=Spend.of(Decimal("0.5")), by=team.steward)
    Notification.objects.all().delete()  # of who came later than whom
    found = [told(other, desk, value) for other, value in zip(people, ("flu", "cold"), strict=True)]
    assert Query.objects.filter(repeats__isnull=False).count() == 1
    apart = [
        line
        for one, two in zip(*found, strict=True)
        for line in difflib.unified_diff(one.splitlines(), two.splitlines(), n=0)
    ]
    assert bool(apart) is shared, apart


def answer(query: Query) -> None:
    from worker.queue import runner

    runner.perform("query", str(query.pk))
    query.refresh_from_db()


def test_true_figures_are_for_those_cleared_for_the_data(team: factories.Team, desk: Desk) -> None:
    query = factories.make_answer(desk, team.analyst, {"ask": "count", "epsilon": 0.9})
    for cleared in (team.steward, team.reviewer):
        shown = page(cleared, "question-detail", query.pk)
        assert "True figure" in shown
        assert "<b>6</b>" in shown
        assert "Close the desk" in page(cleared, "desk-detail", desk.pk)
    assert "True figure" not in page(team.analyst, "question-detail", query.pk)
    for other in (team.outsider, team.admin):
        page(other, "question-detail", query.pk, status=404)


def test_true_figures_of_before_still_show(team: factories.Team, desk: Desk) -> None:
    """They were written as a file of a release."""
    query = factories.make_stored_answer(desk, team.analyst)
    lines = "illness,exact,answer,error95\ncold,2,3,2\nflu,777,-1,2\nnone,41,40,2\n"
    query.exact = factories.store(lines.encode(), query.key, "exact.csv")
    query.save()
    assert "777" in readable(page(team.steward, "question-detail", query.pk))
    assert "777" not in readable(page(team.analyst, "question-detail", query.pk))


def test_values_stay_values(team: factories.Team) -> None:
    """No spreadsheet is going to open an answer: a category is shown as it was declared."""
    desk = factories.make_desk(team)
    hostile = "=cmd|'/C calc'"
    said = {**desk.dictionary["illness"], "categories": [hostile, "+1", "a,b", "none"]}
    factories.rewrite(desk, dictionary={**desk.dictionary, "illness": said})
    query = factories.make_answer(desk, team.analyst, {"ask": "count", "by": ["illness"], "epsilon": 0.5})
    assert query.state == JobState.SUCCEEDED, query.error_message
    assert [row[0] for row in query.answer["rows"]] == [hostile, "+1", "a,b", "none"]
    assert query.exact is not None
    assert query.exact.purpose == EXACT_VALUES


def test_a_failure_tells_whoever_asked_nothing_but_the_price(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst)
    fence = Query.objects.claim(query.pk, "w", 60)
    assert fence is not None
    Query.objects.mark_charged(query.pk, fence)
    Query.objects.fail(query.pk, fence, code="memory", message="The job needed more than 2 GB.")
    shown = page(team.analyst, "question-detail", query.pk)
    assert "Its price stays spent" in shown
    assert "memory" not in shown
    assert "2 GB" not in shown


def test_an_end_before_its_tick_looks_like_no_end(team: factories.Team, desk: Desk, settings: Any) -> None:
    settings.STEWARD_ANSWER_TICK = 86_400 * 365 * 50
    query = factories.make_answer(desk, team.analyst)
    assert query.state == JobState.SUCCEEDED
    assert "Waiting" in page(team.analyst, "question-detail", query.pk)
    assert "Waiting" in page(team.analyst, "question-progress", query.pk)
    settings.STEWARD_ANSWER_TICK = 0
    page(team.analyst, "question-progress", query.pk, status=286)


@pytest.mark.parametrize("run_time", [0.01, 1.0, 4.99])
def test_the_tick_hides_how_long_an_answer_took(run_time: float) -> None:
    start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert next_tick(start + timedelta(seconds=run_time), 5) == start + timedelta(seconds=5)
    assert next_tick(start, 5) == start


def test_a_desk_is_opened_and_closed_by_a_steward(team: factories.Team) -> None:
    version = factories.read_for_real(factories.upload(team))
    factories.columns.tag(version=version, roles=factories.ROLES, by=team.steward)
    opened = reverse("desk-open", args=[version.pk])
    assert opened in page(team.steward, "version-detail", version.pk)
    assert "age: nothing is declared yet" in page(team.steward, "desk-open", version.pk)
    bounds = {"bounds": [0, 100], "bin_width": 10}
    factories.columns.describe(version=version, name="age", settings=bounds, by=team.steward)
    assert "age: from 0 to 100, in bins of 10" in page(team.steward, "desk-open", version.pk)
    page(team.reviewer, "desk-open", version.pk, status=403)
    page(team.steward, "desk-open", version.pk, status=422, rows_per_person=0)
    page(team.steward, "desk-open", version.pk, status=302, columns=["age"], rows_per_person=3)
    desk = Desk.objects.get()
    assert desk.rows_per_person == 1  # no person key: every row is somebody's only one
    assert list(desk.dictionary) == ["age"]
    assert reverse("desk-detail", args=[desk.pk]) in page(team.steward, "version-detail", version.pk)
    page(team.steward, "desk-open", version.pk, status=403)
    page(team.reviewer, "desk-close", desk.pk, status=403, yes=1)
    page(team.steward, "desk-close", desk.pk, status=302, yes=1)
    desk.refresh_from_db()
    assert desk.closed_at is not None
    assert desk.closed_at <= timezone.now()
    page(team.analyst, "desk-ask", desk.pk, status=403)


def test_without_an_allowance_nobody_asks(team: factories.Team, desk: Desk) -> None:
    other = factories.make_user("analyst")
    factories.memberships.add(project=team.project, user=other, role="analyst", by=team.admin)
    assert "You have no allowance" in page(other, "desk-ask", desk.pk, status=403)
    page(team.steward, "desk-ask", desk.pk, status=403)


def test_a_question_is_taken_back_on_its_page(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst)
    assert "Take it back" in page(team.analyst, "question-detail", query.pk)
    page(team.steward, "question-withdraw", query.pk, status=403, yes=1)
    page(team.analyst, "question-withdraw", query.pk, status=302, yes=1)
    shown = page(team.analyst, "question-detail", query.pk)
    assert "Taken back" in shown
    assert "nothing was taken from the budget" in shown
    page(team.analyst, "question-withdraw", query.pk, status=403, yes=1)


def test_an_answer_by_cells_is_drawn_with_its_errors(team: factories.Team, desk: Desk) -> None:
    """The true figures are drawn beside it for those cleared for the data, and for nobody else."""
    query = factories.make_stored_answer(desk, team.analyst)
    assert reverse("question-chart", args=[query.pk]) in page(team.analyst, "question-detail", query.pk)
    [drawn] = json.loads(page(team.analyst, "question-chart", query.pk))["data"]
    assert (drawn["x"], drawn["y"]) == (["cold", "flu", "none"], [3.0, -1.0, 40.0])
    assert drawn["error_y"]["array"] == [2.0, 2.0, 2.0]
    told, true = json.loads(page(team.steward, "question-chart", query.pk))["data"]
    assert told == drawn
    assert (true["name"], true["y"]) == ("True figure", [2.0, 0.0, 41.0])


def test_a_single_figure_has_no_picture(team: factories.Team, desk: Desk) -> None:
    query = factories.make_query(desk, team.analyst)
    assert reverse("question-chart", args=[query.pk]) not in page(team.analyst, "question-detail", query.pk)
    page(team.analyst, "question-chart", query.pk, status=404)


def test_older_remedies_stand_beside_the_answer(team: factories.Team, desk: Desk) -> None:
    """Counts of a sample are scaled up; what was not asked yet is one click from being tried."""
    by_data = factories.make_stored_answer(desk, team.analyst, {**factories.HISTOGRAM, "epsilon": 0.25})
    shown = page(team.analyst, "question-detail", by_data.pk)
    assert "Ask it of: a random sample of the rows" in shown
    sampled = {**factories.HISTOGRAM, "epsilon": 0.25, "on": "sample", "sample_share": 0.5}
    assert "Ask, and spend" in page(team.analyst, "desk-ask", desk.pk, **sampled)
    by_sample = factories.make_stored_answer(desk, team.analyst, sampled)
    other = factories.make_stored_answer(desk, team.analyst, {**factories.HISTOGRAM, "epsilon": 0.1})
    for query in (by_data, by_sample):
        shown = page(team.analyst, "question-detail", query.pk)
        assert "A sample of 50" in shown
        assert re.search(r"40 ± 2</td>\s*<td[^>]*>80 ± 4</td>", shown)
        assert "Ask it of: a perturbed copy" in shown
        assert "a random sample" not in shown
    assert "A sample of 50" not in page(team.analyst, "question-detail", other.pk)


def test_a_question_is_filled_in_again(team: factories.Team, desk: Desk) -> None:
    """What the form sends for a question is the question."""
    said = {"column": "illness", "op": "in", "values": ["cold", "flu"]}
    question = Question.of({"ask": "median", "column": "age", "by": ["illness"], "where": [said], "top": 2})
    form = QuestionForm(filled(question), desk=desk)
    assert form.is_valid(), form.errors
    assert form.asked is not None
    assert form.asked.params() == question.params()


def test_any_other_value_is_asked_for_on_the_form(team: factories.Team, desk: Desk) -> None:
    sent = asked(ask="histogram", column="illness", other_cell="on")
    shown = page(team.analyst, "desk-ask", desk.pk, **sent)
    assert "with any other value" in shown
    assert shown.count("<td>any other value</td>") == 1
    form = QuestionForm(sent, desk=desk)
    assert form.is_valid()
    assert form.asked is not None
    assert form.asked.other_cell
    assert form.specialised
    hidden = QuestionForm(filled(form.asked), desk=desk)
    assert hidden.is_valid()
    assert hidden.asked == form.asked
    assert "<td>any other" not in page(team.analyst, "desk-ask", desk.pk, **{**sent, "other_cell": ""})


def test_a_category_with_a_semicolon_can_be_named(team: factories.Team, desk: Desk) -> None:
    severe = 'flu; "severe"'
    declared = {"categories": ["cold", "flu", severe]}
    factories.columns.describe(version=desk.version, name="illness", settings=declared, by=team.steward)
    factories.desks.close(desk=desk, by=team.steward)
    opened = factories.desks.open_on(
        version=desk.version, columns=["illness"], rows_per_person=1, by=team.steward
    )
    named = {"where_1": "illness", "op_1": "in", "values_1": '"flu; ""severe"""; cold'}
    shown = page(team.analyst, "desk-ask", opened.pk, **asked(**named))
    assert "Ask, and spend" in shown
    form = QuestionForm(asked(**named), desk=opened)
    assert form.is_valid(), form.errors
    assert form.asked is not None
    assert form.asked.where[0].values == (severe, "cold")
    assert filled(form.asked)["values_1"] == named["values_1"]
    unquoted = {**named, "values_1": severe}
    assert "not among the declared categories" in page(
        team.analyst, "desk-ask", opened.pk, status=422, **asked(**unquoted)
    )
    open_quote = {**named, "values_1": '"flu'}
    assert "opened and not closed" in page(
        team.analyst, "desk-ask", opened.pk, status=422, **asked(**open_quote)
    )


def test_the_page_of_the_documentation_tells_the_limits_there_are(settings: Any) -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "query-desk.md"
    [block] = re.findall(r"```json\n(.*?)```", page.read_text(), re.DOTALL)
    assert json.loads(block) == {
        "seconds_between_ticks": settings.STEWARD_ANSWER_TICK,
        "seconds_before_an_answer": settings.STEWARD_ANSWER_WAIT,
        "rows_of_one_person_at_most": MOST_ROWS,
        "groups_at_most": auditor.MOST_GROUPS,
        "conditions_on_the_form": CONDITIONS,
        "invented_rows": tryout.ROWS,
        "extreme_share": str(Question().extreme),
    }
