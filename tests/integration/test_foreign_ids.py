"""An id of another project, wherever it is put, is an id of nothing: same answer, nothing written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.urls import reverse

from stewardapp.actions import hierarchies, releases
from stewardapp.models import Column, Release
from tests import factories
from tests.integration.url_scene import Asked, Scene, addresses, nobody, scene
from tests.integration.url_table import TABLE, Request, announcement
from tests.sampling import in_turn
from tests.scenes import undone

__all__ = ["scene"]
pytestmark = pytest.mark.django_db

WITH_IDS = [one.name for one in addresses() if any(arg.endswith("id") for arg in one.pattern.converters)]
# Ids, and what differs from one request to the next.
NOISE = re.compile(
    r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|why-\w+|name="csrfmiddlewaretoken" value="\w+"'
)


def blank(asked: Asked) -> str:
    """A page without its noise."""
    return NOISE.sub("", asked.answer.content.decode())


# In the address


@pytest.mark.parametrize("name", WITH_IDS)
def test_what_is_not_ones_own_looks_like_nothing(scene: Scene, name: str) -> None:
    row = TABLE[name]
    label = row.places[-1]
    for turn, (method, door) in enumerate(row.doors(label).items(), WITH_IDS.index(name)):
        with undone():
            request = Request.valid(scene, name, label, method)
            for persona in in_turn(sorted({"other_steward", "analyst", "outsider"} - door.sees), turn):
                theirs, nothing = request.by(persona), request.about(nobody()).by(persona)
                assert (theirs.outcome, theirs.writes) == (nothing.outcome, nothing.writes) == ("404", ())
                assert blank(theirs) == blank(nothing)


# In what is sent: the other steward's own things, and an id of ours


@dataclass(frozen=True)
class Own:
    """What the other steward has."""

    release: Release
    column: Column


@dataclass(frozen=True)
class Sending:
    """A request of somebody about the own things, into which a foreign id is put."""

    method: str
    name: str
    foreign: Callable[[Scene], object]
    outcome: str
    args: Callable[[Own], dict[str, Any]] = lambda own: {}
    sends: Callable[[Own, object], dict[str, Any]] = lambda own, id: {}
    headers: Callable[[object], dict[str, str]] = field(default=lambda id: {})


def foreign_run(scene: Scene) -> object:
    return scene.places["draft"].run.pk


SENDINGS = {
    "a dataset to upload to": Sending(
        "post", "upload", lambda scene: scene.version.dataset_id, "404", headers=announcement
    ),
    "a project for a dataset": Sending(
        "post",
        "dataset-create",
        lambda scene: scene.team.project.pk,
        "422",
        sends=lambda own, id: {"project": id, "name": "Mine", "new_population": "Mine"},
    ),
    "a project chosen beforehand": Sending(
        "get",
        "dataset-create",
        lambda scene: scene.team.project.pk,
        "yes",
        sends=lambda own, id: {"project": id},
    ),
    "a version for a release": Sending(
        "post",
        "release-create",
        lambda scene: scene.version.pk,
        "422",
        sends=lambda own, id: {"version": id, "title": "Mine", "preset": "blank"},
    ),
    "a version chosen beforehand": Sending(
        "get", "release-create", lambda scene: scene.version.pk, "yes", sends=lambda own, id: {"version": id}
    ),
    "a hierarchy to attach": Sending(
        "post",
        "column-attach",
        lambda scene: scene.hierarchy.pk,
        "422",
        args=lambda own: {"id": own.column.pk},
        sends=lambda own, id: {"hierarchy": id},
    ),
    "a column to propose for": Sending(
        "post",
        "version-columns",
        lambda scene: scene.column.pk,
        "yes",
        args=lambda own: {"id": own.column.version_id},
        sends=lambda own, id: {"propose": id},
    ),
    "a column to lay a hierarchy over": Sending(
        "get",
        "hierarchy-export",
        lambda scene: scene.attached.pk,
        "yes",
        args=lambda own: {"id": own.column.hierarchy_id},
        sends=lambda own, id: {"column": id},
    ),
    "a run to copy a recipe from": Sending(
        "get",
        "release-configure",
        foreign_run,
        "yes",
        args=lambda own: {"id": own.release.pk},
        sends=lambda own, id: {"run": id},
    ),
    "a run to submit": Sending("post", "release-submit", foreign_run, "404"),
    "a project to read the log of": Sending(
        "get", "audit-list", lambda scene: scene.team.project.pk, "yes", sends=lambda own, id: {"project": id}
    ),
    "a thing to read the log of": Sending(
        "get", "audit-list", lambda scene: scene.version.pk, "yes", sends=lambda own, id: {"subject": id}
    ),
}


def own_things(scene: Scene) -> Own:
    """A release without any item, and a column whose hierarchy nobody else knows."""
    release = factories.make_release(scene.others, version=scene.other_version)
    release = releases.edit_recipe(release=release, recipe={"measures": []}, by=scene.others.steward)
    column = scene.other_version.columns.get(name="zip")
    made = {"name": "Own", "spec": {"builder": "mask"}, "levels": 3, "by": scene.others.steward}
    hierarchy = hierarchies.create(project=scene.others.project, version=column.version, **made)
    return Own(release, hierarchies.attach(column=column, hierarchy=hierarchy, by=scene.others.steward))


@pytest.mark.parametrize("what", SENDINGS)
def test_an_id_of_another_project_is_an_id_of_nothing(scene: Scene, what: str) -> None:
    one = SENDINGS[what]
    with undone():
        own = own_things(scene)

        def ask(id: object) -> Asked:
            args = one.args(own)
            if one.name == "release-submit":
                args = {"id": own.release.pk, "run_id": id}
            url = reverse(one.name, kwargs=args)
            return scene.ask(
                "other_steward", one.method, url, data=one.sends(own, id), headers=one.headers(id)
            )

        theirs, nothing = ask(one.foreign(scene)), ask(nobody())
    assert (theirs.outcome, theirs.writes) == (nothing.outcome, nothing.writes) == (one.outcome, ())
    assert blank(theirs) == blank(nothing)


@pytest.mark.parametrize("name", ["release-publish", "review-decide"])
def test_the_hash_of_another_candidate_decides_nothing(scene: Scene, name: str) -> None:
    label, persona = {"release-publish": ("approved", "steward"), "review-decide": ("in-review", "reviewer")}[
        name
    ]
    place, other = scene.places[label], scene.places["published"]
    sent = TABLE[name].sends(scene, other)
    with undone():
        url = reverse(name, kwargs={"id": place.release.pk})
        asked = scene.ask(persona, "post", url, data=sent)
    assert (asked.outcome, asked.writes) == ("409", ())
