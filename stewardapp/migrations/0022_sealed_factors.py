"""Secrets of second factors are sealed; sessions, which could hold one in clear, begin anew."""

from typing import Any

from django.db import migrations

from stewardapp import sealed_text
from stewardapp.database.forgetting import rewrite

PURPOSE = "second factors"


def seal(apps: Any, schema_editor: Any) -> None:
    factors = apps.get_model("mfa", "Authenticator").objects
    for factor in factors.all():
        factors.filter(pk=factor.pk).update(data={name: _sealed(name, kept) for name, kept in factor.data.items()})
    apps.get_model("sessions", "Session").objects.all().delete()


def _sealed(name: str, kept: Any) -> Any:
    if name == "migrated_codes":
        return [_sealed("seed", code) for code in kept]
    secret = name in ("secret", "seed") and not sealed_text.is_sealed(kept)
    return sealed_text.sealed(kept, PURPOSE) if secret else kept


def forget(apps: Any, schema_editor: Any) -> None:
    """The pages on which they stood are written anew."""
    found = [apps.get_model("mfa", "Authenticator"), apps.get_model("sessions", "Session")]
    rewrite(schema_editor.connection, [model._meta.db_table for model in found])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("stewardapp", "0021_people"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("sessions", "0001_initial"),
    ]
    operations = [
        migrations.RunPython(seal, migrations.RunPython.noop, atomic=True),
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
