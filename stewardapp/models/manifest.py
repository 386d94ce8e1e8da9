"""Reading the manifest of a run: what exactly was made, and what was found in the bytes.

The runner writes it; its hash is what a reviewer votes on. The public manifest is a part of it: for
differentially private releases anything that is an exact function of the data stays inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from stewardapp.access.facts import RunFacts

PUBLIC = ("version", "microdata", "recipe_sha256", "engine_version", "goals", "privacy_loss")


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
    return RunFacts(
        state=state,
        goals_hold=None if goals is None else all(goal["holds"] for goal in goals),
        smallest_class=reidentification.get("smallest_class"),
        highest_risk=_decimal(reidentification.get("highest_risk")),
        epsilon_micro=_micro(manifest.get("privacy_loss", {}).get("epsilon", 0)),
        microdata=manifest.get("microdata", True),
        stop_requested=stop_requested,
    )


def _after(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The risk of the released bytes."""
    risk: dict[str, Any] = manifest.get("risk", {}).get("after", {})
    return risk


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _micro(epsilon: Any) -> int:
    return int((Decimal(str(epsilon)) * 1_000_000).to_integral_value(rounding="ROUND_CEILING"))
