"""Promises of single cells add up over all that is out where draws differ; noise of a column is listed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from stewardapp.access.workflow import State
from stewardapp.actions import policies, releases
from stewardapp.domain.averaging import added_up, averaged_with, changes_of
from stewardapp.domain.manifest import public_part
from stewardapp.models import Project, Release, Run, Version
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]

PRAM = {"method": "pram", "params": {"column": "illness"}}
ANSWERS = {"method": "randomized-response", "params": {"column": "illness", "categories": ["flu", "none"]}}
NOISE = {"method": "noise", "params": {"column": "age"}}
SWAPS = {"method": "rank-swapping", "params": {"columns": ["age"]}}
ROUNDS = {"method": "rounding", "params": {"column": "age"}}


def local(epsilon: float | None, draws: str | None = "a", **more: Any) -> dict[str, Any]:
    return {"column": "illness", "local_epsilon": epsilon, "draws": draws, **more}


def candidate(team: Team, *steps: tuple[dict[str, Any], dict[str, Any]], version: Any = None) -> Run:
    """A run with these steps, each with its facts."""
    recipe = {"goals": [], "steps": [step for step, _ in steps]}
    release = factories.make_release(team, recipe=recipe, version=version)
    return factories.make_succeeded_run(release, steps=[facts for _, facts in steps])


def out(run: Run, team: Team, state: State = State.PUBLISHED) -> Release:
    """The release of a run, taken out."""
    release = releases.submit(release=run.release, run=run, by=team.steward)
    release = factories.vote(team, release, "approve")
    if state is not State.APPROVED:
        seen = release.candidate_sha256
        release = releases.publish(release=release, manifest_sha256=seen, by=team.steward)
    if state is State.REVOKED:
        release = releases.revoke(release=release, notice="A mistake was found.", by=team.steward)
    return release


def unbounded(project: Project, by: Any, bound: Decimal | None = None) -> None:
    now = project.policy
    policies.revise(
        project=project,
        maximum_local_epsilon=bound,
        reviewers=now.reviewers,
        retention_days=now.retention_days,
        maximum_epsilon_micro=now.maximum_epsilon_micro,
        require_second_factor=False,
        by=by,
    )


@pytest.fixture
def version(team: Team) -> Any:
    return factories.make_version(team)


def test_alike_draws_promise_what_the_strongest_does_and_others_add_up(team: Team, version: Any) -> None:
    out(candidate(team, (ANSWERS, local(1.0)), version=version), team)
    out(candidate(team, (ANSWERS, local(0.5)), version=version), team)
    (alike,) = added_up(candidate(team, (ANSWERS, local(0.7)), version=version))
    assert (alike.epsilon, alike.own, len(alike.others)) == (Decimal(1), Decimal("0.7"), 2)
    (apart,) = added_up(candidate(team, (ANSWERS, local(0.7, "b")), version=version))
    assert apart.epsilon == Decimal("1.7")
    (stronger,) = added_up(candidate(team, (ANSWERS, local(1.5)), version=version))
    assert stronger.epsilon == Decimal("1.5")


def test_another_dataset_of_the_same_people_counts_and_of_others_does_not(team: Team, version: Any) -> None:
    people = version.dataset.population
    same = factories.make_version(team)
    type(same.dataset).objects.filter(pk=same.dataset_id).update(population=people)
    other = factories.make_version(team)
    out(candidate(team, (ANSWERS, local(1.0)), version=Version.objects.get(pk=same.pk)), team)
    out(candidate(team, (ANSWERS, local(1.0, "c")), version=other), team)
    (found,) = added_up(candidate(team, (ANSWERS, local(1.0, "b")), version=version))
    assert found.epsilon == Decimal(2)
    people.overlaps.add(other.dataset.population)
    (found,) = added_up(candidate(team, (ANSWERS, local(1.0, "b")), version=version))
    assert found.epsilon == Decimal(3)


@pytest.mark.parametrize(
    ("state", "counts"),
    [(State.APPROVED, True), (State.PUBLISHED, True), (State.REVOKED, True), (State.IN_REVIEW, False)],
)
def test_what_others_have_had_or_will_have_counts(
    team: Team, version: Any, state: State, counts: bool
) -> None:
    run = candidate(team, (ANSWERS, local(1.0)), version=version)
    if counts:
        out(run, team, state)
    else:
        releases.submit(release=run.release, run=run, by=team.steward)
    (found,) = added_up(candidate(team, (ANSWERS, local(1.0, "b")), version=version))
    assert found.epsilon == (2 if counts else 1)


def test_a_law_that_promises_nothing_is_no_promise_alone_and_no_bound_beside_another(
    team: Team, version: Any
) -> None:
    own = local(0.4, matrix_depends_on_data=True)
    run = candidate(team, (PRAM, own), version=version)
    assert added_up(run) == ()
    out(run, team)
    assert added_up(candidate(team, (PRAM, own), version=version)) == (), "the same draws"
    (found,) = added_up(candidate(team, (PRAM, local(1.0, "b")), version=version))
    assert found.epsilon is None
    (found,) = added_up(candidate(team, (PRAM, local(None, "b")), version=version))
    assert found.epsilon is None


def test_runs_from_before_draws_had_names_count_each_for_itself(team: Team, version: Any) -> None:
    run = candidate(team, (ANSWERS, {"column": "illness", "local_epsilon": 1.0}), version=version)
    stated = {name: part for name, part in run.stated.items() if name != "randomized"}
    Run.objects.filter(pk=run.pk).update(stated=stated)
    run.refresh_from_db()
    assert added_up(run)[0].epsilon == 1
    released = out(candidate(team, (ANSWERS, local(1.0, None)), version=version), team)
    Run.objects.filter(pk=released.candidate_id).update(stated=stated)
    assert added_up(candidate(team, (ANSWERS, local(1.0)), version=version))[0].epsilon == 2


def test_what_a_run_did_is_read_from_recipe_and_report() -> None:
    columns = {"illness": {"role": "sensitive"}, "age": {"role": "quasi-identifier", "kind": "integer"}}

    def found(*steps: tuple[dict[str, Any], dict[str, Any]]) -> list[Any]:
        recipe = {"columns": columns, "steps": [step for step, _ in steps]}
        return list(changes_of(recipe, {"steps": [facts for _, facts in steps]}))

    generalized = {"method": "generalization", "params": {}}
    (alone,) = found((ANSWERS, local(1.0)))
    assert (alone["draws"], alone["local_epsilon"], alone["averages_out"]) == ("a", "1.000000", False)
    assert found((ANSWERS, local(1.0)), (PRAM, local(2.0, "b"))) == [alone], "further randomized"
    assert found((generalized, {}), (NOISE, {"changed": {"age": 5}}), (ANSWERS, local(1.0)))[1:] == [alone]
    still = ({"method": "rank-swapping", "params": {"columns": ["illness"]}}, {"changed": {"illness": 0}})
    moved = (still[0], {"changed": {"illness": 3}})
    assert found(still, (ANSWERS, local(1.0)))[-1] == alone
    assert found(moved, (ANSWERS, local(1.0)))[-1]["draws"] not in ("a", None)
    columns["illness"]["role"] = "quasi-identifier"
    assert found((generalized, {}), (ANSWERS, local(1.0)))[-1]["draws"] not in ("a", None)
    assert [one["method"] for one in found((NOISE, {}), (SWAPS, {}), (ROUNDS, {}))] == [
        "noise",
        "rank-swapping",
    ]
    assert changes_of({"steps": [NOISE]}, {}) == []


def test_the_public_manifest_says_the_promise_and_not_the_draws(team: Team, version: Any) -> None:
    run = candidate(team, (ANSWERS, local(1.0)), (NOISE, {}), version=version)
    assert run.stated["randomized"][0]["draws"] == "a"
    public = public_part(run.stated)
    assert public["local_epsilon"] == {"illness": "1.000000"}
    assert "randomized" not in public
    released = out(run, team)
    assert "local_epsilon" not in public_part(candidate(team, (NOISE, {}), version=version).stated)
    assert released.candidate_id == run.pk


def test_a_sum_above_the_policy_is_no_candidate_and_says_why(
    team: Team, version: Any, browse: Browser
) -> None:
    out(candidate(team, (ANSWERS, local(2.0)), version=version), team)
    run = candidate(team, (ANSWERS, local(2.0, "b")), version=version)
    steward = browse("steward")
    page = steward.get(reverse("run-detail", args=[run.pk]))
    assertContains(page, "adds up to ε = 4; the policy allows 3")
    assertContains(page, "What is out about the same columns")
    assert steward.get(reverse("release-submit", args=[run.release_id, run.pk])).status_code == 403
    unbounded(team.project, team.admin)
    submit = steward.get(reverse("release-submit", args=[run.release_id, run.pk]))
    assertContains(submit, "What is out about the same columns")
    release = releases.submit(release=run.release, run=Run.objects.get(pk=run.pk), by=team.steward)
    review = browse("reviewer").get(reverse("review-detail", args=[release.pk]))
    assertContains(review, "ε = 2, local, in this run; ε = 4 with all that is out")
    assertContains(review, "The policy sets no bound.")


def test_a_law_without_a_bound_beside_another_is_no_candidate(
    team: Team, version: Any, browse: Browser
) -> None:
    out(candidate(team, (PRAM, local(None)), version=version), team)
    run = candidate(team, (PRAM, local(None, "b")), version=version)
    assertContains(
        browse("steward").get(reverse("run-detail", args=[run.pk])), "Nothing bounds what the cells"
    )


def test_noise_on_the_same_columns_is_listed_for_steward_and_reviewer(
    team: Team, version: Any, browse: Browser
) -> None:
    before = out(candidate(team, (NOISE, {}), version=version), team)
    out(candidate(team, (ROUNDS, {}), version=version), team)
    run = candidate(team, (SWAPS, {}), version=version)
    (found,) = averaged_with(run)
    assert (found.release, found.columns) == (before, ("age",))
    assert averaged_with(candidate(team, (ROUNDS, {}), version=version)) == ()
    steward = browse("steward")
    for page in (
        steward.get(reverse("run-detail", args=[run.pk])),
        steward.get(reverse("release-submit", args=[run.release_id, run.pk])),
    ):
        assertContains(page, "divides the noise by √n: with this one there are 2, so by 1.4")
        assertContains(page, before.title)
    release = releases.submit(release=run.release, run=run, by=team.steward)
    assertContains(browse("reviewer").get(reverse("review-detail", args=[release.pk])), "so by 1.4")


def test_releases_of_others_are_counted_and_not_named(team: Team, version: Any, browse: Browser) -> None:
    strangers = factories.make_project()
    theirs = factories.make_version(strangers)
    type(theirs.dataset).objects.filter(pk=theirs.dataset_id).update(population=version.dataset.population)
    hidden = out(candidate(strangers, (NOISE, {}), version=Version.objects.get(pk=theirs.pk)), strangers)
    run = candidate(team, (NOISE, {}), version=version)
    page = browse("steward").get(reverse("run-detail", args=[run.pk]))
    assertContains(page, "1\u00a0more release of other projects")
    assertNotContains(page, hidden.title)


def test_the_certificate_states_what_a_cell_gives_away(team: Team, version: Any, browse: Browser) -> None:
    released = out(candidate(team, (ANSWERS, local(1.0)), version=version), team)
    page = browse("steward").get(reverse("catalogue-certificate", args=[released.public_id]))
    assertContains(page, "illness: 1")
