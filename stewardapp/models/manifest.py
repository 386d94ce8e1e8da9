"""The manifest of a run: what exactly was made, and what was found in the bytes.

Its hash is what a reviewer votes on. The public manifest is a part of it: for
differentially private releases anything that is an exact function of the data stays inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from stewardapp.access.facts import RunFacts

if TYPE_CHECKING:
    from stewardapp.models.artifact import Artifact
    from stewardapp.models.reading import Reading
    from stewardapp.models.run import Run

Goals = Sequence[Mapping[str, Any]]

PUBLIC = (
    "version",
    "public_id",
    "microdata",
    "recipe_sha256",
    "engine_version",
    "goals",
    "privacy_loss",
    "table",
)
# What stays in clear when the data are destroyed: hashes, names, figures. Everything else may hold values.
STATED = frozenset(
    {
        *PUBLIC,
        "run",
        "artifacts",
        "input_sha256",
        "input_rows",
        "reading",
        "compared",
        "policy",
        "risk",
    }
)


def manifest_of(
    run: Run,
    *,
    artifacts: Iterable[Artifact],
    goals: Goals,
    report: Mapping[str, Any],
    engine_version: str,
    microdata: bool = True,
) -> dict[str, Any]:
    """The manifest; `goals` are those recomputed from the released bytes, in the shape of the report."""
    release = run.release
    policy = release.project.policy
    listed = sorted(artifacts, key=lambda artifact: artifact.name)
    return {
        "version": 1,
        "public_id": str(release.public_id),
        "run": str(run.pk),
        "microdata": microdata,
        "artifacts": [_listed(artifact) for artifact in listed],
        "recipe": run.recipe,
        "recipe_sha256": run.recipe_sha256,
        "input_sha256": release.version.sha256,
        "input_rows": run.reading.rows,
        "reading": {**_read(run.reading), "dialect": run.reading.dialect},
        "compared": [_read(reading) for reading in run.compared.order_by("pk")],
        "engine_version": engine_version,
        "policy": {"id": str(policy.pk), "version": policy.version},
        "goals": [dict(goal) for goal in goals],
        "risk": report.get("risk", {}),
        "utility": report.get("utility", {}),
        "privacy_loss": report.get("privacy_loss", {"epsilon": 0, "delta": 0}),
        **({} if microdata else {"table": _about_table(report)}),
    }


def parted(manifest: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is stated in clear, and what goes when the data go; together they are the manifest."""
    stated = {name: part for name, part in manifest.items() if name in STATED}
    return stated, {name: part for name, part in manifest.items() if name not in STATED}


def public_part(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What may be shown outside: nothing about the input, no figure before treatment."""
    part = {name: manifest[name] for name in PUBLIC if name in manifest}
    part["artifacts"] = [entry for entry in manifest.get("artifacts", []) if entry["public"]]
    if manifest.get("microdata"):
        part["risk"] = _after(manifest)
    return part


def facts_of(state: str, manifest: Mapping[str, Any], *, stop_requested: bool) -> RunFacts:
    """A run as the rules see it."""
    goals = manifest.get("goals")
    reidentification = _after(manifest).get("reidentification", {})
    recomputed = [goal["achieved"] for goal in goals or () if goal["goal"] == "k-anonymity"]
    known = [k for k in recomputed if k is not None] or [reidentification.get("smallest_class")]
    return RunFacts(
        state=state,
        goals_hold=None if goals is None else all(goal["holds"] for goal in goals),
        has_goals=bool(goals),
        smallest_class=min(known),
        highest_risk=_decimal(reidentification.get("highest_risk")),
        unique_share=_decimal(_after(manifest).get("kept-columns", {}).get("unique_share")),
        epsilon_micro=_micro(manifest.get("privacy_loss", {}).get("epsilon", 0)),
        microdata=manifest.get("microdata", True),
        stop_requested=stop_requested,
    )


def _about_table(report: Mapping[str, Any]) -> dict[str, Any]:
    """What the engine allows to leave with a table; a fact that it did not name stays inside."""
    return {"steps": report.get("public", {}).get("steps", [])}


def _after(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The risk of the released bytes."""
    risk: dict[str, Any] = manifest.get("risk", {}).get("after", {})
    return risk


def _read(reading: Reading) -> dict[str, Any]:
    """Which table it was: an exact function of the data, so never for the public."""
    return {
        "id": str(reading.pk),
        "version": str(reading.version_id),
        "table_sha256": reading.table_sha256,
    }


def _listed(artifact: Artifact) -> dict[str, Any]:
    return {
        "name": artifact.name,
        "media_type": artifact.media_type,
        "public": artifact.public,
        "sha256": artifact.sha256,
        "size": artifact.size,
        "rows": artifact.rows,
    }


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _micro(epsilon: Any) -> int:
    return int((Decimal(str(epsilon)) * 1_000_000).to_integral_value(rounding="ROUND_CEILING"))
