"""Compares what a method reported with what was recomputed from the stored bytes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from worker.engine.errors import EngineError
from worker.engines import MadeFile

Goal = Mapping[str, Any]
FIGURE_TOLERANCE = 1e-9


def insist(checked: Mapping[str, Any], file: MadeFile, reported: Sequence[Goal]) -> None:
    """Refuse a file that is not the one that was written, or not what the method said of it."""
    if (checked["sha256"], checked["rows"]) != (file.sha256, file.rows):
        raise mismatch("The stored file is not the one that was written.")
    if checked["unexpected"]:
        places = ", ".join(str(place) for place in checked["unexpected"])
        raise mismatch(f"The released file holds columns that must not leave, at position {places}.")
    pairs = zip(checked["goals"], reported, strict=True)
    wrong = [one["goal"] for one, other in pairs if not agree(one, other)]
    if wrong:
        raise mismatch(f"Recomputed from the released file, {' and '.join(wrong)} is not as reported.")


def mismatch(what: str) -> EngineError:
    """The refusal: this is never the steward's mistake."""
    return EngineError("verification", f"{what} Nothing was released. Please report this with the recipe.")


def agree(recomputed: Goal, reported: Goal) -> bool:
    """Whether two findings about a goal say the same.

    Persons cannot be seen in a released file: rows then are a bound, since no class has more persons.
    """
    if recomputed["goal"] != reported["goal"]:
        return False
    if recomputed["unit"] != reported["unit"]:
        return bool(recomputed["holds"] or not reported["holds"])
    same_verdict = recomputed["holds"] == reported["holds"]
    return same_verdict and same_figure(recomputed["achieved"], reported["achieved"])


def same_figure(one: Any, other: Any) -> bool:
    """Equal, up to the last digits of a fraction."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=FIGURE_TOLERANCE)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_figure, one, other))
    return bool(one == other)


def agreed(recomputed: Goal, reported: Goal) -> Goal:
    """What the manifest says: the recomputed finding, or the stricter reported one where units differ."""
    return recomputed if recomputed["unit"] == reported["unit"] else reported
