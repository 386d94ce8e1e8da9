"""Thresholds of policies become rows, and runs keep the figures of their manifests and reports.

What is told here of measures is how they were called when this was written. The smallest class of a run was
the smallest that its goals were recomputed with, where one of them was about classes.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db import migrations

from stewardapp import keyring
from stewardapp.models.sealed import Sealed, place_of

MATCHING, LEAVING = "reidentification", "kept-columns"
PLAIN = "#44136fa3"  # an instance without parameters
PER_COLUMN = {"total_variation", "earth_mover", "suppressed_cells"}


def carry(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("stewardapp", "PolicyRow").objects
    for policy in apps.get_model("stewardapp", "Policy").objects.iterator(chunk_size=500):
        rows.bulk_create(rows.model(policy=policy, **row) for row in rows_of(policy))
    runs = apps.get_model("stewardapp", "Run").objects.filter(state="succeeded").order_by()
    found = runs.values_list("pk", "stated", "sealed_report").iterator(chunk_size=200)
    for pk, stated, sealed in found:
        report = opened(sealed, place_of(runs.model._meta.db_table, pk, "sealed_report"))
        runs.filter(pk=pk).update(figures=figures_of(stated, report))


def rows_of(policy: Any) -> Iterator[dict[str, Any]]:
    demanded = [
        (MATCHING, "smallest_class", policy.minimum_k, False),
        (MATCHING, "highest_risk", policy.maximum_risk, False),
        (LEAVING, "unique_share", policy.maximum_unique, True),
    ]
    for position, (measure, figure, bound, excusable) in enumerate(demanded, start=1):
        yield {"position": position, "measure": measure, "figure": figure, "bound": bound, "excusable": excusable}


def opened(sealed: Sealed | None, place: str) -> Mapping[str, Any]:
    """The report; nothing when its key was destroyed."""
    if sealed is not None:
        with contextlib.suppress(keyring.Destroyed):
            return sealed.opened(place)
    return {}


def figures_of(stated: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    results: dict[str, dict[str, Any]] = {}
    for id, measure, state, reason, after in (*reported(report), *manifested(stated)):
        one = results.setdefault(id, {"measure": measure, "state": state, "reason": reason, "figures": {}, "idle": []})
        one["figures"] = {**dict(numbers(after)), **one["figures"]}
    recomputed = [goal["achieved"] for goal in stated.get("goals", ()) if goal["goal"] == "k-anonymity"]
    known = [k for k in recomputed if k is not None]
    if known:
        nothing = {"measure": MATCHING, "state": "measured", "reason": "", "figures": {}, "idle": []}
        one = results.setdefault(MATCHING + PLAIN, nothing)
        one["state"], one["figures"]["smallest_class"] = "measured", min(known)
    return {"family": report.get("output", {}).get("family", ""), "results": results}


def reported(report: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, Mapping[str, Any]]]:
    for one in report.get("measures", ()):
        yield one["id"], one["measure"], one["state"], one["reason"] or "", one["after"] or {}
    for section in (report.get("risk", {}).get("after", {}), report.get("utility", {}), report.get("attack", {})):
        for slug, after in section.items():
            yield slug + PLAIN, slug, "measured", "", after


def manifested(stated: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, Mapping[str, Any]]]:
    for one in stated.get("measures", ()):
        yield one["id"], one["measure"], "measured", "", one["after"] or {}
    for slug, after in stated.get("risk", {}).get("after", {}).items():
        yield slug + PLAIN, slug, "measured", "", after


def numbers(after: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Single numbers, those at a threshold, and the worst of those of each column."""
    for name, value in after.items():
        if is_number(value):
            yield name, value
        elif isinstance(value, Mapping) and name in PER_COLUMN:
            yield from worst(name, value.values())
        elif isinstance(value, Mapping) and name == "share_above":
            yield from ((f"{name}/{part}", one) for part, one in value.items() if is_number(one))


def worst(name: str, values: Iterable[Any]) -> Iterator[tuple[str, float]]:
    found = list(values)
    if found and all(map(is_number, found)):
        yield name, max(found)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class Migration(migrations.Migration):

    dependencies = [
        ('stewardapp', '0038_policy_rows'),
    ]

    operations = [migrations.RunPython(carry)]
