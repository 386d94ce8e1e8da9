"""Columns for values under the key of their data; what is in clear moves into them next."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from stewardapp.models.sealed import SealedField

DATA_KEY = "stewardapp.datakey"
KEPT = django.db.models.deletion.PROTECT


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0029_confirmed_kinds")]
    operations = [
        migrations.AddField("run", "sealed_recipe", SealedField()),
        migrations.AddField("run", "sealed_report", SealedField()),
        migrations.AddField("reading", "sealed_profile", SealedField()),
        migrations.AddField("column", "sealed_profile", SealedField()),
        migrations.AddField("column", "sealed_reason", SealedField()),
        migrations.AddField("column", "sealed_settings", SealedField()),
        migrations.AddField("hierarchy", "sealed_spec", SealedField()),
        migrations.AddField("hierarchy", "sealed_lines", SealedField()),
        migrations.AddField("preview", "sealed_recipe", SealedField()),
        migrations.AddField("preview", "sealed_result", SealedField()),
        migrations.AddField("query", "sealed_question", SealedField()),
        migrations.AddField("query", "sealed_words", SealedField()),
        migrations.AddField("query", "sealed_answer", SealedField()),
        migrations.AddField("desk", "sealed_dictionary", SealedField()),
        migrations.AddField("release", "sealed_recipe", SealedField()),
        migrations.AddField("run", "sealed_inside", SealedField()),
        migrations.AddField("run", "stated", models.JSONField(blank=True, default=dict)),
        migrations.AddField(
            "hierarchy",
            "kept_by",
            models.ForeignKey(
                to=settings.AUTH_USER_MODEL, on_delete=KEPT, related_name="+", null=True, blank=True
            ),
        ),
        migrations.AddField(
            "project",
            "classification_key",
            models.ForeignKey(to=DATA_KEY, on_delete=KEPT, related_name="+", null=True, editable=False),
        ),
        migrations.AddField(
            "hierarchy", "key", models.ForeignKey(to=DATA_KEY, on_delete=KEPT, related_name="hierarchies", null=True)
        ),
    ]
