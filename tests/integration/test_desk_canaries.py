"""Planted values go through a query desk and are looked for in logs, rows, files and on pages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.urls import reverse

from stewardapp.actions import columns, desks
from stewardapp.models import Query
from tests import factories
from tests.integration.canaries import Search
from tests.integration.test_canaries import files, rows
from tests.integration.url_scene import browser
from tests.listening import Listener, listener
from tests.site import Site
from worker.queue import runner

__all__ = ["listener"]

TOWN, INCOME, NAME = "Tøwn<q&i>Kanari", "918273645", "Nam<n&é>riKanari"
SECRETS = Search((("town", TOWN), ("income", INCOME), ("name", NAME)))
LINES = [f"{NAME}{n},{INCOME if n == 7 else 1000 + n},{TOWN if n == 7 else 'Northtown'}" for n in range(60)]
DATA = "\n".join(["name,income,town", *LINES, ""]).encode()
ROLES = {"name": "direct-identifier", "income": "other", "town": "sensitive"}
QUESTIONS: list[dict[str, Any]] = [
    {"ask": "maximum", "column": "income"},
    {"ask": "mean", "column": "income", "by": ["town"]},
    {"ask": "histogram", "column": "town"},
    {"ask": "count", "where": [{"column": "town", "op": "is", "values": ["Northtown"]}]},
]


def test_a_desk_tells_no_value_that_was_not_declared(
    embedded_site: Site, listener: Listener, settings: Any
) -> None:
    settings.STEWARD_ANSWER_TICK = settings.STEWARD_ANSWER_WAIT = 0
    team = factories.make_project()
    version = factories.read_for_real(factories.upload(team, data=DATA))
    columns.tag(version=version, roles=ROLES, by=team.steward)
    for name, said in (("income", {"bounds": [0, 2000]}), ("town", {"categories": ["Northtown", "Eastby"]})):
        columns.describe(version=version, name=name, settings=said, by=team.steward)
    allotment = factories.give_budget(team, version.dataset.population, factories.Spend.of(3))
    limit = factories.Spend.of(Decimal(2))
    factories.budgets.allow(allotment=allotment, user=team.analyst, limit=limit, by=team.steward)
    desk = desks.open_on(version=version, columns=["income", "town"], rows_per_person=1, by=team.steward)
    for question in QUESTIONS:
        query = factories.make_answer(desk, team.analyst, {**question, "epsilon": 0.25})
        assert query.state == "succeeded", query.error_message
    lost = factories.make_query(desk, team.analyst, {"ask": "sum", "column": "income", "epsilon": 0.25})
    Query.objects.filter(pk=lost.pk).update(charged_at=lost.queued_at)  # as if killed before its answer
    runner.perform("query", str(lost.pk))
    for persona in ("analyst", "steward"):
        client = browser(team.persona(persona))
        pages = [reverse("desk-list"), reverse("desk-detail", args=[desk.pk]), reverse("audit-list")]
        asked = [[one.pk] for one in desk.queries.all()]
        pages += [reverse(name, args=one) for name in ("question-detail", "question-chart") for one in asked]
        for url in pages:
            assert SECRETS.found(client.get(url).content) == set(), url
    sent = {"ask": "count", "epsilon": "0.1", "where_1": "town", "op_1": "is", "values_1": TOWN}
    answer = browser(team.analyst).post(reverse("desk-ask", args=[desk.pk]), sent)
    assert answer.status_code == 422  # it is not declared, whether it is there or not
    assert SECRETS.found(listener.stream.getvalue().encode()) == set()
    assert SECRETS.found(embedded_site.logs().encode()) == set()
    assert rows(SECRETS) == []
    assert files(embedded_site.data, SECRETS) == []
