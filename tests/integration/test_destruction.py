"""What is destroyed is gone: every byte of the data folder and of the database's files is looked through.

Values of the data lie there only as ciphertext, before; afterwards the keys are gone too. What people type is
no value of the data, wherever they had it from, and stays readable: titles, purposes, reasons, comments,
descriptions, names of files, columns, hierarchies and projects, and the dialect somebody states. None of
these holds a planted value here, so that nothing at all may be found.
"""

from __future__ import annotations

import base64
import io
import re
import secrets
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.urls import reverse

from stewardapp import keyring, storage
from stewardapp.actions import budgets, columns, comments, desks, hierarchies, previews, queries, releases
from stewardapp.actions import versions as version_actions
from stewardapp.canonical import sha256_of
from stewardapp.domain.facts import run_facts
from stewardapp.models import DataKey, Desk, Query, Release, Run, Version
from stewardapp.views.proposing import propose_for
from tests import factories
from tests.faults.world import ended
from tests.integration.canaries import disguises
from tests.integration.test_canaries import rows
from tests.integration.url_scene import browser
from tests.site import Site
from worker.engine.contracts.privacy import Spend

WRITTEN = ("plain", "utf-16", "base64", "hex", "json", "repr", "reversed", "number")
SECONDS = 240.0
LABEL = 16  # what a wrapped key begins with, before anything secret
# Most of a database's files is empty: no value and no key is written with so many zeros in it.
EMPTY, LITTLE = re.compile(rb"\0{32,}"), bytes(32)
ROLES = {
    "name": "direct-identifier",
    "town": "quasi-identifier",
    "age": "quasi-identifier",
    "illness": "sensitive",
    "income": "other",
}


class Planted:
    """Data whose every value is known, random, and like nothing else in the world."""

    def __init__(self) -> None:
        mark = secrets.token_hex(4)
        self.towns = [f"Örtchen{mark}{letter}" for letter in "abcd"]
        self.illnesses = [f"Leiden{mark}{letter}" for letter in "xyz"]
        self.names = [f"Mensch{mark}{number}" for number in range(10)]
        first = 10**10 + secrets.randbelow(10**10)
        self.incomes = [first + 1_000_003 * number for number in range(5)]

    @property
    def content(self) -> bytes:
        """A hundred and twenty people."""
        lines = [
            f"{self.names[row % 10]},{self.towns[row % 4]},{20 + row % 3 * 10},"
            f"{self.illnesses[row % 3]},{self.incomes[row % 5]}"
            for row in range(120)
        ]
        return "\n".join(["name,town,age,illness,income", *lines, ""]).encode()

    @cached_property
    def forms(self) -> dict[bytes, str]:
        """Each value in each way of writing it."""
        values = [*self.towns, *self.illnesses, *self.names, *map(str, self.incomes)]
        found = {
            form: value for value in values for name in WRITTEN for form in disguises(value).get(name, ())
        }
        return {form: value for form, value in found.items() if len(form) >= 8}

    def found(self, content: bytes) -> set[str]:
        """What a search of all rows asks for."""
        return {value for form, value in self.forms.items() if form in content}


@dataclass
class Story:
    """Everything that is done with a version before it is destroyed."""

    site: Site
    planted: Planted
    team: factories.Team
    version: Version
    published: Release
    desk: Desk

    @classmethod
    def told(cls, site: Site) -> Story:
        """By a real worker, through the actions."""
        site.start_worker()
        planted, team = Planted(), factories.make_project()
        version = factories.upload(team, data=planted.content)
        done(version.attempt)
        version.refresh_from_db()
        described(team, version, planted)
        release = drafted(team, version, planted)
        step = {"method": "pram", "params": {"column": "illness"}}
        done(previews.start(release=release, step=step, by=team.steward))
        run = factories.make_run(release, by=team.steward)
        done(run)
        run.refresh_from_db()
        published = released(team, release, run)
        desk = asked(team, version, planted)
        return cls(site, planted, team, version, published, desk)

    def look_at_pages(self) -> None:
        """Sessions and logs know nothing of what was shown."""
        client = browser(self.team.steward)
        shown = [reverse("column-hierarchy", args=[one.pk]) for one in self.version.columns.all()]
        shown += [reverse("run-detail", args=[self.published.candidate_id]) + "?tab=utility"]
        shown += [
            reverse("desk-detail", args=[self.desk.pk]),
            reverse("version-columns", args=[self.version.pk]),
        ]
        town = self.version.columns.get(name="town")
        edited = client.post(reverse("column-hierarchy-edit", args=[town.pk]), {"do": "show"})
        contents = [client.get(page).content for page in shown] + [edited.content]
        assert any(self.planted.found(content) for content in contents)  # people do see values


def described(team: factories.Team, version: Version, planted: Planted) -> None:
    """Roles, bounds, categories read from the data, hierarchies made of its values."""
    columns.tag(version=version, roles=ROLES, by=team.steward)
    said: dict[str, dict[str, Any]] = {
        "illness": {"categories": planted.illnesses},
        "town": {"categories": planted.towns},
        "income": {"bounds": [planted.incomes[0], planted.incomes[-1]], "bin_width": 1_000_003},
    }
    for name, settings_ in said.items():
        columns.describe(version=version, name=name, settings=settings_, by=team.steward)
    lines = [f"{town};{town[:-1]}…;*" for town in planted.towns]
    made = {"project": team.project, "version": version, "name": "Places", "by": team.steward}
    towns = hierarchies.create(lines="\n".join(lines), **made)
    hierarchies.attach(column=version.columns.get(name="town"), hierarchy=towns, by=team.steward)
    assert propose_for(version.columns.select_related("version").get(name="age"), team.steward)


def drafted(team: factories.Team, version: Version, planted: Planted) -> Release:
    """A recipe that names values."""
    matrix = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    pram = {"column": "illness", "categories": planted.illnesses, "matrix": matrix}
    recipe = {
        "goals": [
            {"goal": "k-anonymity", "params": {"k": 3}},
            {"goal": "t-closeness", "params": {"column": "illness", "t": 0.9}},
        ],
        "steps": [
            {"method": "generalization", "params": {"suppression_limit": 0.5}},
            {"method": "pram", "params": pram},
            {"method": "rounding", "params": {"column": "income", "base": 10}},
        ],
        "measures": ["*"],
    }
    return releases.create(version=version, title="Illness", purpose="Study.", recipe=recipe, by=team.steward)


def released(team: factories.Team, release: Release, run: Run) -> Release:
    """Submitted, approved, published."""
    why = {"reason_for_unique": "They are few."}
    release = releases.submit(release=release, run=run, description=why, by=team.steward)
    release = factories.vote(team, release, "approve")
    return releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=team.steward)


def asked(team: factories.Team, version: Version, planted: Planted) -> Desk:
    """A table with noise, and questions that name values, answered by the worker."""
    allotment = factories.give_budget(team, version.dataset.population, Spend.of(4))
    histogram = {"method": "dp-histogram", "params": {"columns": ["illness"], "epsilon": 0.5}}
    table = releases.create(version=version, title="T", recipe={"steps": [histogram]}, by=team.steward)
    done(factories.make_run(table, by=team.steward))
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(2), by=team.steward)
    desk = desks.open_on(version=version, columns=["illness", "town"], rows_per_person=1, by=team.steward)
    where = [{"column": "town", "op": "is", "values": planted.towns[:1]}]
    for question in ({"ask": "count", "where": where}, {"ask": "histogram", "column": "illness"}):
        done(queries.ask(desk=desk, question={**question, "epsilon": 0.25}, by=team.analyst))
    return desk


def done(job: Any) -> None:
    assert ended(job, SECONDS) == "succeeded", job.error_message


# What is looked through


def every_file(site: Site) -> Iterator[tuple[str, bytes]]:
    """Each file with its bytes, of which long empty places are left out."""
    for name, content in written(site):
        yield name, EMPTY.sub(LITTLE, content)


def written(site: Site) -> Iterator[tuple[str, bytes]]:
    """The data folder, and PostgreSQL's own with heap and write-ahead log.

    Another process reads the data folder: one that opens and closes its own SQLite file loses its locks.
    """
    command = ["tar", "-c", "-C", site.data, "."]
    packed = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=120)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for member in archive:
            if (content := archive.extractfile(member)) is not None:
                yield member.name.removeprefix("./"), content.read()
    if connection.vendor == "postgresql":
        yield from files_of_postgres()


def files_of_postgres() -> Iterator[tuple[str, bytes]]:
    """All that the server has on its disk, after it was told to write everything."""
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("SELECT current_setting('data_directory')")
        folder = Path(cursor.fetchone()[0])
    for path in folder.rglob("*"):
        if path.is_file():
            yield f"postgres/{path.relative_to(folder)}", path.read_bytes()


def values_found(story: Story) -> set[tuple[str, str]]:
    """Where values lie open, in files and, decompressed by the database, in rows."""
    lying = {
        (name, value) for name, content in every_file(story.site) for value in story.planted.found(content)
    }
    return lying | set(rows(story.planted))  # type: ignore[arg-type]


def secrets_found(site: Site, wanted: Iterable[bytes]) -> set[str]:
    """Files in which one of these secrets lies, in bytes, hexadecimal or base64."""
    forms = [form for one in wanted for form in (one, one.hex().encode(), base64.b64encode(one))]
    return {
        name
        for name, content in every_file(site)
        if name != "key-encryption-key" and any(form in content for form in forms)
    }


def wrapped(identity: Any) -> bytes:
    return (Path(settings.STEWARD_DATA) / "keys" / str(identity)).read_bytes()


# The tests


def test_nothing_lies_open_and_what_is_destroyed_is_gone(any_site: Site) -> None:
    story = Story.told(any_site)
    story.look_at_pages()
    assert values_found(story) == set()
    living = list(DataKey.objects.filter(destroyed_at=None).values_list("pk", flat=True))
    assert secrets_found(any_site, map(keyring.key_of, living)) == set()
    assert secrets_found(any_site, [bytes.fromhex(Path(settings.STEWARD_KEY_FILE).read_text())]) == set()

    candidate = Run.objects.get(pk=story.published.candidate_id)
    assert sha256_of(candidate.manifest) == candidate.manifest_sha256
    assert story.planted.illnesses[0] in str(candidate.recipe)
    kept = {identity: wrapped(identity) for identity in living}
    version_actions.destroy(version=story.version, reason="Asked for.", by=story.team.admin)

    gone = set(DataKey.objects.exclude(destroyed_at=None).values_list("pk", flat=True)) & set(kept)
    assert story.version.key_id in gone
    assert candidate.key_id not in gone  # others have what it sealed
    assert secrets_found(any_site, [kept[identity][LABEL:] for identity in gone]) == set()
    assert values_found(story) == set()
    what_stays(story)
    the_search_finds(story)


def what_stays(story: Story) -> None:
    """Title, figures, hashes and what others have; nothing that names a value."""
    run = Run.objects.get(pk=story.published.candidate_id)
    assert (run.recipe, run.report, run.inside) == ({}, {}, {})
    assert any("smallest_class" in one.figures for one in run_facts(run).measured.values())
    assert run_facts(run).goals_hold
    assert run.manifest_sha256 == story.published.candidate_sha256
    with storage.reading(run.artifacts.get(name="release.csv").blob) as file:
        assert file.read(7)
    question = Query.objects.filter(desk=story.desk).first()
    assert question is not None
    assert not question.question
    assert not question.answer
    assert not any(story.version.columns.get(name="illness").settings)


def the_search_finds(story: Story) -> None:
    """A control: what somebody types is found, in the database and in a file."""
    text = f"About {story.planted.towns[0]}"
    with transaction.atomic():
        comments.add(release=story.published, text=text, by=story.team.steward)
    (story.site.data / "note").write_text(story.planted.names[0], encoding="utf-16")
    places = {where for where, _ in values_found(story)}
    assert {"note", "stewardapp_comment.text"} <= places
    assert any(where.startswith(("postgres/", "steward.sqlite3")) for where in places)


def test_after_a_rotation_yesterdays_backup_opens_nothing(embedded_site: Site) -> None:
    """The database and the wrapped keys of yesterday beside the site key of today."""
    team = factories.make_project()
    version = factories.read_for_real(factories.upload(team))
    yesterday = wrapped(version.key_id)
    version_actions.destroy(version=version, reason="Asked for.", by=team.admin)
    keyring.rotate()
    (Path(settings.STEWARD_DATA) / "keys" / str(version.key_id)).write_bytes(yesterday)
    DataKey.objects.filter(pk=version.key_id).update(destroyed_at=None)
    with pytest.raises(keyring.SiteKeyMissing):
        storage.key_bytes(DataKey.objects.get(pk=version.key_id))
