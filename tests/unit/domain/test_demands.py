"""What a policy may demand, and that a run measures what its policy needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic import Field

from stewardapp.access.facts import ANY_FAMILY
from stewardapp.access.verdict import Invalid
from stewardapp.actions import releases
from stewardapp.domain import demands
from stewardapp.domain.demands import FAMILIES, Demand, checked, demandable, offered
from stewardapp.domain.policy_presets import (
    OF_A_NEW_PROJECT,
    PolicyPreset,
    policy_preset,
    policy_presets,
    protecting,
)
from stewardapp.domain.runnable import measured_for
from stewardapp.models import Policy, PolicyRow
from stewardapp.presenters import candidates, release_pages, verdict_line
from stewardapp.presenters.demands import demand_lines
from stewardapp.reads.releases import Seen
from tests import factories
from worker.engine import catalogue
from worker.engine.contracts.annotations import AuxiliaryFile, Columns
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, measures
from worker.engine.contracts.scene import Side


@pytest.fixture
def team(db: None) -> factories.Team:
    return factories.make_project()


class Counted(Measure):
    """How many rows stand in small counts."""

    slug = "small-counts-of-the-test"
    title = "Small counts"
    section = Section.RISK
    figures: ClassVar = (
        Figure("share", "Share of small counts", "Rows in them.", unit="share", better="low", headline=True),
        Figure("kept", "Rows kept", "Rows that leave.", unit="number", better="high"),
    )
    least: int = Field(ge=1, title="Least rows", description="Fewer are small.")
    column: Annotated[str | None, Columns()] = Field(None, title="Column", description="One of them.")

    def read(self, side: Side) -> Found:
        return Found({"share": 0.0, "kept": 1.0})


class Beside(Counted):
    """Needs a file."""

    slug = "beside-of-the-test"
    others: Annotated[str, AuxiliaryFile()] = Field(title="File", description="Somebody else's.")


@pytest.fixture
def counted() -> Iterator[str]:
    """A measure with a parameter and a column, known while a test runs; and one that needs a file."""
    catalogue.measures()
    for cls in (Counted, Beside):
        measures.register(cls)
    yield Counted.slug
    for cls in (Counted, Beside):
        del measures.classes[cls.slug]


ROW = Demand(Counted.slug, "share", Decimal("0.1"), params={"least": 4})


USUAL = factories.demands()


@pytest.mark.parametrize("preset", policy_presets(), ids=lambda one: one.slug)
def test_what_a_preset_demands_can_be_demanded(preset: PolicyPreset) -> None:
    assert [checked(one).bound for one in preset.demands] == [row.bound for row in preset.rows]
    judged = [(one.measure, one.figure, one.family) for one in preset.demands]
    assert len(set(judged)) == len(judged)


@pytest.mark.parametrize("family", [one for one in FAMILIES if one != ANY_FAMILY])
def test_a_new_project_demands_something_of_every_family(family: str) -> None:
    assert any(one.family == family for one in protecting())
    assert policy_preset(OF_A_NEW_PROJECT) is not None


def test_open_data_are_held_to_more_than_any_other_file() -> None:
    open_data = policy_preset("open-data")
    assert open_data is not None
    bounds = {(one.measure, one.figure, one.family): one.bound for one in open_data.demands}
    for other in policy_presets():
        for one in other.demands:
            strict = bounds.get((one.measure, one.figure, one.family), one.bound)
            assert strict >= one.bound if one.figure == "smallest_class" else strict <= one.bound


def test_what_every_file_can_be_measured_by_is_offered(counted: str) -> None:
    assert counted in demandable()
    assert Beside.slug not in demandable(), "a policy names no file"
    parts = [part for figure, part in offered(catalogue.measures()["reidentification"]) if part]
    assert parts == ["0.05", "0.2", "0.5"]


@pytest.mark.parametrize(
    ("change", "code", "param"),
    [
        ({"measure": "of-the-past"}, "unknown-measure", "measure"),
        ({"measure": Beside.slug}, "unknown-measure", "measure"),
        ({"figure": "else"}, "unknown-figure", "figure"),
        ({"part": "0.5"}, "unknown-figure", "figure"),
        ({"family": "nobody's"}, "unknown-family", "family"),
        ({"family": "table under differential privacy"}, "unknown-family", "family"),
        ({"params": {"least": 4, "column": "age"}}, "bad-parameter", "params"),
        ({"params": {"least": 0}}, "bad-parameter", "params.least"),
        ({"params": {}}, "bad-parameter", "params.least"),
        ({"bound": Decimal("1.1")}, "out-of-range", "bound"),
        ({"bound": Decimal("-0.1")}, "out-of-range", "bound"),
        ({"bound": Decimal("NaN")}, "out-of-range", "bound"),
        ({"bound": Decimal("Infinity")}, "out-of-range", "bound"),
        ({"figure": "kept", "bound": Decimal(10) ** 10}, "out-of-range", "bound"),
    ],
)
def test_what_cannot_be_demanded_is_refused_at_its_place(
    counted: str, change: dict[str, Any], code: str, param: str
) -> None:
    assert checked(ROW).params == {"least": 4}
    with pytest.raises(Invalid) as caught:
        checked(replace(ROW, **change))
    assert (caught.value.code, caught.value.param) == (code, param)


def test_a_number_may_lie_below_nothing_and_a_count_is_whole(counted: str) -> None:
    assert checked(replace(ROW, figure="kept", bound=Decimal("-2.5"))).bound == Decimal("-2.5")
    with pytest.raises(Invalid, match="whole number"):
        checked(replace(USUAL[0], bound=Decimal("2.5")))


@pytest.mark.django_db
def test_a_policy_makes_between_one_and_thirty_demands_each_once(team: factories.Team) -> None:
    for number in (0, 11):
        with pytest.raises(Invalid, match="between 1 and 30"):
            factories.revise_policy(team.project, team.admin, rows=list(USUAL) * number)
    with pytest.raises(Invalid) as caught:
        factories.revise_policy(team.project, team.admin, rows=[*USUAL, USUAL[1]])
    assert (caught.value.code, caught.value.param) == ("row-twice", "rows[3].figure")
    wrong = [USUAL[0], replace(USUAL[1], bound=Decimal(2))]
    with pytest.raises(Invalid) as caught:
        factories.revise_policy(team.project, team.admin, rows=wrong)
    assert caught.value.param == "rows[1].bound"
    assert team.project.policy.version == 1
    assert PolicyRow.objects.count() == len(protecting())


@pytest.mark.django_db
def test_without_rows_those_in_force_are_written_again(team: factories.Team) -> None:
    factories.revise_policy(team.project, team.admin, rows=factories.demands(k=9))
    factories.revise_policy(team.project, team.admin, rows=None, reviewers=2)
    policy = team.project.policy
    assert (policy.version, policy.reviewers) == (3, 2)
    assert demands.demands_of(policy) == tuple(checked(one) for one in factories.demands(k=9))


@pytest.mark.django_db
def test_a_written_row_is_never_changed(team: factories.Team) -> None:
    row = team.project.policy.rows.first()
    assert row is not None
    assert "row 1" in str(row)
    with pytest.raises(TypeError, match="revise the policy"):
        row.save()


@pytest.mark.django_db
def test_a_run_measures_what_its_policy_needs(team: factories.Team, counted: str) -> None:
    release = factories.make_release(team)
    plain = factories.make_run(release)
    assert plain.recipe["measures"] == ["*"], "it holds everything that is demanded"
    factories.revise_policy(
        team.project,
        team.admin,
        rows=[*factories.demands(), ROW, replace(ROW, figure="kept", bound=Decimal(1))],
    )
    run = factories.make_run(release)
    assert run.recipe["measures"] == ["*", {"measure": counted, "params": {"least": 4}}]
    assert run.recipe_sha256 != plain.recipe_sha256
    releases.edit_recipe(
        release=release, recipe={**release.recipe, "measures": []}, revision=None, by=team.steward
    )
    release.refresh_from_db()
    named = {one["measure"] for one in factories.make_run(release).recipe["measures"]}
    assert named == {"reidentification", "kept-columns", counted}


@pytest.mark.django_db
def test_what_is_not_usually_measured_is_measured_where_it_is_demanded(team: factories.Team) -> None:
    costly = [one for one in demandable().values() if not one.by_default]
    wanted = [Demand(one.slug, next(offered(one))[0].name, Decimal(1)) for one in costly]
    assert costly
    factories.revise_policy(team.project, team.admin, rows=wanted)
    recipe = factories.make_run(factories.make_release(team)).recipe
    named = [one["measure"] for one in recipe["measures"] if one != "*"]
    assert named == [one.slug for one in costly]


def test_a_table_with_noise_measures_nothing_for_it() -> None:
    policy = Policy(version=1)
    step = {"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 0.5}}
    columns = {"age": {"role": "quasi-identifier", "kind": "text", "categories": ["1", "2"]}}
    draft = {"version": 1, "columns": columns, "goals": [], "steps": [step], "measures": []}
    assert measured_for(policy, draft)[0]["measures"] == []


@pytest.mark.django_db
def test_a_run_that_was_made_before_the_demand_says_what_to_do(team: factories.Team, counted: str) -> None:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    assert release_pages.policy_met(factories.seen(run))
    factories.revise_policy(team.project, team.admin, rows=[*factories.demands(), ROW])
    met = release_pages.policy_met(factories.seen(run))
    assert met.code == "row-unknown"
    assert "run again" in met.reason


@pytest.mark.django_db
def test_a_measure_that_is_gone_fails_its_row_and_says_so(team: factories.Team) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    PolicyRow.objects.filter(position=1).update(measure="of-the-past")
    met = release_pages.policy_met(factories.seen(run))
    assert (met.code, "of-the-past" in met.reason) == ("row-unknown", True)
    line, *_ = demand_lines(team.project.policy)
    assert line.measure == "of-the-past"
    shown = verdict_line.verdict_line(factories.seen(run), met)
    assert not shown.met
    assert factories.make_run(run.release).recipe["measures"] == ["*"]


@pytest.mark.django_db
def test_figures_stay_when_a_report_is_gone_and_no_report_is_opened_for_a_list(
    team: factories.Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    run.sealed_report = None
    assert release_pages.policy_met(factories.seen(run))
    assert "Highest risk" in candidates.figures(run)
    line = verdict_line.verdict_line(factories.seen(run), release_pages.policy_met(factories.seen(run)))
    assert [one.holds for one in line.pairs][:3] == [True, True, True]


@pytest.mark.django_db
def test_the_rows_of_a_policy_are_asked_for_once(team: factories.Team) -> None:
    release = factories.make_release(team)
    found = [factories.make_succeeded_run(release) for _ in range(3)]
    seen = Seen(release, team.steward)
    with CaptureQueriesContext(connection) as asked:
        release_pages.run_lines(found, seen)
    assert sum("policyrow" in one["sql"] for one in asked.captured_queries) == 1
