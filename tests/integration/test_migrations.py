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
from stewardapp.models import AuditEvent, DataKey
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
