"""What was in clear leaves."""

import django.db.models.deletion
from django.db import migrations, models

NOT_BOTH = models.Q(sealed_lines__isnull=True) | models.Q(sealed_spec__isnull=True)


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0031_seal_values")]
    operations = [
        migrations.RemoveConstraint("hierarchy", "hierarchy_is_built_or_written"),
        migrations.RemoveField("run", "recipe"),
        migrations.RemoveField("run", "report"),
        migrations.RemoveField("reading", "profile"),
        migrations.RemoveField("column", "profile"),
        migrations.RemoveField("column", "reason"),
        migrations.RemoveField("column", "settings"),
        migrations.RemoveField("hierarchy", "spec"),
        migrations.RemoveField("hierarchy", "lines"),
        migrations.RemoveField("preview", "recipe"),
        migrations.RemoveField("preview", "result"),
        migrations.RemoveField("query", "question"),
        migrations.RemoveField("query", "words"),
        migrations.RemoveField("query", "answer"),
        migrations.RemoveField("desk", "dictionary"),
        migrations.RemoveField("release", "recipe"),
        migrations.RemoveField("run", "manifest"),
        migrations.AddConstraint(
            "hierarchy", models.CheckConstraint(condition=NOT_BOTH, name="hierarchy_is_built_or_written")
        ),
        migrations.AlterField(
            "hierarchy",
            "key",
            models.ForeignKey(
                to="stewardapp.datakey",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="hierarchies",
            ),
        ),
    ]
