"""Characters hidden one by one, from the right or from the left."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.hierarchies.builders.settings import MOST_LEVELS, Rows, Settings
from worker.engine.tables.column import SUPPRESSED

OPTIONS = ("side", "character", "pad")
MOST_CHARACTERS = 200_000_000
"""In all labels together, when there are more levels than any other builder makes."""


def build(settings: Settings, values: Sequence[str]) -> Rows:
    """One more character hidden at each level.

    Padding goes where hiding starts, so that codes of unequal length lose their ends together.
    """
    side, character, pad = (
        settings.get("side", "right"),
        settings.get("character", SUPPRESSED),
        settings.get("pad"),
    )
    if side not in ("left", "right"):
        raise settings.refusal("side", "must be left or right")
    for name, sign in (("character", character), ("pad", pad)):
        if sign is not None and (not isinstance(sign, str) or len(sign) != 1):
            raise settings.refusal(name, "must be one character")
    longest = max((len(text) for text in values), default=1)
    if longest > MOST_LEVELS and longest * sum(map(len, values)) > MOST_CHARACTERS:
        text = (
            "makes a level for every character of the longest value, which are too many. Use another builder"
        )
        raise settings.refusal("builder", text)
    hide = _from_right if side == "right" else _from_left
    rows: Rows = []
    for text in values:
        padded = text if pad is None else _padded(text, longest, side, pad)
        labels = [hide(padded, number, character) for number in range(1, longest)]
        rows.append((text, *labels, SUPPRESSED))
    return rows


def _padded(text: str, longest: int, side: str, pad: str) -> str:
    return text.ljust(longest, pad) if side == "right" else text.rjust(longest, pad)


def _from_right(text: str, number: int, character: str) -> str:
    hidden = min(number, len(text))
    return text[: len(text) - hidden] + character * hidden


def _from_left(text: str, number: int, character: str) -> str:
    hidden = min(number, len(text))
    return character * hidden + text[hidden:]
