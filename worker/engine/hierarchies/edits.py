"""Changes to a hierarchy by hand: rename, group, add and remove levels, fill gaps.

A hierarchy is a list of rows `value, level 1, …, top`. Every change returns new rows, and an edited hierarchy
is what it began as plus the list of its changes: taking back a change is leaving out the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Hierarchy, checked
from worker.engine.io.sent_text import whole_number
from worker.engine.tables.column import SUPPRESSED

Row = tuple[str, ...]
Rows = Sequence[Row]
Change = Mapping[str, Any]
"""What was done by hand; one that is not complete is refused where it is read."""
MOST_LEVELS = 32
LONGEST_LABEL = 400


def plain(values: Sequence[str]) -> Hierarchy:
    """What a column has without a hierarchy: each value, or `*`."""
    return Hierarchy(tuple((value, SUPPRESSED) for value in values))


def edited(hierarchy: Hierarchy, changes: Sequence[Change], values: Sequence[str]) -> Hierarchy:
    """The hierarchy after these changes; `values` are those that occur in the column."""
    rows: Rows = hierarchy.rows
    for change in changes:
        kind = CHANGES.get(str(change.get("change")))
        if kind is None:
            raise refusal("This change is not known; take it back.")
        try:
            rows = kind(rows, change, values)
        except (KeyError, TypeError, ValueError, IndexError):
            raise refusal("This change is not complete; take it back and do it again.") from None
        checked(list(rows), "")
    return Hierarchy(tuple(rows))


def rename(rows: Rows, change: Change, _values: Sequence[str]) -> Rows:
    """Call one label of a level something else; an existing label takes its values over."""
    level, old, new = _level(rows, change["level"], 1), change["label"], _label(change["to"])
    upper = next((row[level + 1 :] for row in rows if row[level] == new), None)
    return [_placed(row, level, new, upper) if row[level] == old else row for row in rows]


def group(rows: Rows, change: Change, _values: Sequence[str]) -> Rows:
    """Join labels of one level under one label of the next, which is made when there is only the top."""
    level, new = _level(rows, change["level"], 0), _label(change["to"])
    picked = set(change["labels"])
    if level == _height(rows):
        raise refusal("The top level cannot be grouped.")
    if level + 1 == _height(rows) and len({row[-1] for row in rows}) == 1:
        rows = _inserted(rows, level)
    above = level + 1
    known = next((row[above + 1 :] for row in rows if row[above] == new and row[level] not in picked), None)
    first = known or next((row[above + 1 :] for row in rows if row[level] in picked), None)
    return [_placed(row, above, new, first) if row[level] in picked else row for row in rows]


def add_level(rows: Rows, change: Change, _values: Sequence[str]) -> Rows:
    """Put another level after one, so far equal to it."""
    level = _level(rows, change["level"], 0)
    if level == _height(rows):
        raise refusal("Above the top there is nothing; add a level below it.")
    return _inserted(rows, level)


def remove_level(rows: Rows, change: Change, _values: Sequence[str]) -> Rows:
    """Take out a level; the values and the top stay."""
    level = _level(rows, change["level"], 1)
    if level == _height(rows):
        raise refusal("The top level stays: a column can always be hidden.")
    return [(*row[:level], *row[level + 1 :]) for row in rows]


def complete(rows: Rows, _change: Change, values: Sequence[str]) -> Rows:
    """Give every value that has no row one: it stands for itself up to the top."""
    known = {row[0] for row in rows}
    tops = {row[-1] for row in rows}
    top = tops.pop() if len(tops) == 1 else SUPPRESSED
    height = max(_height(rows), 1)
    return [*rows, *((value,) * height + (top,) for value in values if value not in known)]


CHANGES: dict[str, Callable[[Rows, Change, Sequence[str]], Rows]] = {
    "rename": rename,
    "group": group,
    "add-level": add_level,
    "remove-level": remove_level,
    "complete": complete,
}


def refusal(text: str) -> EngineError:
    """A change that cannot be done."""
    return EngineError("bad-hierarchy", text, param="hierarchy")


def _height(rows: Rows) -> int:
    return len(rows[0]) - 1 if rows else 0


def _level(rows: Rows, given: Any, lowest: int) -> int:
    level = given if type(given) is int else whole_number(str(given))
    if level is None or not lowest <= level <= _height(rows):
        raise refusal("This hierarchy has no such level.")
    return level


def _label(text: Any) -> str:
    label = str(text).strip()
    if not label:
        raise refusal("Write the label that the values get.")
    if len(label) > LONGEST_LABEL or any(ord(sign) < 32 for sign in label):
        raise refusal(f"A label is one line of at most {LONGEST_LABEL} characters.")
    return label


def _inserted(rows: Rows, level: int) -> list[Row]:
    if _height(rows) >= MOST_LEVELS:
        raise refusal(f"A hierarchy has at most {MOST_LEVELS} levels.")
    return [(*row[: level + 1], *row[level:]) for row in rows]


def _placed(row: Row, level: int, label: str, upper: Row | None) -> Row:
    """The row with another label at a level, and above it the path of its new neighbours."""
    return (*row[:level], label, *(row[level + 1 :] if upper is None else upper))
