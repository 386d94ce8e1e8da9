"""The page of a policy: rows that are added, moved, filled in and refused, with and without errors."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from stewardapp.domain.policy_presets import PolicyPreset, policy_presets, protecting
from stewardapp.models import AuditEvent, Policy, PolicyRow
from tests import factories
from tests.unit.domain.test_demands import counted
from worker.engine import catalogue

__all__ = ["counted"]


def address(team: factories.Team) -> str:
    return f"/projects/{team.project.pk}/policy/"


def usual(slug: str) -> dict[str, Any]:
    """What a measure is told where nobody says otherwise."""
    return catalogue.measures()[slug]().model_dump(mode="json")


def revision(team: factories.Team, **changes: Any) -> dict[str, Any]:
    """Three rows as a browser sends them, with the rest of the form."""
    return {
        "row": ["aa:reidentification", "bb:reidentification", "cc:kept-columns"],
        "aa-figure": "smallest_class",
        "aa-bound": "7",
        "aa-family": "any",
        "bb-figure": "share_above/0.2",
        "bb-bound": "12.5",
        "bb-family": "truthful",
        "cc-figure": "unique_share",
        "cc-bound": "2.5",
        "cc-family": "any",
        "cc-excusable": "on",
        **{f"cc-{name}": value for name, value in usual("kept-columns").items()},
        "maximum_epsilon": "0.5",
        "maximum_local_epsilon": "1.5",
        "reviewers": "2",
        "retention_days": "30",
        "replaces": str(team.project.policy.version),
        **changes,
    }


def kept(policy: Policy) -> list[tuple[str, str, str, str, bool]]:
    return [(one.figure, one.part, str(one.bound), one.family, one.excusable) for one in policy.rows.all()]


def test_an_admin_revises_the_rows_in_the_units_of_the_page(client_of: Any, team: factories.Team) -> None:
    before = kept(team.project.policy)
    assert client_of(team.admin).post(address(team), revision(team)).status_code == 302
    policy = team.project.policy
    assert kept(policy) == [
        ("smallest_class", "", "7.0000", "any", False),
        ("share_above", "0.2", "0.1250", "truthful", False),
        ("unique_share", "", "0.0250", "any", True),
    ]
    assert (policy.maximum_epsilon_micro, policy.reviewers) == (500_000, 2)
    assert str(policy.maximum_local_epsilon) == "1.5000"
    assert kept(team.project.policies.get(version=1)) == before
    event = AuditEvent.objects.get(action="policy.revised")
    assert [one["bound"] for one in event.details["rows"]] == ["7.0000", "0.1250", "0.0250"]
    page = client_of(team.admin).get(address(team))
    assert [one.form.initial["bound"] for one in page.context["rows"].items] == ["7", "12.5", "2.5"]
    text = page.content.decode()
    assert "Smallest class at least 7" in re.sub(r"\s+", " ", text)
    assert "where rows are truthful" in text
    assert "How do I read this?" in text
    listed = client_of(team.admin).get("/projects/").content.decode()
    assert "Smallest class at least 7" in listed
    assert client_of(team.admin).get(f"/projects/{team.project.pk}/").status_code == 200


def test_what_the_page_shows_can_be_sent_back_as_it_is(client_of: Any, team: factories.Team) -> None:
    client = client_of(team.admin)
    client.post(address(team), revision(team))
    shown = client.get(address(team)).context
    again = {one.html_name: one.value() for one in shown["form"]}
    again["require_second_factor"] = ""
    for item in shown["rows"].items:
        again |= {
            one.html_name: one.value() for form in (item.form, item.params) for one in form if one.value()
        }
    again["row"] = [item.token for item in shown["rows"].items]
    before = kept(team.project.policy)
    assert client.post(address(team), again).status_code == 302
    assert (team.project.policy.version, kept(team.project.policy)) == (3, before)


def test_no_bound_on_local_promises_is_said(client_of: Any, team: factories.Team) -> None:
    page = client_of(team.admin).post(address(team), revision(team, maximum_local_epsilon=""), follow=True)
    assert team.project.policy.maximum_local_epsilon is None
    assert "no bound" in page.content.decode()


def test_a_revision_of_an_older_policy_is_a_conflict(client_of: Any, team: factories.Team) -> None:
    stale, client = revision(team), client_of(team.admin)
    client.post(address(team), stale)
    answer = client.post(address(team), stale)
    assert answer.status_code == 409
    assert "Somebody else" in answer.content.decode()


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("bb-bound", "101", "must lie between 0 % and 100 %"),
        ("bb-bound", "-1", "must lie between 0 % and 100 %"),
        ("aa-bound", "-1", "must lie between 0 and 1000000000"),
        ("aa-bound", "2.5", "is a whole number"),
        ("aa-bound", "NaN", "Enter a number"),
        ("aa-bound", "", "required"),
        ("aa-figure", "average", "not one of the available choices"),
        ("aa-figure", "unit", "not one of the available choices"),
        ("cc-family", "table under differential privacy", "not one of the available choices"),
        ("reviewers", "9", "not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_on_its_field(
    client_of: Any, team: factories.Team, field: str, value: str, says: str
) -> None:
    answer = client_of(team.admin).post(address(team), revision(team, **{field: value}))
    assert answer.status_code == 422
    forms = {one.key: one.form for one in answer.context["rows"].items}
    key, _, name = field.partition("-")
    errors = forms[key].errors[name] if name else answer.context["form"].errors[key]
    assert says in errors[0]
    assert team.project.policy.version == 1
    assert PolicyRow.objects.count() == len(protecting())


def test_the_same_demand_twice_is_said_on_the_second(client_of: Any, team: factories.Team) -> None:
    twice = revision(team, **{"bb-figure": "smallest_class", "bb-bound": "9", "bb-family": "any"})
    answer = client_of(team.admin).post(address(team), twice)
    assert answer.status_code == 422
    first, second, _ = answer.context["rows"].items
    assert not first.form.errors
    assert "twice" in second.form.errors["figure"][0]


def test_a_policy_without_rows_is_refused(client_of: Any, team: factories.Team) -> None:
    answer = client_of(team.admin).post(address(team), revision(team, row=[]))
    assert answer.status_code == 422
    assert "between 1 and 30 demands" in answer.content.decode()
    assert team.project.policy.version == 1


def test_a_measure_nobody_knows_is_shown_and_not_kept(client_of: Any, team: factories.Team) -> None:
    factories.revise_policy(team.project, team.admin)
    PolicyRow.objects.filter(position=2).update(measure="of-the-past")
    page = client_of(team.admin).get(address(team))
    assert [one.form is None for one in page.context["rows"].items] == [False, True, False]
    assert "cannot measure it" in page.content.decode()
    rows = ["aa:reidentification", "bb:of-the-past", "cc:kept-columns"]
    assert client_of(team.admin).post(address(team), revision(team, row=rows)).status_code == 422
    moved = client_of(team.admin).post(address(team), revision(team, row=rows, do="up:bb"))
    assert moved.context["rows"].items[0].slug == "of-the-past"
    assert team.project.policy.version == 2


@pytest.mark.parametrize(
    ("command", "order"),
    [
        ("up:bb", ["bb", "aa", "cc"]),
        ("up:aa", ["aa", "bb", "cc"]),
        ("down:bb", ["aa", "cc", "bb"]),
        ("down:cc", ["aa", "bb", "cc"]),
        ("remove:bb", ["aa", "cc"]),
        ("remove:zz", ["aa", "bb", "cc"]),
        ("nonsense", ["aa", "bb", "cc"]),
        ("add:of-the-past", ["aa", "bb", "cc"]),
    ],
)
def test_rows_move_without_a_script_and_keep_what_was_typed(
    client_of: Any, team: factories.Team, command: str, order: list[str]
) -> None:
    page = client_of(team.admin).post(address(team), revision(team, do=command, **{"aa-bound": "wrong"}))
    assert page.status_code == 200
    assert [one.key for one in page.context["rows"].items] == order
    (first,) = [one for one in page.context["rows"].items if one.key == "aa"]
    assert first.form.initial["bound"] == "wrong"
    assert not first.form.errors
    assert page.context["form"].initial["maximum_epsilon"] == "0.5"
    assert team.project.policy.version == 1


def test_a_row_is_added_with_the_figures_of_its_measure(client_of: Any, team: factories.Team) -> None:
    page = client_of(team.admin).post(address(team), revision(team, do="add:marginals"))
    *_, added = page.context["rows"].items
    offered = dict(added.form.fields["figure"].choices)
    assert offered["mean_total_variation"] == "Mean total variation, in %, at most"
    assert "distinct" not in offered, "neither way is better"
    assert "earth_mover" not in offered, "in the unit of a column that another file has not"
    assert added.fresh


def test_only_an_administrator_moves_rows(client_of: Any, team: factories.Team) -> None:
    assert client_of(team.steward).post(address(team), revision(team, do="up:bb")).status_code == 403
    assert client_of(team.steward).get(address(team)).status_code == 200


def test_a_measure_with_parameters_is_told_them_on_the_page(
    client_of: Any, team: factories.Team, counted: str
) -> None:
    client = client_of(team.admin)
    page = client.post(address(team), revision(team, do=f"add:{counted}"))
    *_, added = page.context["rows"].items
    assert list(added.params.fields) == ["least"], "columns follow from roles"
    row = {"dd-figure": "share", "dd-bound": "10", "dd-family": "perturbed"}
    rows = [*revision(team)["row"], f"dd:{counted}"]
    wrong = client.post(address(team), revision(team, row=rows, **row, **{"dd-least": "0"}))
    assert wrong.status_code == 422
    assert "least" in wrong.context["rows"].items[-1].params.errors
    assert client.post(address(team), revision(team, row=rows, **row, **{"dd-least": "4"})).status_code == 302
    *_, last = team.project.policy.rows.all()
    assert (last.params, str(last.bound), last.family) == ({"least": 4}, "0.1000", "perturbed")
    page = client.get(address(team))
    assert page.context["rows"].items[-1].params.initial == {"least": 4}
    assert "Share of small counts (least rows 4)" in page.content.decode()


def test_runs_are_listed_by_what_the_policy_demands_and_placed_by_any_headline(
    client_of: Any, team: factories.Team
) -> None:
    factories.revise_policy(team.project, team.admin)
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    kept = run.figures
    moved = {"measure": "marginals", "state": "measured", "reason": "", "idle": []}
    kept["results"]["marginals#44136fa3"] = {**moved, "figures": {"mean_total_variation": 0.25}}
    type(run).objects.filter(pk=run.pk).update(figures=kept)
    client, to = client_of(team.steward), f"/releases/{release.pk}/"
    page = client.get(to)
    assert page.context["lines"][0].figures == ("6", "16.7\u00a0%", "0\u00a0%")
    text = page.content.decode()
    for one in page.context["demands"]:
        assert f'<th scope="col" class="num">{one.title}</th>' in text
    asked = {"x": "marginals#44136fa3/mean_total_variation", "y": "reidentification#44136fa3/smallest_class"}
    page = client.get(to, asked)
    assert f'<option value="{asked["x"]}" selected>' in page.content.decode()
    compared = reverse("run-detail", args=[run.pk])
    assert f'<th scope="row"><a href="{compared}">Run {run.number}</a></th>' in page.content.decode()
    drawn = client.get(page.context["map"].url).json()
    assert drawn["layout"]["xaxis"]["title"]["text"].startswith("mean total variation")
    assert client.get(f"{to}map/", {"x": "gone", "y": "gone"}).json() == client.get(f"{to}map/").json()


@pytest.mark.parametrize("preset", policy_presets(), ids=lambda one: one.slug)
def test_a_preset_is_shown_and_holds_once_it_is_sent(
    client_of: Any, team: factories.Team, preset: PolicyPreset
) -> None:
    client, before = client_of(team.admin), team.project.policy.version
    shown = client.post(address(team), {**revision(team), "do": f"begin:{preset.slug}"}).context
    assert team.project.policy.version == before
    again = {one.html_name: one.value() for one in shown["form"]}
    again["require_second_factor"] = ""
    for item in shown["rows"].items:
        again |= {
            one.html_name: one.value() for form in (item.form, item.params) for one in form if one.value()
        }
    again["row"] = [item.token for item in shown["rows"].items]
    assert client.post(address(team), again).status_code == 302
    policy = team.project.policy
    assert [(one.measure, one.figure, one.bound, one.family, one.excusable) for one in policy.rows.all()] == [
        (one.measure, one.figure, one.bound, one.family, one.excusable) for one in preset.rows
    ]
    assert policy.maximum_epsilon_micro == preset.maximum_epsilon * 1_000_000
    assert (policy.reviewers, policy.retention_days) == (preset.reviewers, preset.retention_days)
