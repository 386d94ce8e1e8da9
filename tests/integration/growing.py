"""One database that grew up through every version, with what each of them left in it on the way.

Going through all versions takes long, so that it is done once for each kind of database. Copies from before
some versions are kept for those who look at one step alone.
"""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import override_settings
from django.utils import timezone

from stewardapp import keyring
from stewardapp.canonical import sha256_of
from stewardapp.domain import audit_chain
from stewardapp.models import AuditEvent
from tests.services import fresh_database
from tests.site import default_database

VALUE = "Kanarienwert"
OLD_RISK = {
    "reidentification": {"smallest_class": 7, "highest_risk": 1 / 7, "class_sizes": [{"from": 5, "rows": 7}]},
    "kept-columns": {"unique_share": 0.04, "unit": "row"},
}
ACHIEVED = {"less than demanded": 6, "not recomputed": None}
"""The smallest class that an old run was recomputed with, by what that means."""


def migrated_to(name: str) -> Any:
    """The models as they were then."""
    call_command("migrate", "stewardapp", name, interactive=False, verbosity=0)
    return models_of(name)


def models_of(name: str) -> Any:
    """The models of a version, without going there."""
    return MigrationExecutor(connection).loader.project_state([("stewardapp", name)]).apps


def written() -> bytes:
    """Every byte of the database's files, as far as a file is ours to read."""
    if connection.vendor == "sqlite":
        named = connection.settings_dict["NAME"]
        return b"".join(
            Path(f"{named}{end}").read_bytes() for end in ("", "-wal") if Path(f"{named}{end}").exists()
        )
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute(
            "SELECT current_setting('data_directory'), oid FROM pg_database "
            "WHERE datname = current_database()"
        )
        folder, oid = cursor.fetchone()
    return b"".join(path.read_bytes() for path in (Path(folder) / "base" / str(oid)).iterdir())


# What earlier versions left


def leave_wrapped_keys(old: Any) -> SimpleNamespace:
    """A key as it stood in the database, and one that was destroyed."""
    site_key, key, identity, gone = os.urandom(32), os.urandom(32), uuid.uuid4(), uuid.uuid4()
    Path(settings.STEWARD_KEY_FILE).write_text(site_key.hex())
    nonce = os.urandom(12)
    wrapped = nonce + AESGCM(site_key).encrypt(nonce, key, identity.bytes)
    rows = old.get_model("stewardapp", "DataKey").objects
    rows.create(id=identity, wrapped=wrapped)
    rows.create(id=gone, wrapped=None, destroyed_at=timezone.now())
    assert wrapped in written()
    return SimpleNamespace(wrapped=wrapped, key=key, identity=identity, gone=gone)


def leave_an_event(old: Any) -> None:
    """A log of one event whose end nobody sealed."""
    event = AuditEvent(id=1, at=timezone.now(), action="x", subject_type="x", subject_id=uuid.uuid4())
    said = {name: getattr(event, name) for name in ("at", "action", "subject_type", "subject_id")}
    old.get_model("stewardapp", "AuditEvent").objects.create(id=1, **said, hash=audit_chain.link(event))
    old.get_model("stewardapp", "AuditHead").objects.create(id=1, count=1, hash=audit_chain.link(event))


class Clear:
    """A project of the time when values stood in rows in clear."""

    def __init__(self, apps: Any, name: str) -> None:
        self.name = name
        self.model = lambda name: apps.get_model("stewardapp", name).objects
        self.user = self.model("User").create(username=f"steward of {name}")
        self.project = self.model("Project").create(name=name)
        people = self.model("Population").create(name=f"People of {name}")
        self.dataset = self.model("Dataset").create(project=self.project, population=people, name="D")

    def version(self, number: int, **more: Any) -> Any:
        """A version that was read, with one column; `more` says that it was destroyed."""
        key = self.model("DataKey").create(id=keyring.create(), **more)
        blob = {"size": 1, "key": key, "purpose": "raw", "sha256": "a" * 64}
        path = f"blobs/{self.name}/{number}"
        made = {"number": number, "filename": "f.csv", "sha256": "d" * 64, "size": 1, "key": key, **more}
        version = self.model("Version").create(
            dataset=self.dataset,
            raw=self.model("Blob").create(path=path, **blob),
            uploaded_by=self.user,
            retention_until=timezone.now(),
            **made,
        )
        ended = {"state": "succeeded", "finished_at": timezone.now(), "rows": 1}
        table = self.model("Blob").create(path=f"{path}t", **blob | {"sha256": "b" * 64})
        self.model("Reading").create(
            version=version, requested_by=self.user, table=table, profile={"notes": [VALUE]}, **ended
        )
        return version

    def column(self, version: Any, **more: Any) -> Any:
        said = {"settings": {"categories": [VALUE]}, "profile": {"top": VALUE}, "reason": f"{VALUE} is rare"}
        return self.model("Column").create(
            version=version, position=0, name="town", kind="text", **said, **more
        )

    def hierarchy(self, name: str) -> Any:
        return self.model("Hierarchy").create(project=self.project, name=name, lines=f"{VALUE};*")

    def release(self, version: Any, **of_run: Any) -> Any:
        """A release with a run that succeeded, of `of_run` its report and manifest, and a desk."""
        recipe = {"steps": [{"method": "pram", "params": {"categories": [VALUE]}}]}
        release = self.model("Release").create(
            project=self.project, version=version, title="T", author=self.user, recipe=recipe
        )
        reading = version.readings.get()
        manifest = {"version": 1, "microdata": True, "goals": [], "recipe": recipe, "utility": {VALUE: 1}}
        manifest |= of_run.pop("manifest", {})
        ended = {"state": "succeeded", "finished_at": timezone.now(), "manifest_sha256": sha256_of(manifest)}
        self.model("Run").create(
            release=release,
            number=1,
            reading=reading,
            recipe=recipe,
            recipe_sha256="",
            report=of_run.pop("report", {"top": VALUE}),
            manifest=manifest,
            started_by=self.user,
            key=self.model("DataKey").create(id=keyring.create()),
            **ended,
        )
        desk = self.model("Desk").create(
            version=version,
            reading=reading,
            dictionary={"town": {"categories": [VALUE]}},
            opened_by=self.user,
        )
        asked = {"question": {"where": VALUE}, "words": f"Count of {VALUE}", "answer": {"rows": [[VALUE]]}}
        about = {"desk": desk, "version": version, "reading": reading, "asked_by": self.user}
        self.model("Query").create(fingerprint="f", epsilon_micro=1, **asked, **about)
        return release


def leave_values(apps: Any) -> SimpleNamespace:
    """Values in clear: of a version that is there, and of one that was destroyed."""
    old = Clear(apps, "Values")
    version, destroyed = old.version(1), old.version(2, destroyed_at=timezone.now())
    keyring.destroy(destroyed.key_id)
    own, kept, lost = (old.hierarchy(name) for name in ("own", "kept", "lost"))
    column = old.column(version, hierarchy=own)
    gone = old.column(destroyed, hierarchy=lost)
    release = old.release(version)
    assert VALUE.encode() in written()
    return SimpleNamespace(
        version=version.pk, kept=kept.pk, column=column.pk, gone=gone.pk, release=release.pk
    )


def leave_figures(apps: Any, name: str) -> SimpleNamespace:
    """Runs whose figures stand in manifest and report, of data that are there and of data that are gone."""
    old = Clear(apps, name)
    goal = {"goal": "k-anonymity", "required": 5, "achieved": ACHIEVED[name], "holds": True}
    manifest = {"goals": [goal], "risk": {"before": {}, "after": OLD_RISK}}
    report = {"risk": {"after": OLD_RISK}, "utility": {"marginals": {"mean_total_variation": 0.25}}}
    policy = old.model("Policy").create(project=old.project, version=1)
    release = old.release(old.version(1), manifest=manifest, report=report)
    gone = old.release(old.version(2, destroyed_at=timezone.now()), manifest=manifest, report=report)
    keyring.destroy(gone.version.key_id)
    return SimpleNamespace(policy=policy.pk, release=release.pk, gone=gone.pk)


def leave_all_in_clear(apps: Any) -> SimpleNamespace:
    """What stands in clear before anything is sealed."""
    figures = {name: leave_figures(apps, name) for name in ACHIEVED}
    return SimpleNamespace(values=leave_values(apps), figures=figures)


def leave_a_policy(apps: Any) -> Any:
    """A policy that nobody could bound local promises in; its project."""
    project = apps.get_model("stewardapp", "Project").objects.create(name="Study")
    apps.get_model("stewardapp", "Policy").objects.create(project=project, version=1)
    return project.pk


LEFT: dict[str, Callable[[Any], Any]] = {
    "0014_rows_that_stand_alone": leave_wrapped_keys,
    "0022_sealed_factors": leave_an_event,
    "0029_confirmed_kinds": leave_all_in_clear,
    "0034_accounts_handed_over": leave_a_policy,
}
BEFORE_READINGS_HELD_TABLES, BEFORE_MAKERS = "0017_stages_of_jobs", "0027_purchases_protect"
AFTER_BOUNDS_FOR_LOCAL_PROMISES, BEFORE_ROWS = "0035_bounded_local_epsilon", "0037_repeated_questions"
KEPT = (BEFORE_READINGS_HELD_TABLES, BEFORE_MAKERS, AFTER_BOUNDS_FOR_LOCAL_PROMISES)
BOUNDS = {"minimum_k": 7, "maximum_risk": "0.1500", "maximum_unique": "0.0400"}


@dataclass
class Grown:
    """The database, its data folder, and what was left in it by the version that left it."""

    data: Path
    url: str
    copied: Callable[[str, str], str]
    """Makes a copy of the database with a name."""
    left: dict[str, Any] = field(default_factory=dict)
    earlier: dict[str, str] = field(default_factory=dict)

    def grow(self) -> None:
        """Through all versions, and one with something to do at each stop."""
        for name in sorted([*LEFT, *KEPT, BEFORE_ROWS]):
            with opened(self.url, self.data):
                apps = migrated_to(name)
                if name in LEFT:
                    self.left[name] = LEFT[name](apps)
                if name == BEFORE_ROWS:
                    self.bound(apps)
            if name in KEPT:
                self.earlier[name] = self.copied(self.url, name)
        with opened(self.url, self.data):
            call_command("migrate", interactive=False, verbosity=0)

    def bound(self, apps: Any) -> None:
        """Set the bounds of the policies that become rows."""
        policies = [one.policy for one in self.left["0029_confirmed_kinds"].figures.values()]
        apps.get_model("stewardapp", "Policy").objects.filter(pk__in=policies).update(**BOUNDS)


@contextmanager
def opened(url: str, data: Path) -> Iterator[None]:
    """Have a database as the default one, with a data folder."""
    place = {"STEWARD_DATA": data, "STEWARD_KEY_FILE": data / "key-encryption-key"}
    with override_settings(**place), default_database(url):
        yield


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def grown(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[Grown]:
    """The database after all versions."""
    data = tmp_path_factory.mktemp("grown") / "data"
    data.mkdir()
    with ExitStack() as stack:
        if request.param == "sqlite":
            grown = Grown(data, f"sqlite:///{data}/steward.sqlite3", copied_file)
        else:
            server = request.getfixturevalue("postgres_server")

            def copied(url: str, name: str) -> str:
                template = url.partition("?")[0].rpartition("/")[2]
                return stack.enter_context(fresh_database(server, template))

            grown = Grown(data, stack.enter_context(fresh_database(server)), copied)
        with django_db_blocker.unblock():
            grown.grow()
        yield grown


def copied_file(url: str, name: str) -> str:
    """A copy of a database in a file, beside it."""
    file = Path(url.removeprefix("sqlite:///"))
    copy = file.with_name(f"{name}.sqlite3")
    shutil.copy(file, copy)
    return f"sqlite:///{copy}"


@pytest.fixture
def grown_up(grown: Grown, django_db_blocker: Any) -> Iterator[Grown]:
    """The database as it is today as the default one."""
    with django_db_blocker.unblock(), opened(grown.url, grown.data):
        yield grown


@pytest.fixture
def earlier(grown: Grown, tmp_path: Path, django_db_blocker: Any) -> Iterator[Callable[[str], None]]:
    """Has the database as it was at an earlier version as the default one, with an empty data folder."""
    with django_db_blocker.unblock(), ExitStack() as stack:
        yield lambda name: stack.enter_context(opened(grown.earlier[name], tmp_path))
