"""The hierarchies of an earlier file used again, and what is missing of them: counts, never values."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.actions import columns, hierarchies
from stewardapp.models import AuditEvent, Version
from tests import factories
from tests.factories import Team, read_for_real
from tests.unit.views.conftest import ROW, SURVEY

NEW = "n3w-v4lue"
ROLES = {"born": "quasi-identifier", "zip": "quasi-identifier", "sex": "quasi-identifier"}
LINES = {"sex": "F;*\nM;*", "illness": "cold;airways;*\nflu;airways;*"}


@pytest.fixture
def earlier(team: Team, survey: Version) -> Version:
    columns.tag(version=survey, roles=ROLES, by=team.steward)
    for name, lines in LINES.items():
        attach(survey, name, team, lines=lines)
    attach(survey, "zip", team, spec={"builder": "mask", "side": "right"})
    return survey


def attach(version: Version, name: str, team: Team, **said: Any) -> None:
    made = hierarchies.create(project=team.project, name=factories.unique(name), by=team.steward, **said)
    hierarchies.attach(column=version.columns.get(name=name), hierarchy=made, by=team.steward)


@pytest.fixture
def later(team: Team, earlier: Version) -> Version:
    extra = ROW.format(n=500, year=60, month=1, day=1, zip=7, sex="F", illness=NEW)
    content = (SURVEY + extra).encode()
    return read_for_real(factories.upload(team, data=content, dataset=earlier.dataset))


def lines_of(client: Any, version: Version) -> dict[str, Any]:
    page = client.get(f"/versions/{version.pk}/hierarchies/")
    return {line.column.name: line for line in page.context["lines"]}


def test_one_click_uses_all_hierarchies_again_and_counts_what_is_missing(
    client_of: Any, team: Team, later: Version
) -> None:
    client = client_of(team.steward)
    tagged = {f"role-{column.position}": ROLES.get(column.name, "other") for column in later.columns.all()}
    answer = client.post(f"/versions/{later.pk}/columns/", {**tagged, "reuse": "all"}, follow=True)
    text = answer.content.decode()
    assert answer.redirect_chain[-1][0] == f"/versions/{later.pk}/hierarchies/"
    assert "3 hierarchies are used again" in text
    assert NEW not in text
    lines = lines_of(client, later)
    assert (lines["illness"].values, lines["illness"].lost, lines["illness"].complete) == (3, 1, False)
    assert lines["sex"].complete
    assert lines["zip"].complete
    assert lines["born"].column.hierarchy is None
    assert AuditEvent.objects.filter(action="hierarchies.reused").count() == 1
    assert not later.earlier_hierarchies()


def test_what_a_column_has_already_stays(team: Team, later: Version) -> None:
    attach(later, "sex", team, lines="F;any;*\nM;any;*")
    made = hierarchies.reuse(version=later, hierarchies=later.earlier_hierarchies(), by=team.steward)
    assert {column.name for column in made} == {"illness", "zip"}
    assert "any" in later.columns.get(name="sex").hierarchy.lines


def test_the_same_dataset_comes_before_others_and_other_projects_never(team: Team, later: Version) -> None:
    other = read_for_real(factories.upload(team, data=SURVEY.encode()))
    attach(other, "sex", team, lines="F;elsewhere;*\nM;elsewhere;*")
    attach(other, "born", team, spec={"builder": "date"})
    found = later.earlier_hierarchies()
    assert "elsewhere" not in found["sex"].lines
    assert found["born"].spec == {"builder": "date"}
    strangers = factories.make_project()
    assert not read_for_real(factories.upload(strangers, data=SURVEY.encode())).earlier_hierarchies()


def test_a_hierarchy_that_cannot_be_laid_over_the_values_says_so(
    client_of: Any, team: Team, later: Version
) -> None:
    attach(later, "illness", team, spec={"builder": "interval", "width": 3})
    line = lines_of(client_of(team.steward), later)["illness"]
    assert "3 distinct values are none" in line.problem
    assert not line.complete


def test_a_large_column_is_left_to_the_run(
    client_of: Any, team: Team, earlier: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stewardapp.presenters.hierarchy_overview.previewable", lambda column: False)
    assert lines_of(client_of(team.steward), earlier)["zip"].lost is None
