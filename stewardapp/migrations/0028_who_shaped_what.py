"""Datasets, hierarchies and surveys remember who made them; the audit log knows it of those there are."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

KINDS = ("created", "described", "edited-recipe", "shaped-input", "started-run", "submitted")
BY = {"blank": True, "to": settings.AUTH_USER_MODEL}
MAKER = {**BY, "null": True, "on_delete": django.db.models.deletion.PROTECT}


def join_kinds(apps, _schema_editor):
    """Who uploaded and who tagged shaped what runs are made of: one kind, once per person and release."""
    found = apps.get_model("stewardapp", "Contribution").objects.filter(kind__in=("uploaded", "tagged"))
    seen = set()
    for one in found.order_by("created_at"):
        if (one.release_id, one.user_id) in seen:
            one.delete()
        else:
            seen.add((one.release_id, one.user_id))
    found.update(kind="shaped-input")


def remember(apps, _schema_editor):
    """From the events of their making."""
    actors = apps.get_model("stewardapp", "AuditEvent").objects.exclude(actor=None)
    for model, field, event in (
        ("Hierarchy", "made_by_id", "hierarchy.created"),
        ("Dataset", "created_by_id", "dataset.created"),
    ):
        rows = apps.get_model("stewardapp", model).objects
        for id, actor in actors.filter(action=event).values_list("subject_id", "actor_id"):
            rows.filter(pk=id).update(**{field: actor})
    for survey in apps.get_model("stewardapp", "Survey").objects.all():
        made = {survey.pk, *survey.questions.values_list("pk", flat=True)}
        makers = set(actors.filter(subject_id__in=made).values_list("actor_id", flat=True))
        survey.makers.add(survey.created_by_id, *makers)
        if survey.dataset is not None:
            for version in survey.dataset.versions.all():
                version.taggers.add(survey.created_by_id, *makers)


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0027_purchases_protect"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.RemoveConstraint("contribution", "contribution_kind_known"),
        migrations.RunPython(join_kinds),
        migrations.AddConstraint(
            "contribution",
            models.CheckConstraint(condition=models.Q(("kind__in", list(KINDS))), name="contribution_kind_known"),
        ),
        migrations.AddField("dataset", "created_by", models.ForeignKey(related_name="datasets", **MAKER)),
        migrations.AddField("hierarchy", "made_by", models.ForeignKey(related_name="hierarchies", **MAKER)),
        migrations.AddField("survey", "makers", models.ManyToManyField(related_name="made_surveys", **BY)),
        migrations.RunPython(remember),
    ]
