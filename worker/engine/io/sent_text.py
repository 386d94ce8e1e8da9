"""Text that somebody sent: whether it is text at all, and the whole number it may be."""

from __future__ import annotations

MOST = 10**9


def is_text(text: str) -> bool:
    """Whether every database and every file can hold it: no NUL, no half of a pair of surrogates."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text))


def whole_number(text: str, most: int = MOST) -> int | None:
    """The number from 0 that plain digits say; None for anything else, and for what is beyond all use."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None
