from django.db import migrations, models


def confirm_described(apps, schema_editor):
    """Bounds are typed beside the kind and read by it: whoever declared them said what kind it is."""
    columns = apps.get_model("stewardapp", "Column").objects.using(schema_editor.connection.alias)
    columns.filter(settings__has_key="bounds").update(kind_confirmed=True)


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0028_who_shaped_what")]

    operations = [
        migrations.AddField("column", "kind_confirmed", models.BooleanField(default=False)),
        migrations.RunPython(confirm_described, migrations.RunPython.noop, elidable=True),
    ]
