"""A few rows that show how the data are laid out, and no value."""

from __future__ import annotations

ROWS = 8
_CHARACTERS = 40
_KEPT = frozenset(" .,;:-_/+()[]@#%*<>=&'\"")


def masked(text: str) -> str:
    """Letters become x, digits 9; the usual marks stay, anything else becomes x."""
    cut = text[:_CHARACTERS]
    shown = "".join("9" if char.isdigit() else char if char in _KEPT else "x" for char in cut)
    return shown + "…" * (len(text) > _CHARACTERS)
