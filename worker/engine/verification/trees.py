"""Declared hierarchies as the verification reads them: which labels a value has, and which it fits."""

from __future__ import annotations

import csv
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from worker.engine.errors import EngineError
from worker.engine.verification.finding import ColumnSaid

_BETWEEN = re.compile(r"^\[(.*), (.*)([\[\]])$", re.DOTALL)
_BEYOND = re.compile(r"^(<|>=)(.*)$")


class Tree:
    """The declared hierarchy of one column."""

    def __init__(self, column: ColumnSaid, files: Mapping[str, str], missing: frozenset[str]) -> None:
        given = column.get("hierarchy")
        self._missing = missing | {""}
        self._ordinal = column.get("kind") == "ordinal"
        self._categories = [str(one) for one in column.get("categories") or ()]
        self._builder: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        lines = files.get(given) if isinstance(given, str) else None
        if isinstance(given, str) and lines is None:
            raise EngineError("no-hierarchy-file", "The file of a hierarchy is not there.", "hierarchy")
        if isinstance(given, list | tuple):
            lines = "\n".join(given)
        self.rows = _rows(lines) if lines else {}
        if self._builder.get("builder") == "tree":
            self.rows = _nested(self._builder.get("tree", self._builder.get("children")))
        self._labels = {label for row in self.rows.values() for label in row}
        self._tops = {row[-1] for row in self.rows.values()}

    def path(self, value: str) -> tuple[str, ...]:
        """The labels of a value from level 1 up; a missing value may follow the row of a declared text."""
        known = self.rows.get(value)
        if known is None and value in self._missing:
            known = next((row for text in sorted(self._missing) if (row := self.rows.get(text))), None)
        return () if known is None else known[1:]

    @property
    def height(self) -> int:
        """How many levels there are above the values."""
        return max((len(row) - 1 for row in self.rows.values()), default=0)

    def fits(self, label: str, value: str) -> bool:
        """Whether a released label may stand for a value."""
        if label in ("*", value) or label in self.path(value) or self._above_nothing(label, value):
            return True
        if label in self._labels:
            return False
        if label.startswith("{") and label.endswith("}"):
            return value in next(csv.reader([label[1:-1]], skipinitialspace=True), [])
        if value in self._missing:
            return False
        return self._inside(label, value) or self._masked(label, value) or self._in_unit(label, value)

    def _above_nothing(self, label: str, value: str) -> bool:
        """Whether it is the root, under which alone a missing value without a row is put."""
        rowless = value == "*" or value in self._missing
        return self._tops == {label} and rowless and not self.path(value)

    def _inside(self, label: str, value: str) -> bool:
        if (found := _BEYOND.match(label)) and _numbers(found[2], value):
            low, number = _numbers(found[2], value)
            return number < low if found[1] == "<" else number >= low
        found = _BETWEEN.match(label)
        if not found:
            return False
        order = self._order()
        if all(one in order for one in (found[1], found[2], value)):
            return order.index(found[1]) <= order.index(value) <= order.index(found[2])
        if self._ordinal and order:
            return False
        numbers = _numbers(found[1], found[2], value)
        if numbers and numbers[0] <= numbers[1]:  # else the ends are in the order of texts
            low, high, number = numbers
            return low <= number < high or (found[3] == "]" and number == high)
        return found[3] == "]" and found[1] <= value <= found[2]

    def _order(self) -> list[str]:
        values = [str(one) for one in self._builder.get("values") or ()]
        if self._ordinal:
            return self._categories or list(self.rows) or values
        return values

    def _masked(self, label: str, value: str) -> bool:
        if self._builder.get("builder") != "mask":
            return False
        sign, pad = self._builder.get("character", "*"), self._builder.get("pad")
        if pad is not None:
            right = self._builder.get("side", "right") == "right"
            value = value.ljust(len(label), pad) if right else value.rjust(len(label), pad)
        pairs = zip(label, value, strict=False)
        return len(label) == len(value) and all(a in (sign, b) for a, b in pairs)

    def _in_unit(self, label: str, value: str) -> bool:
        if self._builder.get("builder") != "date":
            return False
        try:
            day = dt.datetime.strptime(value.strip(), self._builder.get("format", "%Y-%m-%d")).date()  # noqa: DTZ007
            pivot = self._builder.get("pivot")
            if pivot is not None and "%y" in self._builder.get("format", ""):
                day = day.replace(year=day.year % 100 + (1900 if day.year % 100 > pivot else 2000))
        except ValueError:
            return False
        year, week, _ = day.isocalendar()
        written = f"{day.year:04d}"  # %Y leaves out the zeros of early years
        quarter = f"{written}-Q{1 + (day.month - 1) // 3}"
        decade = f"[{day.year - day.year % 10}, {day.year - day.year % 10 + 10}["
        month = f"{written}-{day.month:02d}"
        return label in (day.isoformat(), f"{year}-W{week:02d}", month, quarter, written, decade)


def _numbers(*texts: str) -> tuple[float, ...]:
    try:
        return tuple(float(text) for text in texts)
    except ValueError:
        return ()


def _rows(text: str) -> dict[str, tuple[str, ...]]:
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line]
    tables = [list(csv.reader(lines, delimiter=mark)) for mark in (";", ",", "\t")]
    even = [table for table in tables if len({len(row) for row in table}) == 1]
    best = max(even or tables[:1], key=lambda table: len(table[0]))
    return {row[0]: tuple(row) for row in best}


def _nested(node: Any) -> dict[str, tuple[str, ...]]:
    """A nested object, its leaves all at the depth of the deepest."""
    paths: list[tuple[str, ...]] = []

    def walk(part: Any, above: tuple[str, ...]) -> None:
        if isinstance(part, Mapping) and part:
            for name, below in part.items():
                if below:
                    walk(below, (str(name), *above))
                else:
                    paths.append((str(name), *above))
        elif isinstance(part, Sequence) and not isinstance(part, str):
            for one in part:
                walk(one, above)
        else:
            paths.append((str(part), *above))

    walk(node, ())
    deepest = max(map(len, paths), default=0)
    return {path[0]: (path[0],) * (deepest - len(path)) + path + ("*",) for path in paths}
