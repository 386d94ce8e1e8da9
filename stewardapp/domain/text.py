"""Words people type into fields."""

from __future__ import annotations

from stewardapp.access.verdict import Invalid
from worker.engine.wording import thousands


def required(text: str, param: str, longest: int = 10_000) -> str:
    """The text without blanks around it; empty, too long, or with control characters is refused."""
    cleaned = text.strip()
    what = param.replace("_", " ").capitalize()
    if not cleaned:
        raise Invalid("empty", f"{what} must not be empty.", param)
    return limited(cleaned, param, longest)


def limited(text: str, param: str, longest: int = 10_000) -> str:
    """The text without blanks around it; it may be empty."""
    cleaned = text.strip()
    what = param.replace("_", " ").capitalize()
    if len(cleaned) > longest:
        raise Invalid("too-long", f"{what} is longer than {thousands(longest)} characters.", param)
    if "\x00" in cleaned:
        raise Invalid("nul", f"{what} holds a NUL character; remove it.", param)
    return cleaned
