"""Calendar units, from fine to coarse."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from worker.engine.hierarchies.builders.settings import Rows, Settings
from worker.engine.tables.column import SUPPRESSED

ISO = "%Y-%m-%d"
OPTIONS = ("levels", "format", "pivot")
UNITS: dict[str, Callable[[dt.date], str]] = {
    "day": lambda day: day.isoformat(),
    "week": lambda day: f"{day.isocalendar().year}-W{day.isocalendar().week:02d}",
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"[{day.year // 10 * 10}, {day.year // 10 * 10 + 10}[",
}


def build(settings: Settings, values: Sequence[str]) -> Rows:
    """The units of each day that is written in the declared form."""
    levels = _levels(settings)
    pattern = settings.get("format", ISO)
    pivot = settings.get("pivot")
    if pivot is not None and (isinstance(pivot, bool) or not isinstance(pivot, int) or not 0 <= pivot <= 99):
        raise settings.refusal("pivot", "must be a whole number from 0 to 99")
    days = [_day(text, pattern, pivot) for text in values]
    unread = sum(day is None for day in days)
    if unread:
        text = f"{unread} distinct values are not dates of this form. Correct them or give another format"
        raise settings.refusal("format", text)
    return [
        (text, *(UNITS[unit](day) for unit in levels), SUPPRESSED)
        for text, day in zip(values, days, strict=True)
        if day is not None
    ]


def _levels(settings: Settings) -> Sequence[str]:
    levels = settings.get("levels", ["month", "year", "decade"])
    if not isinstance(levels, list | tuple) or not levels or any(unit not in UNITS for unit in levels):
        raise settings.refusal("levels", f"must be a list of {', '.join(UNITS)}")
    places = [list(UNITS).index(unit) for unit in levels]
    if places != sorted(set(places)):
        raise settings.refusal("levels", "must go from fine to coarse, each unit once")
    if "week" in levels and levels[-1] != "week":
        raise settings.refusal("levels", "cannot go on after week: weeks cross months and years")
    return levels


def _day(text: str, pattern: str, pivot: int | None) -> dt.date | None:
    """Two-digit years up to the pivot – 68 unless somebody says otherwise – are 20…, the others 19…."""
    try:
        day = _written(text.strip(), pattern)
        if pivot is None or "%y" not in pattern:
            return day
        return day.replace(year=day.year % 100 + (2000 if day.year % 100 <= pivot else 1900))
    except (ValueError, TypeError):
        return None


def _written(text: str, pattern: str) -> dt.date:
    """The day; the usual form is read by something that is ten times as fast and knows more forms than it."""
    if pattern == ISO and len(text) == 10 and text[4] == text[7] == "-":
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            pass  # digits of other scripts
    return dt.datetime.strptime(text, pattern).date()  # noqa: DTZ007 - only the day is read
