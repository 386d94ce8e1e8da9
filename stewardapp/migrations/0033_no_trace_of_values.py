"""The pages on which values stood in clear are written anew, outside of any transaction."""

from typing import Any

from django.db import migrations

from stewardapp.database.forgetting import rewrite

HELD = ("Run", "Reading", "Column", "Hierarchy", "Preview", "Query", "Desk", "Release", "Version")


def forget(apps: Any, schema_editor: Any) -> None:
    rewrite(schema_editor.connection, [apps.get_model("stewardapp", name)._meta.db_table for name in HELD])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("stewardapp", "0032_only_sealed_values")]
    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
