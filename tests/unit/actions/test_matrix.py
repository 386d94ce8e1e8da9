"""Every action on a release, in every state, by every persona: one table says who may."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import pytest
from django.db import transaction

from stewardapp.access.verdict import Conflict, NotAllowed
from stewardapp.access.workflow import State
from stewardapp.actions import columns, comments, downloads, memberships, previews, releases, reviews, runs
from stewardapp.domain.facts import run_facts
from stewardapp.models import AuditEvent, Release, Run, User
from tests import factories

pytestmark = pytest.mark.django_db

# A reviewer who is a steward too and tagged the columns; a reviewer who only reviews.
PERSONAS = (*(name for name in factories.PERSONAS if name != "third_reviewer"), "reviewer_who_tagged")
STEWARDS = {"steward", "co_steward", "reviewer_who_tagged"}
INDEPENDENT = {"reviewer", "second_reviewer"}
TEAM = STEWARDS | INDEPENDENT
MEMBERS = TEAM | {"analyst"}
OPEN = {State.DRAFT, State.CHANGES_REQUESTED}


def in_states(allowed: set[str], states: set[State]) -> dict[State, set[str]]:
    return {state: allowed if state in states else set() for state in State}


EXPECTED: dict[str, dict[State, set[str]]] = {
    "edit_recipe": in_states(STEWARDS, OPEN),
    "describe": in_states(STEWARDS, OPEN),
    "start_run": in_states(STEWARDS, OPEN),
    "cancel_run": in_states(STEWARDS, OPEN),
    "try_step": in_states(STEWARDS, OPEN),
    "submit": in_states(STEWARDS, OPEN),
    "withdraw": in_states(STEWARDS, OPEN | {State.APPROVED}),
    "reopen": in_states(set(), set()),  # while all votes count
    "approve": in_states(INDEPENDENT, {State.IN_REVIEW}),
    "request_changes": in_states(INDEPENDENT, {State.IN_REVIEW}),
    "reject": in_states(INDEPENDENT, {State.IN_REVIEW}),
    "publish": in_states(STEWARDS, {State.APPROVED}),
    "revoke": in_states(STEWARDS, {State.PUBLISHED}),
    "comment": in_states(TEAM, set(State)),
    "comment_privately": in_states(INDEPENDENT, set(State)),
    "download": in_states(MEMBERS, {State.PUBLISHED}),
}


@dataclass
class Scene:
    """A release in a state, with a run that could be submitted and one that waits."""

    team: factories.Team
    release: Release
    run: Run
    waiting: Run | None

    def persona(self, name: str) -> User:
        return self.team.persona("third_reviewer" if name == "reviewer_who_tagged" else name)


def decide(decision: str) -> Callable[[Scene, User], object]:
    def vote(scene: Scene, by: User) -> object:
        seen = scene.release.candidate_sha256
        return reviews.decide(
            release=scene.release, manifest_sha256=seen, decision=decision, reason="Read.", by=by
        )

    return vote


def cancel_run(scene: Scene, by: User) -> object:
    return runs.cancel(run=scene.waiting or scene.run, by=by)


def download(scene: Scene, by: User) -> object:
    artifact = scene.run.artifacts.get(name="release.csv")
    return downloads.record(release=scene.release, artifact=artifact, by=by)


ACTIONS: dict[str, Callable[[Scene, User], object]] = {
    "edit_recipe": lambda scene, by: releases.edit_recipe(
        release=scene.release, recipe=factories.RECIPE, by=by
    ),
    "describe": lambda scene, by: releases.describe(release=scene.release, context="Wider.", by=by),
    "start_run": lambda scene, by: runs.start(release=scene.release, by=by),
    "cancel_run": cancel_run,
    "try_step": lambda scene, by: previews.start(release=scene.release, step=factories.STEP, by=by),
    "submit": lambda scene, by: releases.submit(release=scene.release, run=scene.run, by=by),
    "withdraw": lambda scene, by: releases.withdraw(release=scene.release, by=by),
    "reopen": lambda scene, by: releases.reopen(release=scene.release, by=by),
    "approve": decide("approve"),
    "request_changes": decide("request-changes"),
    "reject": decide("reject"),
    "publish": lambda scene, by: releases.publish(
        release=scene.release, manifest_sha256=scene.release.candidate_sha256, by=by
    ),
    "revoke": lambda scene, by: releases.revoke(release=scene.release, notice="A mistake.", by=by),
    "comment": lambda scene, by: comments.add(release=scene.release, text="Why?", by=by),
    "comment_privately": lambda scene, by: comments.add(
        release=scene.release, text="Hm.", visibility="private", by=by
    ),
    "download": download,
}


def make_scene(state: State) -> Scene:
    team = factories.make_project()
    memberships.add(project=team.project, user=team.third_reviewer, role="steward", by=team.admin)
    release = factories.make_release(team)
    columns.tag(version=release.version, roles={"age": "quasi-identifier"}, by=team.third_reviewer)
    run = factories.make_succeeded_run(release)
    release = factories.take_to(team, release, state, team.steward)
    run = release.candidate or run
    waiting = factories.make_run(release) if state in OPEN else None
    return Scene(team, release, run, waiting)


def attempt(scene: Scene, name: str, persona: str) -> bool:
    """Whether the action succeeds; whatever it did is undone, and a refusal must not have done anything."""
    before = Release.objects.values().get(pk=scene.release.pk), AuditEvent.objects.count()
    try:
        with transaction.atomic():
            ACTIONS[name](scene, scene.persona(persona))
            assert AuditEvent.objects.count() == before[1] + 1
            raise Undo
    except Undo:
        return True
    except (NotAllowed, Conflict):
        return False
    finally:
        scene.release.refresh_from_db()
        assert (Release.objects.values().get(pk=scene.release.pk), AuditEvent.objects.count()) == before


class Undo(Exception):
    """Take everything back."""


def test_the_table_names_every_action_once() -> None:
    assert EXPECTED.keys() == ACTIONS.keys()


@pytest.mark.parametrize("state", State)
def test_who_may_do_what(state: State) -> None:
    scene = make_scene(state)
    found = {name: {persona for persona in PERSONAS if attempt(scene, name, persona)} for name in ACTIONS}
    assert found == {name: EXPECTED[name][state] for name in ACTIONS}


def test_another_projects_people_may_do_nothing() -> None:
    scene, stranger = make_scene(State.DRAFT), factories.make_project()
    for name in ACTIONS:
        for person in (stranger.steward, stranger.reviewer):
            with pytest.raises((NotAllowed, Conflict)):
                ACTIONS[name](scene, person)


def test_ids_and_figures_are_what_they_say() -> None:
    """The scene stands on what the rules read: else the table would prove nothing."""
    scene = make_scene(State.IN_REVIEW)
    facts = run_facts(scene.run)
    (found,) = [one for one in facts.measured.values() if "smallest_class" in one.figures]
    assert (found.figures["smallest_class"], facts.goals_hold) == (6, True)
    assert found.figures["highest_risk"] == Decimal(str(1 / 6))
    assert isinstance(scene.release.candidate_id, uuid.UUID)
