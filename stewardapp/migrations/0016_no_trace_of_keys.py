"""The pages on which wrapped keys stood are written anew; a step of its own, because no transaction may be open."""

from typing import Any

from django.db import migrations

from stewardapp.database.forgetting import rewrite


def forget(apps: Any, schema_editor: Any) -> None:
    rewrite(schema_editor.connection, [apps.get_model("stewardapp", "DataKey")._meta.db_table])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("stewardapp", "0015_keys_in_files")]
    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
