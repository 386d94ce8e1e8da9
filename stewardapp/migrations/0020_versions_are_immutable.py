"""A version is its bytes: what was read from them stands with its readings alone."""

import django.db.models.deletion
from django.db import migrations, models

READING = {"on_delete": django.db.models.deletion.PROTECT, "to": "stewardapp.reading"}
UNANSWERED = ["failed", "cancelled"]


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0019_tables_to_readings")]

    operations = [
        migrations.RemoveConstraint("version", "version_table_with_rows"),
        migrations.RemoveField("version", "table"),
        migrations.RemoveField("version", "rows"),
        migrations.RemoveField("version", "profile"),
        migrations.RemoveField("run", "populations"),
        migrations.AlterField("run", "reading", models.ForeignKey(related_name="runs", **READING)),
        migrations.AlterField("preview", "reading", models.ForeignKey(related_name="previews", **READING)),
        migrations.AlterField("desk", "reading", models.ForeignKey(related_name="desks", **READING)),
        migrations.RemoveConstraint("query", "query_answered_once"),
        migrations.AlterField("query", "reading", models.ForeignKey(related_name="queries", **READING)),
        migrations.AddConstraint(
            "query",
            models.UniqueConstraint(
                fields=("reading", "fingerprint"),
                condition=models.Q(("state__in", UNANSWERED), _negated=True),
                name="query_answered_once",
            ),
        ),
        migrations.AddConstraint(
            "reading",
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(("rows__isnull", False), ("table__isnull", False)),
                    models.Q(("rows__isnull", True), ("table__isnull", True)),
                    _connector="OR",
                ),
                name="reading_table_with_rows",
            ),
        ),
        migrations.AddConstraint(
            "reading",
            models.CheckConstraint(
                condition=models.Q(
                    ("state", "succeeded"), ("table__isnull", True), _connector="OR"
                ),
                name="reading_table_only_succeeded",
            ),
        ),
    ]
