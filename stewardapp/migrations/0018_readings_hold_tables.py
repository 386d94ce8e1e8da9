"""A reading holds its table, and everything that reads one names its reading."""

import django.db.models.deletion
from django.db import migrations, models

READING = {"on_delete": django.db.models.deletion.PROTECT, "to": "stewardapp.reading", "null": True}


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0017_stages_of_jobs")]

    operations = [
        migrations.AddField(
            "reading",
            "table",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="readings",
                to="stewardapp.blob",
            ),
        ),
        migrations.AddField("reading", "rows", models.BigIntegerField(blank=True, null=True)),
        migrations.AddField("reading", "profile", models.JSONField(blank=True, default=dict)),
        migrations.AddField(
            "version", "current", models.ForeignKey(blank=True, related_name="+", **READING)
        ),
        migrations.AddField("run", "reading", models.ForeignKey(related_name="runs", **READING)),
        migrations.AddField(
            "run",
            "compared",
            models.ManyToManyField(blank=True, related_name="compared_in", to="stewardapp.reading"),
        ),
        migrations.AddField("run", "dictionary", models.JSONField(blank=True, default=dict)),
        migrations.AddField("preview", "reading", models.ForeignKey(related_name="previews", **READING)),
        migrations.AddField(
            "preview",
            "compared",
            models.ManyToManyField(blank=True, related_name="compared_in_previews", to="stewardapp.reading"),
        ),
        migrations.AddField("desk", "reading", models.ForeignKey(related_name="desks", **READING)),
        migrations.AddField("query", "reading", models.ForeignKey(related_name="queries", **READING)),
    ]
