"""Databases of earlier versions, with data in them, brought up to date on both databases."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import override_settings
from django.utils import timezone

from stewardapp import keyring, storage
from stewardapp.actions import audit
from stewardapp.models import AuditEvent, Column, DataKey, Desk, Hierarchy, Query, Run
from stewardapp.models.canonical import sha256_of
from tests.services import fresh_database, postgres_server
from tests.site import default_database

__all__ = ["postgres_server"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: Any) -> Iterator[Path]:
    """An empty database as the default one, and a data folder of its own."""
    data = tmp_path / "data"
    data.mkdir()
    with (
        django_db_blocker.unblock(),
        override_settings(STEWARD_DATA=data, STEWARD_KEY_FILE=data / "key-encryption-key"),
    ):
        if request.param == "sqlite":
            with default_database(f"sqlite:///{data}/steward.sqlite3"):
                yield data
        else:
            server = fresh_database(request.getfixturevalue("postgres_server"))
            with server as address, default_database(address):
                yield data


def migrated_to(name: str) -> Any:
    """The models as they were then."""
    call_command("migrate", "stewardapp", name, interactive=False, verbosity=0)
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


def test_keys_leave_the_database_for_files(empty: Path) -> None:
    old = migrated_to("0014_rows_that_stand_alone")
    site_key, key, identity, gone = os.urandom(32), os.urandom(32), uuid.uuid4(), uuid.uuid4()
    Path(settings.STEWARD_KEY_FILE).write_text(site_key.hex())
    nonce = os.urandom(12)
    wrapped = nonce + AESGCM(site_key).encrypt(nonce, key, identity.bytes)
    rows = old.get_model("stewardapp", "DataKey").objects
    rows.create(id=identity, wrapped=wrapped)
    rows.create(id=gone, wrapped=None, destroyed_at=timezone.now())
    assert wrapped in written()
    call_command("migrate", interactive=False, verbosity=0)
    assert wrapped not in written()
    assert storage.key_bytes(DataKey.objects.get(pk=identity)) == key
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(DataKey.objects.get(pk=gone))
    assert {path.name for path in (empty / "keys").iterdir()} == {str(identity), "seal-audit-log"}
    seal = keyring.seal_of("audit log")
    keyring.rotate()
    keyring._seal_of.cache_clear()
    assert keyring.seal_of("audit log") == seal


def test_the_end_of_a_log_from_before_is_sealed(empty: Path) -> None:
    old = migrated_to("0022_sealed_factors")
    event = AuditEvent(id=1, at=timezone.now(), action="x", subject_type="x", subject_id=uuid.uuid4())
    said = {name: getattr(event, name) for name in ("at", "action", "subject_type", "subject_id")}
    old.get_model("stewardapp", "AuditEvent").objects.create(id=1, **said, hash=audit.link(event))
    old.get_model("stewardapp", "AuditHead").objects.create(id=1, count=1, hash=audit.link(event))
    call_command("migrate", interactive=False, verbosity=0)
    found = audit.verify()
    assert isinstance(found, audit.Whole)
    assert found.count == 1


VALUE = "Kanarienwert"
BEFORE_SEALING = "0029_confirmed_kinds"


class Clear:
    """Rows of the time when values stood in them in clear."""

    def __init__(self, apps: Any) -> None:
        self.model = lambda name: apps.get_model("stewardapp", name).objects
        self.user = self.model("User").create(username="steward")
        self.project = self.model("Project").create(name="P")
        people = self.model("Population").create(name="People")
        self.dataset = self.model("Dataset").create(project=self.project, population=people, name="D")

    def version(self, number: int, **more: Any) -> Any:
        """A version that was read, with one column; `more` says that it was destroyed."""
        key = self.model("DataKey").create(id=keyring.create(), **more)
        blob = {"size": 1, "key": key, "purpose": "raw", "sha256": "a" * 64}
        made = {"number": number, "filename": "f.csv", "sha256": "d" * 64, "size": 1, "key": key, **more}
        version = self.model("Version").create(
            dataset=self.dataset,
            raw=self.model("Blob").create(path=f"blobs/{number}", **blob),
            uploaded_by=self.user,
            retention_until=timezone.now(),
            **made,
        )
        ended = {"state": "succeeded", "finished_at": timezone.now(), "rows": 1}
        table = self.model("Blob").create(path=f"blobs/{number}t", **blob)
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

    def release(self, version: Any) -> Any:
        """A release with a run that succeeded, and a desk with an answer."""
        recipe = {"steps": [{"method": "pram", "params": {"categories": [VALUE]}}]}
        release = self.model("Release").create(
            project=self.project, version=version, title="T", author=self.user, recipe=recipe
        )
        reading = version.readings.get()
        manifest = {"version": 1, "microdata": True, "goals": [], "recipe": recipe, "utility": {VALUE: 1}}
        ended = {"state": "succeeded", "finished_at": timezone.now(), "manifest_sha256": sha256_of(manifest)}
        self.model("Run").create(
            release=release,
            number=1,
            reading=reading,
            recipe=recipe,
            recipe_sha256="",
            report={"top": VALUE},
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


def test_values_in_clear_are_sealed_or_gone(empty: Path) -> None:
    old = Clear(migrated_to(BEFORE_SEALING))
    version, destroyed = old.version(1), old.version(2, destroyed_at=timezone.now())
    keyring.destroy(destroyed.key_id)
    own, kept, lost = (old.hierarchy(name) for name in ("own", "kept", "lost"))
    column = old.column(version, hierarchy=own)
    gone = old.column(destroyed, hierarchy=lost)
    release = old.release(version)
    assert VALUE.encode() in written()
    call_command("migrate", interactive=False, verbosity=0)
    assert VALUE.encode() not in written()

    column, gone = Column.objects.get(pk=column.pk), Column.objects.get(pk=gone.pk)
    assert (column.settings, column.profile) == ({"categories": [VALUE]}, {"top": VALUE})
    assert column.reason == f"{VALUE} is rare"
    assert (gone.settings, gone.profile, gone.reason) == ({}, {}, "")
    run = Run.objects.get(release=release.pk)
    assert sha256_of(run.manifest) == run.manifest_sha256
    assert VALUE not in str(run.stated)
    assert VALUE in str((run.recipe, run.report, run.release.recipe))
    assert Query.objects.get().words == f"Count of {VALUE}"
    assert VALUE in str(
        (Query.objects.get().question, Query.objects.get().answer, Desk.objects.get().dictionary)
    )
    found = {one.name: (one.lines, one.is_kept) for one in Hierarchy.objects.all()}
    assert found == {"own": (f"{VALUE};*", False), "kept": (f"{VALUE};*", True), "lost": ("", False)}
    assert Hierarchy.objects.get(name="own").key_id == version.key_id
    assert kept.pk == Hierarchy.objects.kept().get().pk
