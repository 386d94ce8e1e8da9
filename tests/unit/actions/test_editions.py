"""The next edition of a published release takes over what was said, and nothing that people said since."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.access.verdict import Invalid, NotAllowed
from stewardapp.access.workflow import State
from stewardapp.actions import columns, editions, hierarchies, versions
from stewardapp.domain.facts import contributors_of
from stewardapp.models import Hierarchy, Release, Version
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def release(team: factories.Team) -> Release:
    version = factories.make_version(team)
    spec = {"builder": "mask", "side": "right"}
    made = hierarchies.create(project=team.project, version=version, name="Z", spec=spec, by=team.steward)
    hierarchies.attach(column=version.columns.get(name="zip"), hierarchy=made, by=team.steward)
    said = {"label": "Where they live", "kind": "categorical", "settings": {"categories": ["1011", "1012"]}}
    columns.describe(version=version, name="zip", by=team.steward, **said)
    return factories.make_release(team, version=version, state=State.PUBLISHED)


def next_year(team: factories.Team) -> Version:
    return factories.read(factories.upload(team, data=factories.CSV + b"41,1018,flu\n"))


def begun(team: factories.Team, release: Release, version: Version) -> Release:
    return editions.begin(release=release, version=version, title="Next year", by=team.co_steward)


def test_recipe_words_and_columns_are_said_again(team: factories.Team, release: Release) -> None:
    version = next_year(team)
    made = begun(team, release, version)
    assert (made.state, made.title, made.version_id) == (State.DRAFT, "Next year", version.pk)
    for name in ("purpose", "context", "audience", "recipe"):
        assert getattr(made, name) == getattr(release, name), name
    assert dict(version.columns.values_list("name", "role")) == dict(
        release.version.columns.values_list("name", "role")
    )
    zips = version.columns.get(name="zip")
    assert (zips.label, zips.kind, zips.kind_confirmed) == ("Where they live", "categorical", True)
    assert zips.settings == {"categories": ["1011", "1012"]}
    assert zips.hierarchy == Hierarchy.objects.get()
    assert zips.hierarchy.is_kept
    assert team.co_steward.pk in contributors_of(made)
    assert made.runs.count() == 0


def test_what_somebody_said_of_the_new_version_stays(team: factories.Team, release: Release) -> None:
    version = next_year(team)
    columns.tag(version=version, roles={"zip": "other", "age": "weight"}, by=team.steward)
    begun(team, release, version)
    roles = dict(version.columns.values_list("name", "role"))
    assert (roles["zip"], roles["age"]) == ("other", "weight")
    assert version.columns.get(name="zip").hierarchy is None


def test_a_role_that_only_one_column_can_have_is_not_given_twice(team: factories.Team) -> None:
    first = factories.make_version(team)
    columns.tag(version=first, roles={"illness": "person-key"}, by=team.steward)
    release = factories.make_release(team, version=first, state=State.PUBLISHED)
    version = next_year(team)
    columns.tag(version=version, roles={"age": "person-key"}, by=team.steward)
    begun(team, release, version)
    assert version.columns.get(name="illness").role == ""


def test_of_destroyed_data_only_the_words_are_left(
    team: factories.Team, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=release.version, reason="Asked for.", by=team.admin)
    release = Release.objects.get(pk=release.pk)
    version = next_year(team)
    made = begun(team, release, version)
    assert (made.purpose, made.recipe.get("goals", [])) == (release.purpose, [])
    assert version.columns.get(name="zip").hierarchy is None


@pytest.mark.parametrize("state", sorted(set(State) - {State.PUBLISHED, State.REVOKED}))
def test_only_what_was_published_has_a_next_edition(team: factories.Team, state: State) -> None:
    with pytest.raises(NotAllowed):
        begun(team, factories.make_release(team, state=state), next_year(team))


def test_another_project_or_the_same_version_is_no_next_edition(
    team: factories.Team, release: Release
) -> None:
    others = factories.make_project()
    for version in (release.version, factories.read(factories.upload(others, data=b"age\n1\n"))):
        with pytest.raises(Invalid):
            begun(team, release, version)
