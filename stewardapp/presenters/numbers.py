"""Numbers as people read them: thin spaces, sensible digits, units."""

import re
from decimal import Decimal
from typing import SupportsFloat

THIN = "\u202f"
NO_BREAK = "\u00a0"
WRITTEN = re.compile(r"(-?)(\d{1,60})((?:\.\d+)?)")
Number = int | float | Decimal


def thousands(value: object) -> str:
    """An integer in groups of three; anything that is not a number is printed as it is."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return str(value)
    if value == int(value):
        return f"{int(value):,}".replace(",", THIN)
    digits = f"{value:,.0f}" if abs(float(value)) >= 1000 else f"{value:.4g}"
    return digits.replace(",", THIN)


def grouped(text: str) -> str:
    """A number somebody else wrote, with its integer part in groups of three; any other text as it is."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        return text
    sign, whole, rest = found.groups()
    return f"{sign}{int(whole):,}{rest}".replace(",", THIN)


def percent(share: SupportsFloat | None) -> str:
    """A share between 0 and 1 as per cent; never rounds up to 100 or down to 0."""
    if share is None:
        return "–"
    value = float(share) * 100
    if value in (0.0, 100.0):
        return f"{value:.0f}{NO_BREAK}%"
    if value < 0.1:
        return f"<{THIN}0.1{NO_BREAK}%"
    if value > 99.9:
        return f">{THIN}99.9{NO_BREAK}%"
    return f"{value:.1f}".removesuffix(".0") + f"{NO_BREAK}%"


def size(count: int | None) -> str:
    """Bytes in the unit that leaves one to three digits before the point."""
    if count is None:
        return "–"
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            return (
                f"{value:.0f}{NO_BREAK}{unit}"
                if unit == "B" or value >= 100
                else f"{value:.1f}{NO_BREAK}{unit}"
            )
        value /= 1000
    return f"{value:.1f}{NO_BREAK}TB"


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
            return f"{whole // length}{NO_BREAK}{unit}" + (f" {rest}{NO_BREAK}{smaller}" if rest else "")
    return f"{whole}{NO_BREAK}s"


def short_hash(value: str) -> str:
    """The two ends of a hash, enough to compare by eye; the whole belongs in the title."""
    return value if len(value) <= 12 else f"{value[:6]}…{value[-4:]}"
