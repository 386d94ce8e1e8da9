"""What a written value means under the declared kind of its column: numbers as numbers, days as days.

It looks at one text at a time. Whether 1.2.2020 is in January or in February is known from the rest of a
column at best, and so from the data: such a day is compared as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation

from worker.engine.tables.kinds import NUMERIC, Kind

FARTHEST = 308
"""Powers of ten beyond a float's are nothing to compare with; written out they would fill the memory."""
YEAR_FIRST = re.compile(r"([0-9]{4})([-/.]?)([0-9]{2})\2([0-9]{2})([T ].*)?")
YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{2}|[0-9]{4})")


def meaning(text: str, kind: Kind | None) -> str:
    """One spelling for texts that mean the same; what is no number or day of its column is itself."""
    read = READERS.get(kind) if kind is not None else None
    return read(text) if read is not None else text


def number(text: str) -> Decimal | None:
    """The number a text says; None when it says none, or one too large or too small to be compared."""
    try:
        found = Decimal(text) if "_" not in text else None
    except InvalidOperation:
        return None
    fits = found is not None and found.is_finite() and abs(found.adjusted()) <= FARTHEST
    return found if fits else None


def day(text: str) -> date | None:
    """The day a text says with its year first, whatever time follows."""
    found = YEAR_FIRST.fullmatch(text.strip())
    try:
        return date(*(int(found[part]) for part in (1, 3, 4))) if found else None
    except ValueError:
        return None


def _number(text: str) -> str:
    found = number(text)
    return text if found is None else spelled(found)


def spelled(found: Decimal) -> str:
    """Without an exponent and without useless zeros."""
    text = f"{found:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) if found else "0"


def _day(text: str) -> str:
    if (found := day(text)) is not None:
        return found.isoformat()
    if (parts := YEAR_LAST.fullmatch(text.strip())) is None:
        return text
    return f"{parts[1]:0>2}{parts[2]}{parts[3]:0>2}{parts[2]}{parts[4]}"


READERS: dict[Kind, Callable[[str], str]] = {**dict.fromkeys(NUMERIC, _number), Kind.DATE: _day}
