"""Values that rows hold in clear are sealed under the key of their version; those of destroyed versions go.

A hierarchy goes to the one version that uses it. What several use, or none, becomes the project's
classification: nobody can say any more what it was made for.
"""

from typing import Any

from django.db import migrations

from stewardapp import keyring
from stewardapp.models.sealed import Sealed, place_of

# Which values a row holds, and where its key is found.
HELD = {
    "Run": ("release__version__key", ("recipe", "report")),
    "Reading": ("version__key", ("profile",)),
    "Column": ("version__key", ("profile", "reason", "settings")),
    "Preview": ("release__version__key", ("recipe", "result")),
    "Query": ("version__key", ("question", "words", "answer")),
    "Desk": ("version__key", ("dictionary",)),
    "Release": ("version__key", ("recipe",)),
    "Hierarchy": ("key", ("spec", "lines")),
}
# What a manifest states in clear.
STATED = frozenset(
    "version public_id microdata recipe_sha256 engine_version goals privacy_loss table run artifacts "
    "input_sha256 input_rows reading compared policy risk".split()
)


def seal(apps: Any, schema_editor: Any) -> None:
    give_keys(apps)
    for name, (path, values) in HELD.items():
        rows = apps.get_model("stewardapp", name).objects
        for pk, key, *found in rows.order_by().values_list("pk", path, *values).iterator(chunk_size=200):
            said = dict(zip(values, found, strict=True))
            rows.filter(pk=pk).update(**sealed(rows.model, pk, key, said))
    rows = apps.get_model("stewardapp", "Run").objects
    for pk, key, manifest in rows.values_list("pk", "release__version__key", "manifest").iterator(chunk_size=200):
        inside = {name: part for name, part in manifest.items() if name not in STATED}
        stated = {name: part for name, part in manifest.items() if name in STATED}
        rows.filter(pk=pk).update(stated=stated, **sealed(rows.model, pk, key, {"inside": inside}))


def sealed(model: Any, pk: Any, key: Any, said: dict[str, Any]) -> dict[str, Any]:
    """The values by their new columns; nothing of what was destroyed."""
    found = {}
    for name, value in said.items():
        column = f"sealed_{name}"
        try:
            found[column] = Sealed.of(value, key, place_of(model._meta.db_table, pk, column)) if value else None
        except keyring.Destroyed:
            found[column] = None
    return found


def give_keys(apps: Any) -> None:
    """Which key each hierarchy is sealed under."""
    versions = apps.get_model("stewardapp", "Version").objects
    for hierarchy in apps.get_model("stewardapp", "Hierarchy").objects.select_related("project"):
        using = versions.filter(columns__hierarchy=hierarchy).distinct()
        using = using if using.exists() else versions.filter(dataset__project=hierarchy.project)
        living = list(using.filter(key__destroyed_at=None).values_list("key_id", flat=True)[:2])
        gone = using.exclude(key__destroyed_at=None).values_list("key_id", flat=True).first()
        used = hierarchy.columns.exists()
        if len(living) == 1 and used:
            hierarchy.key_id = living[0]
        elif not living and gone is not None:
            hierarchy.key_id = gone
        else:
            hierarchy.key_id = classification_key(apps, hierarchy.project_id)
        hierarchy.save()


def classification_key(apps: Any, project: Any) -> Any:
    """The key of what a project keeps; made when it is first needed."""
    found = apps.get_model("stewardapp", "Project").objects.get(pk=project)
    if found.classification_key_id is None:
        found.classification_key = apps.get_model("stewardapp", "DataKey").objects.create(id=keyring.create())
        found.save()
    return found.classification_key_id


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0030_sealed_values")]
    operations = [migrations.RunPython(seal)]
