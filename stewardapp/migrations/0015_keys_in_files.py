"""Wrapped keys leave the database for files of their own, and seals get the files that outlive a site key."""

from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import migrations

from stewardapp import keyring

NONCE_BYTES = 12
SEALS = ("audit log",)


def move(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("stewardapp", "DataKey").objects.filter(wrapped__isnull=False)
    found = list(rows.values_list("pk", "wrapped"))
    if not found and not Path(settings.STEWARD_KEY_FILE).exists():
        return  # nothing was ever kept here
    site_key = AESGCM(bytes.fromhex(Path(settings.STEWARD_KEY_FILE).read_text(encoding="ascii")))
    for purpose in SEALS:
        keyring.seal_of(purpose)
    for identity, stored in found:
        wrapped = bytes(stored)
        key = site_key.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], identity.bytes)
        keyring.put(identity, key)


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0014_rows_that_stand_alone")]
    operations = [
        migrations.RemoveConstraint("datakey", "data_key_is_there_or_destroyed"),
        migrations.RunPython(move),
        migrations.RemoveField("datakey", "wrapped"),
    ]
