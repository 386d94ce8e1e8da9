"""Labels that are intervals of numbers, as builders, Mondrian and other tools write them."""

from __future__ import annotations

import re

INTERVAL = re.compile(r"^\[?(-?\d+(?:\.\d+)?)(?:, | ?[-–] ?|,)(-?\d+(?:\.\d+)?)[\[\]]?$")


def ends_of(text: str) -> tuple[float, float] | None:
    """The two ends of an interval; None where a text is none."""
    found = INTERVAL.match(text)
    return (float(found[1]), float(found[2])) if found else None
