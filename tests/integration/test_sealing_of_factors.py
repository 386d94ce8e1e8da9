"""The migration that seals the secrets of second factors, on data from before it, on both databases."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.utils import timezone

from stewardapp import sealed_text
from stewardapp.models import User
from tests import factories
from tests.site import Site

SECRET, SEED, CODE = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "0c" * 40, "11223344"


def give(person: User, kind: str, **data: object) -> None:
    """As earlier versions of the product kept it."""
    Authenticator.objects.create(user=person, type=kind, data=data)


def kept(person: User, kind: str) -> dict[str, object]:
    found: dict[str, object] = Authenticator.objects.get(user=person, type=kind).data
    return found


def migrate() -> None:
    """The steps of the migration itself, which later ones do not let one go back to."""
    steps = import_module("stewardapp.migrations.0022_sealed_factors")
    editor = SimpleNamespace(connection=connection)
    with transaction.atomic():
        steps.seal(apps, editor)
    steps.forget(apps, editor)


def test_secrets_kept_in_clear_are_sealed(any_site: Site) -> None:
    team = factories.make_project()
    give(team.reviewer, "totp", secret=SECRET)
    give(team.reviewer, "recovery_codes", seed=SEED, used_mask=3)
    give(team.steward, "recovery_codes", migrated_codes=[CODE])
    Session.objects.create(session_key="a" * 32, session_data=SECRET, expire_date=timezone.now())
    migrate()
    migrate()  # what is sealed stays as it is
    assert sealed_text.unsealed(str(kept(team.reviewer, "totp")["secret"]), "second factors") == SECRET
    codes = kept(team.reviewer, "recovery_codes")
    assert sealed_text.unsealed(str(codes["seed"]), "second factors") == SEED
    assert codes["used_mask"] == 3
    [code] = kept(team.steward, "recovery_codes")["migrated_codes"]  # type: ignore[misc]
    assert sealed_text.unsealed(code, "second factors") == CODE
    assert not Session.objects.exists()
    if connection.vendor == "sqlite":
        connection.close()
        for file in any_site.data.glob("steward.sqlite3*"):
            assert SECRET.encode() not in file.read_bytes()
