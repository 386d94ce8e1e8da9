"""Whoever shapes the bytes of a release is found out, whichever action it was.

Every action of the product is done by somebody fresh, among drafts of others; then the others carry on with
what it made. Wherever the next run of a draft would be made of something else than before, that person is a
contributor and may not review what comes of it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.db.models import Model

from stewardapp.access import rules
from stewardapp.access.survey_states import SurveyMove, SurveyState
from stewardapp.access.verdict import Invalid, Refused
from stewardapp.access.workflow import EDITABLE
from stewardapp.actions import (
    columns,
    comments,
    hierarchies,
    memberships,
    project_keys,
    proposals,
    readings,
    releases,
    reviews,
    survey_questions,
    surveys,
    uploads,
)
from stewardapp.domain.facts import contributors_of, release_facts
from stewardapp.domain.recipe import dictionary_of, recipe_of
from stewardapp.domain.runnable import checked, populations_of
from stewardapp.models import (
    AuditEvent,
    Column,
    Dataset,
    Hierarchy,
    ProjectKey,
    Proposal,
    Reading,
    Release,
    Survey,
    Upload,
    User,
    Version,
)
from stewardapp.presenters.release_pages import talk
from stewardapp.reads.releases import Seen
from tests import factories
from tests.factories import Team
from tests.scenes import once
from tests.unit.actions.test_one_event_each import BY_NOBODY, CALLS, Call, sent

pytestmark = pytest.mark.django_db

# What the walk has to find, so that it cannot pass by finding nothing.
SHAPING = {
    "columns.describe",
    "columns.tag",
    "datasets.create",
    "editions.begin",
    "hierarchies.attach",
    "hierarchies.bring",
    "hierarchies.create",
    "hierarchies.detach",
    "hierarchies.keep",
    "hierarchies.reuse",
    "project_keys.create",
    "project_keys.replace",
    "proposals.confirm of a move",
    "proposals.propose_move",
    "readings.start",
    "readings.start of a population file",
    "releases.create",
    "releases.edit_recipe",
    "survey_questions.add",
    "survey_questions.change",
    "survey_questions.remove",
    "surveys.collect",
    "surveys.create",
    "surveys.describe",
    "surveys.invite",
    "surveys.move",
    "uploads.begin",
    "uploads.complete",
}


def fingerprint(release: Release) -> dict[str, Any] | None:
    """Everything a run of this draft would be made of; nothing when it could not be begun."""
    version, key = release.version, ProjectKey.objects.of(release.project_id)
    if version.destroyed_at is not None:
        return None
    try:
        recipe, _ = checked(recipe_of(release))
        readings = [version.read_now(), *populations_of(release, recipe)]
    except Invalid:
        return None
    tables = [(one.version.sha256, one.table_sha256, one.dialect) for one in readings]
    return {
        "recipe": recipe,
        "tables": tables,
        "dictionary": dictionary_of(version),
        "key": key and key.pk,
        "people": version.dataset.population_id,
    }


def drafts(team: Team) -> dict[Any, dict[str, Any] | None]:
    """The drafts of the project and what they would be made of."""
    there = Release.objects.filter(project=team.project, state__in=EDITABLE)
    return {release.pk: fingerprint(release) for release in there}


# The scene


def draft_on(version: Version, people: Version, by: User) -> Release:
    """A draft that uses all there is: hierarchies, a population file, the key of the project."""
    goal = {"goal": "k-map", "params": {"k": 2, "population": str(people.pk)}}
    step = {"method": "pseudonyms", "params": {"column": "zip", "key": "project"}}
    recipe = {"goals": [goal], "steps": [step]}
    title = factories.unique("Draft")
    return releases.create(version=version, title=title, purpose="P", recipe=recipe, by=by)


def version_of_its_own(team: Team) -> Version:
    """Bytes that nobody else has: the same bytes elsewhere are about the same people."""
    return factories.make_version(team, data=factories.CSV + factories.unique("40,1017,cold").encode())


@dataclass(frozen=True)
class Stage:
    """A team, somebody new to it, and two versions with a draft on each, compared with the other."""

    team: Team
    fresh: User
    base: Version
    other: Version

    @classmethod
    def make(cls) -> Stage:
        team = factories.make_project()
        fresh, _ = somebody_fresh(team), factories.make_officer()  # before anything that they may agree to
        base, other = version_of_its_own(team), version_of_its_own(team)
        draft_on(other, base, team.steward)
        draft_on(base, other, team.steward)
        return cls(team, fresh, base, other)

    def furnish(self) -> None:
        """A draft on every version that came since, and one that is compared with it."""
        found = Version.objects.ready().filter(dataset__project=self.team.project)
        for version in found.exclude(pk__in=(self.base.pk, self.other.pk)):
            draft_on(version, self.base, self.team.steward)
            draft_on(self.base, version, self.team.steward)


def somebody_fresh(team: Team) -> User:
    """Somebody who did nothing yet and holds every role."""
    person = factories.make_user("fresh")
    for role in ("steward", "reviewer"):
        memberships.add(project=team.project, user=person, role=role, by=team.admin)
    User.objects.filter(pk=person.pk).update(is_staff=True)
    return User.objects.get(pk=person.pk)


def stand_in(team: Team, person: User) -> None:
    """From now on the scene's stewards and administrator are this person."""
    for name in ("steward", "co_steward", "admin"):
        object.__setattr__(team, name, person)


# What others do with what somebody made


def with_hierarchy(team: Team, made: Hierarchy) -> None:
    for column in Column.objects.filter(version__dataset__project=team.project, name="age"):
        hierarchies.attach(column=column, hierarchy=made, by=team.steward)


def with_version(team: Team, version: Version) -> None:
    if version.destroyed_at is not None:
        return
    if Reading.objects.queued().filter(version=version).exists():
        version = factories.read(version, content=b"yet another table")
    if version.current is not None and not version.releases.exists():
        columns.tag(version=version, roles=factories.ROLES, by=team.steward)
        people = Version.objects.ready().filter(dataset__project=team.project).exclude(pk=version.pk)[0]
        draft_on(version, people, team.steward)


def with_reading(team: Team, reading: Reading) -> None:
    with_version(team, reading.version)


def with_upload(team: Team, upload: Upload) -> None:
    if upload.state == "abandoned":
        return
    if upload.version is None:
        uploads.append(upload=upload, offset=0, stream=io.BytesIO(b"a\n1"), by=upload.user)
        uploads.complete(upload=upload, by=upload.user)
        upload.refresh_from_db()
    assert upload.version is not None
    with_version(team, upload.version)


def with_dataset(team: Team, dataset: Dataset) -> None:
    if dataset.removed_at is not None:
        return
    with_version(team, factories.upload(team, dataset=dataset))


def with_survey(team: Team, survey: Survey) -> None:
    if survey.erased:
        return None
    if survey.state == SurveyState.DRAFT:
        if not survey.questions.exists():
            for question in factories.QUESTIONS:
                survey_questions.add(survey=survey, by=team.steward, **question)
        factories.describe_survey(survey, by=team.steward)
        survey = surveys.move(survey=survey, move=SurveyMove.OPEN, by=team.steward)
    if unread := Version.objects.filter(dataset__survey=survey, current=None).first():
        return with_version(team, unread)
    if not survey.answered:
        factories.make_answers(survey, tuple(0 for _ in survey.questions.all()))
    return with_version(team, surveys.collect(survey=survey, by=team.steward))


def with_proposal(team: Team, proposal: Proposal) -> None:
    if proposal.dataset is None or proposal.target is None:
        return
    for person in (team.co_steward, User.objects.get(is_officer=True)):
        with suppress(Refused):
            proposals.confirm(proposal=proposal, by=person)
    if not proposal.dataset.versions.exists():
        with_dataset(team, proposal.dataset)


def nothing_more(team: Team, thing: Any) -> None:
    """Nobody can make it part of a run."""


CARRY_ON: dict[str, tuple[type[Model], Callable[[Team, Any], None]]] = {
    "hierarchy": (Hierarchy, with_hierarchy),
    "version": (Version, with_version),
    "reading": (Reading, with_reading),
    "upload": (Upload, with_upload),
    "dataset": (Dataset, with_dataset),
    "survey": (Survey, with_survey),
    "proposal": (Proposal, with_proposal),
}
# Nobody can make these part of a run, or the run they are part of is looked at anyway.
NOTHING_MORE = set(
    "allotment allowance asking assessment bookmark column comment desk exploration leak membership policy "
    "population preview project projectkey query release replay run sweep user".split()
)


def carry_on(team: Team, subject: str, id: Any) -> None:
    """The others take what was made and work with it as they would."""
    if subject == "surveyquestion":  # it may be gone; its survey is the only one
        return with_survey(team, Survey.objects.get(project=team.project))
    assert subject in CARRY_ON.keys() | NOTHING_MORE, f"can a {subject} become part of a run?"
    if subject in CARRY_ON:
        model, work = CARRY_ON[subject]
        work(team, model._default_manager.get(pk=id))
    return None


# Actions that one arrangement cannot show


def move_waiting(team: Team) -> Call:
    version = factories.make_version(team)
    proposal = proposals.propose_move(
        dataset=version.dataset, target=factories.make_population(team), reason="Why.", by=team.co_steward
    )
    return lambda: proposals.confirm(proposal=proposal, by=team.steward)


def people_read_again(team: Team) -> Call:
    people = factories.make_version(team)
    return lambda: readings.start(version=people, dialect={"missing": ["", "9"]}, by=team.steward)


def own_upload(end: Callable[..., Any]) -> Callable[[Team], Call]:
    """Only who began an upload may go on with it."""
    return lambda team: lambda: end(upload=sent(team), by=team.steward)


def is_by_somebody(name: str) -> bool:
    """Whether a person does it, and no worker or clock."""
    return name not in BY_NOBODY and (not name.endswith(".record") or name == "downloads.record")


SCENES: dict[str, Callable[[Team], Call]] = {
    **{name: arrange for name, arrange in CALLS.items() if is_by_somebody(name)},
    "proposals.confirm of a move": move_waiting,
    "readings.start of a population file": people_read_again,
    "uploads.complete": own_upload(uploads.complete),
    "uploads.abandon": own_upload(uploads.abandon),
}


def reshaped_by(stage: Stage, name: str) -> tuple[User, set[Release]]:
    """Who did this, and the drafts whose next run would be made of something else since then."""
    team = stage.team
    call, others = SCENES[name](team), replace(team)
    stage.furnish()
    before = drafts(team)
    stand_in(team, stage.fresh)
    call()
    event = AuditEvent.objects.latest("id")
    carry_on(others, event.subject_type, event.subject_id)
    after = drafts(team)
    changed = {pk for pk, found in after.items() if found and before.get(pk) != found}
    assert event.actor is not None
    return event.actor, set(Release.objects.filter(pk__in=changed))


made, stage = once(Stage.make)


@pytest.mark.parametrize("name", SCENES)
def test_whoever_shapes_the_next_run_is_a_contributor(stage: Stage, name: str) -> None:
    person, reshaped = reshaped_by(stage, name)
    assert bool(reshaped) is (name in SHAPING)
    for release in reshaped:
        assert person.pk in contributors_of(release)
        run = factories.make_succeeded_run(release, by=release.author)
        purpose = {"purpose": "To study illness."}
        submitted = releases.submit(release=release, run=run, description=purpose, by=release.author)
        verdict = rules.may_review(submitted.person(person), release_facts(submitted))
        assert (bool(verdict), verdict.code) == (False, "four-eyes")


# Before and after the submission


def both(team: Team) -> User:
    """A reviewer who is a steward too, as in small teams."""
    memberships.add(project=team.project, user=team.reviewer, role="steward", by=team.admin)
    return team.reviewer


def shape_all(team: Team, version: Version, by: User) -> None:
    """Read it otherwise, make a hierarchy and use it, say what columns are."""
    factories.read_again(version, by, factories.unique("table").encode(), factories.PROFILE)
    made = hierarchies.create(
        project=team.project, name=factories.unique("h"), spec={"builder": "mask"}, by=by
    )
    hierarchies.attach(column=version.columns.get(name="zip"), hierarchy=made, by=by)
    columns.tag(version=version, roles={"age": "other"}, by=by)


def verdict_on(release: Release, person: User) -> str:
    release = Release.objects.get(pk=release.pk)
    return rules.may_review(release.person(person), release_facts(release)).code


def test_a_vote_stands_because_its_candidate_cannot_change_and_counts_for_no_other() -> None:
    """Who votes and shapes the data afterwards had no hand in what they read; in the next one they have."""
    team = factories.make_project(reviewers=2)
    person, release = both(team), factories.make_release(team, state="in-review")
    sha256, vote = release.candidate_sha256, {"decision": "approve", "reason": "Read."}
    reviews.decide(release=release, manifest_sha256=sha256, by=person, **vote)
    shape_all(team, release.version, person)
    release.refresh_from_db()
    assert (release.candidate_sha256, release_facts(release).voter_ids) == (sha256, {person.pk})
    assert person.pk not in contributors_of(release)
    changes = {"decision": "request-changes", "reason": "Why?"}
    reviews.decide(release=release, manifest_sha256=sha256, by=team.second_reviewer, **changes)
    release.refresh_from_db()
    assert (release.state, person.pk in contributors_of(release)) == ("changes-requested", True)
    again = factories.submit(release, team.steward)
    assert verdict_on(again, person) == "four-eyes"
    assert verdict_on(again, team.second_reviewer) == ""


def test_whoever_shaped_an_older_candidate_still_counts() -> None:
    team = factories.make_project()
    person, release = both(team), factories.make_release(team)
    version = release.version
    made = hierarchies.create(project=team.project, name="h", spec={"builder": "mask"}, by=person)
    column = hierarchies.attach(column=version.columns.get(name="zip"), hierarchy=made, by=team.steward)
    release = factories.submit(release, team.steward)
    assert verdict_on(release, person) == "four-eyes"
    changes = {"decision": "request-changes", "reason": "Why?", "manifest_sha256": release.candidate_sha256}
    reviews.decide(release=release, by=team.second_reviewer, **changes)
    hierarchies.detach(column=column, by=team.steward)
    release = factories.submit(Release.objects.get(pk=release.pk), team.steward)
    assert verdict_on(release, person) == "four-eyes"


def test_whoever_only_shaped_what_no_run_read_may_review() -> None:
    """A hierarchy nobody attached, a column that is dropped, data of another dataset."""
    team = factories.make_project()
    person, release = both(team), factories.make_release(team)
    hierarchies.create(project=team.project, name="unused", spec={"builder": "mask"}, by=person)
    factories.make_version(team, by=person)
    project_keys.create(project=team.project, by=person)
    assert verdict_on(factories.submit(release, team.steward), person) == ""


def test_who_shaped_it_does_not_read_what_reviewers_say_among_themselves() -> None:
    team = factories.make_project()
    person, release = both(team), factories.make_release(team)
    comments.add(release=release, text="Hm.", visibility="private", by=team.second_reviewer)
    assert [one.text for one, _ in talk(Seen(release, person))["comments"]] == ["Hm."]
    factories.read_again(release.version, person, profile=factories.PROFILE)
    release.refresh_from_db()
    assert talk(Seen(release, person))["comments"] == []
