"""How numbers are written for people, everywhere: `30 162`, `20 %`, `1.5 GB`. Files for machines stay plain.

Groups of three stand apart by a narrow no-break space and a unit by a no-break space, so that no number
is torn by a line's end, and no comma can be read as a decimal point.
"""

import math
import re
from decimal import Decimal
from numbers import Integral, Real
from typing import SupportsFloat

THIN = "\u202f"
NO_BREAK = "\u00a0"
WRITTEN = re.compile(r"(-?)(\d{1,60})((?:\.\d+)?)")
DIGITS = 1000  # beyond, parts of one are left out


def thousands(value: object) -> str:
    """A number in groups of three, with sensible digits; anything that is not a number as it is."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool) or not isinstance(value, Real | Decimal) or not math.isfinite(value):
        return str(value)
    if isinstance(value, Integral) or (isinstance(value, Decimal) and value == int(value)):
        return _apart(f"{int(value)}")
    number = float(value)
    return _apart(f"{number:.0f}" if number == int(number) or abs(number) >= DIGITS else f"{number:.4g}")


def grouped(text: str) -> str:
    """A number somebody else wrote, with its integer part in groups of three; any other text as it is."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        return text
    sign, whole, rest = found.groups()
    return _apart(f"{sign}{int(whole)}") + rest


def percent(share: SupportsFloat | None) -> str:
    """A share between 0 and 1 as per cent; never rounds up to 100 or down to 0."""
    if share is None:
        return "–"
    value = float(share) * 100
    if 0.0 < value < 0.1:
        return f"<{THIN}{measured(0.1, '%')}"
    if 99.9 < value < 100.0:
        return f">{THIN}{measured(99.9, '%')}"
    return measured(float(f"{value:.1f}"), "%")


def measured(value: object, unit: str) -> str:
    """A number with its unit."""
    return f"{thousands(value)}{NO_BREAK}{unit}"


def size(count: int | None) -> str:
    """Bytes in the unit that leaves one to three digits before the point."""
    if count is None:
        return "–"
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            return f"{value:.{0 if unit == 'B' or value >= 100 else 1}f}{NO_BREAK}{unit}"
        value /= 1000
    return f"{grouped(f'{value:.1f}')}{NO_BREAK}TB"


def _apart(digits: str) -> str:
    whole, point, rest = digits.partition(".")
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", THIN, whole) + point + rest
