"""Give every table to the reading that made it, and every job the reading it worked on.

The tables of earlier readings are gone; runs on them keep naming their reading, which has none.
"""

from django.db import migrations

NOTICED = ("suggested_missing", "notes")


def give(apps, _schema_editor):
    """One version after the other."""
    for version in apps.get_model("stewardapp", "Version").objects.filter(table__isnull=False):
        made = version.readings.filter(state="succeeded").order_by("finished_at", "queued_at")
        readings = list(made)
        current = readings[-1]
        current.table, current.rows, current.profile = version.table, version.rows, version.profile
        found = {**current.dialect, **version.profile.get("dialect", {})}
        current.dialect = {name: value for name, value in found.items() if name not in NOTICED}
        current.save()
        version.current = current
        version.save(update_fields=["current"])
        name(apps, version, readings)


def name(apps, version, readings):
    """Everything that was done with the version."""
    dictionary = {
        column.name: {"label": column.label, "randomized": column.randomized}
        for column in version.columns.exclude(role="")
        if column.label or column.randomized
    }
    for run in apps.get_model("stewardapp", "Run").objects.filter(release__version=version):
        run.reading, run.dictionary = at_the_time(readings, run), dictionary
        run.save(update_fields=["reading", "dictionary"])
    for run in version.population_of.all():
        run.compared.add(at_the_time(readings, run))
    current = {"reading": version.current}
    apps.get_model("stewardapp", "Preview").objects.filter(release__version=version).update(**current)
    version.desks.update(**current)
    version.queries.update(**current)


def at_the_time(readings, run):
    """The last reading before a run that has ended; the current one for a run that still waits."""
    ended = run.state not in ("queued", "running")
    before = [one for one in readings if one.finished_at <= (run.started_at or run.queued_at)]
    return before[-1] if ended and before else readings[-1]


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0018_readings_hold_tables")]

    operations = [migrations.RunPython(give)]
