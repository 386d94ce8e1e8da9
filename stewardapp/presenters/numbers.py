"""What only pages write of numbers: lengths of time, the ends of a hash. The rest is the engine's wording."""

from typing import SupportsFloat

from worker.engine.wording import NO_BREAK, THIN, grouped, measured, percent, size, thousands

__all__ = [
    "NO_BREAK",
    "THIN",
    "duration",
    "grouped",
    "measured",
    "percent",
    "short_hash",
    "size",
    "thousands",
]


def duration(seconds: SupportsFloat | None) -> str:
    """A length of time in its two largest units."""
    if seconds is None:
        return "–"
    value = float(seconds)
    if value < 10:
        return f"{value:.1f}{NO_BREAK}s"
    whole = round(value)
    for unit, length, smaller, step in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= length:
            rest = whole % length // step
            return measured(whole // length, unit) + (f" {measured(rest, smaller)}" if rest else "")
    return f"{whole}{NO_BREAK}s"


def short_hash(value: str) -> str:
    """The two ends of a hash, enough to compare by eye; the whole belongs in the title."""
    return value if len(value) <= 12 else f"{value[:6]}…{value[-4:]}"
