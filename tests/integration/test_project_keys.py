"""Pseudonyms under the key of a project, through the real runner: equal within it, different elsewhere."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from stewardapp import storage
from stewardapp.access.verdict import NotAllowed
from stewardapp.actions import columns, project_keys, releases
from stewardapp.models import AuditEvent, Dataset, ProjectKey, Run
from tests import factories
from tests.factories import Team
from tests.site import Site
from worker.queue import runner

FIRST = b"name,town\n" + b"".join(b"person%d,North\n" % n for n in range(8))
SECOND = b"town,name\n" + b"".join(b"South,person%d\n" % n for n in reversed(range(10)))
ROLES = {"name": "direct-identifier", "town": "other"}


def run(team: Team, content: bytes, key: str = "project", dataset: Dataset | None = None) -> Run:
    """A release of a file, run by the worker's own code in the engine's own process."""
    version = factories.read_for_real(factories.upload(team, data=content, dataset=dataset))
    columns.tag(version=version, roles=ROLES, by=team.steward)
    step = {"method": "pseudonyms", "params": {"column": "name", "key": key}}
    release = releases.create(
        version=version, title=factories.unique("Release"), recipe={"steps": [step]}, by=team.steward
    )
    made = factories.make_run(release)
    runner.perform("run", str(made.pk))
    made.refresh_from_db()
    assert made.state == "succeeded", made.error_message
    return made


def pseudonyms(made: Run) -> set[str]:
    with storage.reading(made.artifacts.get(name="release.csv").blob) as stored:
        return {row["name"] for row in csv.DictReader(io.StringIO(stored.read().decode()))}


def written(made: Run) -> str:
    """Everything that is kept of a run besides its files."""
    return json.dumps([made.report, made.manifest, made.recipe, list(AuditEvent.objects.values("details"))])


def test_the_same_person_has_the_same_pseudonym_in_one_project_only(embedded_site: Site) -> None:
    team, others = factories.make_project(), factories.make_project()
    first = run(team, FIRST)
    again = run(team, SECOND, dataset=first.release.version.dataset)
    assert len(pseudonyms(first)) == 8
    assert pseudonyms(first) < pseudonyms(again)
    assert pseudonyms(run(others, FIRST)).isdisjoint(pseudonyms(first))
    assert pseudonyms(run(team, FIRST, key="release")).isdisjoint(pseudonyms(first))

    key = ProjectKey.objects.get(project=team.project)
    made = AuditEvent.objects.about(key)
    assert [(event.action, event.actor) for event in made] == [("project-key.created", team.steward)]
    assert storage.key_bytes(key.key).hex() not in written(first) + written(again)


def test_a_replaced_key_links_nothing_and_is_gone(embedded_site: Site) -> None:
    team = factories.make_project()
    first = run(team, FIRST)
    former = ProjectKey.objects.get(project=team.project)
    project_keys.replace(project=team.project, by=team.admin)
    assert pseudonyms(run(team, FIRST)).isdisjoint(pseudonyms(first))
    former.key.refresh_from_db()
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(former.key)


def test_a_key_in_use_is_not_replaced(embedded_site: Site) -> None:
    team = factories.make_project()
    done = run(team, FIRST)
    waiting = factories.make_run(done.release)
    with pytest.raises(NotAllowed, match="using the key"):
        project_keys.replace(project=team.project, by=team.steward)
    assert waiting.project_key == ProjectKey.objects.of(team.project.pk)


def test_a_run_that_needs_no_key_makes_none(embedded_site: Site) -> None:
    team = factories.make_project()
    held: Any = run(team, FIRST, key="release").project_key
    assert held is None
    assert not ProjectKey.objects.exists()
