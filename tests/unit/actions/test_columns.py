"""Roles of columns, hierarchies, and what they make of the recipe."""

from typing import Any

import pytest

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import columns, desks, hierarchies, releases, versions
from stewardapp.domain.facts import contributors_of
from stewardapp.domain.pricing import insist_on_answers
from stewardapp.domain.recipe import recipe_of
from stewardapp.domain.unknown import Unknown
from stewardapp.models import Column, Contribution, Hierarchy, Version
from tests import factories
from worker.engine.errors import EngineError

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def version(team: factories.Team) -> Version:
    return factories.make_version(team)


def test_roles_are_given_and_taken(team: factories.Team, version: Version) -> None:
    columns.tag(version=version, roles={"age": "sensitive", "zip": ""}, by=team.co_steward)
    assert {one.name: one.role for one in version.columns.all()} == {
        "age": "sensitive",
        "zip": "",
        "illness": "sensitive",
    }
    assert {one.name for one in version.columns.tagged()} == {"age", "illness"}


def test_a_consent_column_says_which_values_mean_yes(team: factories.Team, version: Version) -> None:
    columns.tag(version=version, roles={"zip": "consent"}, granted={"zip": ["yes", "ja"]}, by=team.steward)
    column = version.columns.get(name="zip")
    assert (column.role, column.settings["granted"]) == ("consent", ["yes", "ja"])


def test_whoever_tags_shapes_the_releases(team: factories.Team, version: Version) -> None:
    before = factories.make_release(team, version=version)
    columns.tag(version=version, roles={"age": "other"}, by=team.co_steward)
    after = factories.make_release(team, version=version)
    for release in (before, after):
        assert team.co_steward.pk in contributors_of(release)
        factories.make_run(release)
        said = {"release": release, "user": team.co_steward, "kind": "shaped-input"}
        assert Contribution.objects.filter(**said).exists()


@pytest.mark.parametrize(
    ("roles", "param"),
    [
        ({"nobody": "other"}, "name"),
        ({"age": "important"}, "role"),
        ({"age": "weight", "zip": "weight"}, "role"),
    ],
)
def test_bad_tags_change_nothing(
    team: factories.Team, version: Version, roles: dict[str, str], param: str
) -> None:
    with pytest.raises(Invalid) as caught:
        columns.tag(version=version, roles=roles, by=team.steward)
    assert caught.value.param == param
    assert set(version.columns.values_list("role", flat=True)) == {"quasi-identifier", "sensitive"}


def test_describing_a_column(team: factories.Team, version: Version) -> None:
    described: dict[str, Any] = {
        "kind": "decimal",
        "label": " Age ",
        "release_weight": True,
        "settings": {"bounds": [0, 120]},
    }
    column = columns.describe(version=version, name="age", by=team.steward, **described)
    column.refresh_from_db()
    assert (column.kind, column.label, column.release_weight) == ("decimal", "Age", True)
    assert column.settings == {"bounds": [0, 120]}
    assert columns.describe(version=version, name="age", kind="integer", by=team.steward).label == "Age"


@pytest.mark.parametrize(
    ("described", "param"),
    [({"kind": "colour"}, "kind"), ({"settings": {"colour": 1}}, "settings"), ({"label": "\x00"}, "label")],
)
def test_bad_descriptions_name_the_field(
    team: factories.Team, version: Version, described: dict[str, Any], param: str
) -> None:
    with pytest.raises(Invalid) as caught:
        columns.describe(version=version, name="age", by=team.steward, **described)
    assert caught.value.param == param


def make(team: factories.Team, **changes: Any) -> Hierarchy:
    said = {"project": team.project, "name": "zip mask", "spec": {"builder": "mask"}, "by": team.steward}
    return hierarchies.create(**{**said, **changes})


def test_hierarchies_are_built_or_written(team: factories.Team) -> None:
    assert make(team).as_recipe() == {"builder": "mask"}
    written = make(team, name="countries", spec=None, lines="France;Europe;*\nPeru;America;*\n")
    assert written.as_recipe() == ["France;Europe;*", "Peru;America;*"]
    with pytest.raises(Invalid, match="Another hierarchy"):
        make(team)
    for bad in ({"spec": None}, {"lines": "a;*"}, {"spec": {"builder": "guess"}}):
        with pytest.raises(Invalid) as caught:
            make(team, name="other", **bad)
        assert caught.value.param == "spec"
    with pytest.raises(NotAllowed):
        make(team, by=team.reviewer)
    assert Hierarchy.objects.visible_to(team.reviewer).count() == 2
    assert not Hierarchy.objects.visible_to(team.admin)


def test_attaching_and_detaching(team: factories.Team, version: Version) -> None:
    column, hierarchy = version.columns.get(name="zip"), make(team)
    assert hierarchies.attach(column=column, hierarchy=hierarchy, by=team.steward).hierarchy == hierarchy
    assert hierarchies.detach(column=column, by=team.steward).hierarchy is None
    with pytest.raises(Conflict):
        hierarchies.detach(column=column, by=team.steward)


def test_a_hierarchy_goes_with_its_version_unless_it_is_kept(
    team: factories.Team, version: Version, django_capture_on_commit_callbacks: Any
) -> None:
    made = make(team, version=version)
    later = factories.make_version(team, dataset=version.dataset)
    column = later.columns.get(name="zip")
    with pytest.raises(Invalid, match="made for another version"):
        hierarchies.attach(column=column, hierarchy=made, by=team.steward)
    made = hierarchies.keep(hierarchy=made, by=team.steward)
    assert made.is_kept
    with pytest.raises(Conflict, match="already"):
        hierarchies.keep(hierarchy=made, by=team.steward)
    with pytest.raises(NotAllowed):
        hierarchies.keep(hierarchy=made, by=team.reviewer)
    assert hierarchies.attach(column=column, hierarchy=made, by=team.steward).hierarchy == made
    lost = make(team, name="lost", version=version)
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=version, reason="Asked for.", by=team.admin)
    with pytest.raises(Conflict, match="destroyed"):
        hierarchies.keep(hierarchy=lost, by=team.steward)
    assert Hierarchy.objects.get(pk=lost.pk).spec == {}
    assert Hierarchy.objects.get(pk=made.pk).spec == {"builder": "mask"}


def test_what_is_used_again_is_kept(team: factories.Team, version: Version) -> None:
    made, later = make(team, version=version), factories.make_version(team, dataset=version.dataset)
    assert not made.is_kept
    (column,) = hierarchies.reuse(version=later, hierarchies={"zip": made}, by=team.steward)
    assert column.hierarchy is not None
    assert column.hierarchy.is_kept
    assert column.hierarchy.as_recipe() == {"builder": "mask"}


def test_several_are_brought_at_once_or_none(
    team: factories.Team, version: Version, monkeypatch: Any
) -> None:
    table = hierarchies.Table("34;30-39;*", 3)
    made = hierarchies.bring(version=version, tables={"zip": table, "age": table}, by=team.steward)
    assert [column.hierarchy.name for column in made if column.hierarchy] == [
        "age: imported",
        "zip: imported",
    ]
    again = hierarchies.bring(version=version, tables={"zip": table}, by=team.steward)
    assert [column.hierarchy.name for column in again if column.hierarchy] == ["zip: imported (2)"]
    assert again[0].hierarchy is not None
    assert again[0].hierarchy.key == version.key
    assert team.steward in version.taggers.all()
    for tables in ({}, {"zip": table, "nowhere": table}):
        with pytest.raises(Invalid, match="no column of this name"):
            hierarchies.bring(version=version, tables=tables, by=team.steward)
    with pytest.raises(NotAllowed):
        hierarchies.bring(version=version, tables={"zip": table}, by=team.reviewer)
    monkeypatch.setattr(type(Hierarchy.objects.all()), "free_name", lambda self, name: name)
    with pytest.raises(Invalid, match="Another hierarchy"):
        hierarchies.bring(version=version, tables={"age": table}, by=team.steward)
    assert Hierarchy.objects.count() == 3


def test_a_hierarchy_stays_in_its_project(team: factories.Team, version: Version) -> None:
    other = make(factories.make_project())
    with pytest.raises(Invalid, match="another project"):
        hierarchies.attach(column=version.columns.get(name="zip"), hierarchy=other, by=team.steward)


def test_the_recipe_names_tagged_columns_only(team: factories.Team, version: Version) -> None:
    columns.tag(version=version, roles={"illness": "", "age": "weight"}, by=team.steward)
    columns.describe(version=version, name="age", release_weight=True, by=team.steward)
    hierarchies.attach(column=version.columns.get(name="zip"), hierarchy=make(team), by=team.steward)
    release = releases.create(version=version, title="T", recipe=factories.RECIPE, by=team.steward)
    assert recipe_of(release) == {
        "version": 1,
        "columns": {
            "age": {"role": "weight", "kind": "integer", "release": True},
            "zip": {"role": "quasi-identifier", "kind": "text", "hierarchy": {"builder": "mask"}},
        },
        "goals": factories.RECIPE["goals"],
        "steps": factories.RECIPE["steps"],
        "measures": ["*"],
    }
    assert Column.objects.visible_to(team.steward).count() == 3
    assert not Column.objects.visible_to(team.admin)


def test_a_kind_is_a_guess_until_a_person_declares_something(team: factories.Team, version: Version) -> None:
    assert not version.columns.filter(kind_confirmed=True).exists()
    columns.tag(version=version, roles={"age": "other"}, by=team.steward)
    columns.describe(version=version, name="age", label="Years.", by=team.steward)
    assert not version.columns.filter(kind_confirmed=True).exists()
    columns.describe(version=version, name="age", kind="integer", by=team.steward)
    columns.describe(version=version, name="zip", settings={"categories": ["1"]}, by=team.steward)
    assert set(version.columns.filter(kind_confirmed=True).values_list("name", flat=True)) == {"age", "zip"}


def test_kinds_are_confirmed_as_they_were_seen_and_doubted_again(
    team: factories.Team, version: Version
) -> None:
    seen = {one.name: one.kind for one in version.columns.all()}
    columns.confirm_kinds(version=version, kinds={"age": seen["age"]}, by=team.steward)
    assert set(version.columns.filter(kind_confirmed=True).values_list("name", flat=True)) == {"age"}
    columns.confirm_kinds(version=version, kinds=seen, by=team.steward)
    assert not version.columns.filter(kind_confirmed=False).exists()
    columns.confirm_kinds(version=version, kinds=seen, confirmed=False, by=team.steward)
    assert not version.columns.filter(kind_confirmed=True).exists()
    with pytest.raises(Conflict):
        columns.confirm_kinds(version=version, kinds={"age": "date"}, by=team.steward)
    with pytest.raises(Invalid):
        columns.confirm_kinds(version=version, kinds={}, by=team.steward)
    with pytest.raises(Invalid):
        columns.confirm_kinds(version=version, kinds={"nobody": "text"}, by=team.steward)
    with pytest.raises(NotAllowed):
        columns.confirm_kinds(version=version, kinds=seen, by=team.reviewer)


def profiled(**kinds: str) -> dict[str, Any]:
    """What a reading found, with other kinds for some columns."""
    found = [{**one, "kind": kinds.get(one["name"], one["kind"])} for one in factories.PROFILE["columns"]]
    return {**factories.PROFILE, "columns": found}


def test_reading_again_takes_confirmations_back_where_the_data_look_otherwise(
    team: factories.Team, version: Version
) -> None:
    found = {one.name: one.kind for one in version.columns.all()}
    columns.confirm_kinds(version=version, kinds=found, by=team.steward)
    columns.describe(version=version, name="zip", kind="text", by=team.steward)

    def again(number: int, **kinds: str) -> dict[str, tuple[str, bool]]:
        factories.read_again(version, team.steward, b"table %d" % number, profiled(**kinds))
        return {one.name: (one.kind, one.kind_confirmed) for one in version.columns.all()}

    now = again(1, age="decimal")
    assert now["age"] == ("decimal", False), "another guess is no confirmation"
    assert now["illness"] == (found["illness"], True)
    assert now["zip"] == ("text", True), "a correction holds while the data suggest what was corrected"
    assert again(2)["age"] == (found["age"], False), "what was taken back stays taken back"
    assert again(3, zip="date")["zip"] == ("date", False)


def test_a_guessed_kind_is_in_no_recipe_with_differential_privacy(team: factories.Team) -> None:
    """Bounds without a kind that somebody confirmed are refused; other columns are text to such a step."""
    release = factories.make_release(team)
    version = release.version
    step = {"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 1}}
    bounds = {"bounds": [0, 100], "bin_width": 10}
    columns.describe(version=version, name="age", kind="integer", settings=bounds, by=team.steward)
    release.recipe = {"goals": [], "steps": [step]}
    said = recipe_of(release)["columns"]
    assert said["age"]["kind"] == "integer"
    assert all("kind" not in part for name, part in said.items() if name != "age")
    insist_on_answers(recipe_of(release))
    version.columns.update(kind_confirmed=False)
    with pytest.raises(EngineError, match="which kind"):
        insist_on_answers(recipe_of(release))
    release.recipe = {"goals": [], "steps": []}
    assert "kind" in recipe_of(release)["columns"]["age"]


def test_no_desk_opens_on_a_guessed_kind(team: factories.Team, version: Version) -> None:
    bounds = {"bounds": [0, 100], "bin_width": 10}
    columns.tag(version=version, roles={"age": "other"}, by=team.steward)
    columns.describe(version=version, name="age", settings=bounds, by=team.steward)
    version.columns.update(kind_confirmed=False)
    with pytest.raises(Invalid, match="guessed"):
        desks.open_on(version=version, columns=["age"], rows_per_person=1, by=team.steward)
    columns.describe(version=version, name="age", kind="integer", by=team.steward)
    opened = desks.open_on(version=version, columns=["age"], rows_per_person=1, by=team.steward)
    assert opened.dictionary["age"]["kind"] == "integer"


def test_a_kept_column_that_nobody_else_knows_is_one_in_the_recipe(
    team: factories.Team, version: Version
) -> None:
    release = factories.make_release(team, version=version)
    said = Unknown.of("never-shared", "an internal number")
    columns.tag(version=version, roles={"zip": "other"}, unknown={"zip": said}, by=team.steward)
    part = recipe_of(release)["columns"]["zip"]
    assert (part["known"], part["why"]) == ("no", "internal number, never shared: an internal number")
    columns.tag(version=version, roles={"zip": "sensitive"}, by=team.steward)
    assert "known" not in recipe_of(release)["columns"]["zip"]


def test_only_of_a_kept_column_can_it_be_said_that_nobody_knows_it(
    team: factories.Team, version: Version
) -> None:
    said = Unknown.of("other", "no reason")
    with pytest.raises(Invalid, match="kept as it is"):
        columns.tag(version=version, roles={}, unknown={"illness": said}, by=team.steward)
    with pytest.raises(Invalid):
        Unknown.of("", "words")
