"""How the values of a column generalize, level by level."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np
import pyarrow as pa

from worker.engine.errors import EngineError
from worker.engine.hierarchies.rules import build
from worker.engine.tables.column import SUPPRESSED, Codes, Floats
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain
from worker.engine.wording import thousands

DELIMITERS = (";", ",", "\t")


@dataclass(frozen=True)
class Hierarchy:
    """One row per value: the value, then its labels level by level. Rows count as written."""

    rows: tuple[tuple[str, ...], ...]

    @property
    def height(self) -> int:
        """The number of the highest level."""
        return len(self.rows[0]) - 1 if self.rows else 0

    @cached_property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """The row of each value."""
        return {row[0]: row for row in self.rows}

    @cached_property
    def cover(self) -> tuple[Counter[str], ...]:
        """For each level, how many rows each label covers."""
        return tuple(Counter(map(itemgetter(level), self.rows)) for level in range(self.height + 1))

    def lines(self) -> list[str]:
        """The rows in ARX's layout, quoted so that the delimiter is sniffed right when they are read."""
        plain = [";".join(_quoted(cell, ';"\n\r') for cell in row) for row in self.rows]
        if not plain or _delimiter(plain) == ";":
            return plain
        return [";".join(_quoted(cell, ';,\t"\n\r') for cell in row) for row in self.rows]


@dataclass(frozen=True)
class Levels:
    """A hierarchy laid over the values that occur: codes, labels and shares per level.

    `steps[l]` maps codes of level l − 1 to codes of level l; `from_values[l]` maps values to level l.
    """

    name: str
    labels: tuple[tuple[str, ...], ...]
    steps: tuple[Codes, ...]
    from_values: tuple[Codes, ...]
    shares: tuple[Floats, ...]
    size: int

    @property
    def height(self) -> int:
        """The number of the highest level."""
        return len(self.labels) - 1

    def lifted(self, values: Codes, level: int) -> Codes:
        """Codes of values as codes of a level; at the lowest each value is its own label."""
        return self.from_values[level].take(values) if level else values

    def with_star(self, level: int) -> pa.Array:
        """The labels of a level and `*`: the same list every time, so that it is looked at once."""
        if level not in self._starred:
            self._starred[level] = pa.array([*self.labels[level], SUPPRESSED], pa.string())
        return self._starred[level]

    @cached_property
    def _starred(self) -> dict[int, pa.Array]:
        return {}


def read(lines: Iterable[str], column: str) -> Hierarchy:
    """A hierarchy in ARX's layout: no header, one line per value, delimiter sniffed."""
    kept = [line.rstrip("\r\n") for line in lines if line.strip("\r\n")]
    if not kept:
        raise _refusal("hierarchy-empty", column, "has no line. Give one line per value")
    kept[0] = kept[0].removeprefix("\ufeff")
    rows = [tuple(row) for row in csv.reader(kept, delimiter=_delimiter(kept))]
    return checked(rows, column)


def checked(rows: Sequence[tuple[str, ...]], column: str) -> Hierarchy:
    """Refuse ragged rows, contradictions and levels that do not nest."""
    width = len(rows[0]) if rows else 0
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            text = (
                f"has {len(row)} fields on line {number} where line 1 has {width}. Give every line all levels"
            )
            raise _refusal("hierarchy-ragged", column, text)
    for level in range(width - 1):
        parents: dict[str, str] = {}
        for number, row in enumerate(rows, 1):
            if parents.setdefault(row[level], row[level + 1]) != row[level + 1]:
                text = f"does not nest: line {number} gives an entry of level {level} a second parent"
                raise _refusal("hierarchy-not-nested", column, text)
    return Hierarchy(tuple(rows))


def hierarchy_for(spec: HierarchySpec | None, domain: Domain) -> Hierarchy:
    """The declared hierarchy; without one a column has two levels: kept, `*`."""
    texts = [text for text, gone in zip(domain.texts, domain.missing, strict=True) if not gone]
    if spec is None:
        return Hierarchy(tuple((text, SUPPRESSED) for text in domain.texts if text != SUPPRESSED))
    if spec.lines is not None:
        return read(spec.lines, domain.name)
    values = [text for text in texts if text != SUPPRESSED]
    return checked(build(spec.builder or "", spec.options, values, domain.name), domain.name)


def levels_of(spec: HierarchySpec | None, domain: Domain) -> Levels:
    """The hierarchy laid over the values of a column; refused when a value has no row."""
    hierarchy = hierarchy_for(spec, domain)
    height = max(hierarchy.height, 1) if not hierarchy.rows else hierarchy.height
    missing = ("", *spec.missing) if spec else ("",)
    paths = [_path(hierarchy, domain, code, height, missing) for code in range(len(domain))]
    lost = sum(path is None for path in paths)
    if lost:
        text = (
            f"has no row for {thousands(lost)} of the {thousands(len(domain))} distinct values. Add the "
            "missing rows"
        )
        raise _refusal("hierarchy-incomplete", domain.name, text)
    return _laid_over(hierarchy, [path for path in paths if path is not None], height, domain.name)


def _path(
    hierarchy: Hierarchy, domain: Domain, code: int, height: int, missing: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The labels of one value. A missing value without a row stays itself up to the last level."""
    text = domain.texts[code]
    path = hierarchy.paths.get(text)
    if path is not None or not (domain.missing[code] or text == SUPPRESSED):
        return path
    row = next((hierarchy.paths[one] for one in missing if one in hierarchy.paths), None)
    if row is not None and domain.missing[code]:
        return (text, *row[1:])
    return (text,) * height + (root_of(hierarchy),)


def root_of(hierarchy: Hierarchy) -> str:
    """The one label of the last level; `*` when there are several."""
    tops = hierarchy.cover[hierarchy.height] if hierarchy.rows else {}
    return next(iter(tops)) if len(tops) == 1 else SUPPRESSED


def _laid_over(hierarchy: Hierarchy, paths: list[tuple[str, ...]], height: int, name: str) -> Levels:
    size = max(len(hierarchy.rows), 1)
    labels: list[tuple[str, ...]] = []
    from_values: list[Codes] = []
    shares: list[Floats] = []
    for level in range(height + 1):
        own = list(map(itemgetter(level), paths))
        texts = sorted(set(own)) if level else own
        index = {text: code for code, text in enumerate(texts)}
        labels.append(tuple(texts))
        from_values.append(np.fromiter(map(index.__getitem__, own), np.int32, len(own)))
        shares.append(np.array([_share(hierarchy, text, level, height, size) for text in texts]))
    steps = [from_values[0]]
    for level in range(1, height + 1):
        step = np.zeros(len(labels[level - 1]), np.int32)
        step[from_values[level - 1]] = from_values[level]
        steps.append(step)
    return Levels(name, tuple(labels), tuple(steps), tuple(from_values), tuple(shares), size)


def _share(hierarchy: Hierarchy, text: str, level: int, height: int, size: int) -> float:
    """The share of the hierarchy's rows that a label covers; a label of no row counts as one row."""
    covered = hierarchy.cover[level].get(text, 0) if hierarchy.rows else 0
    if not covered:
        return 1.0 if level == height or text == SUPPRESSED else 1 / size
    return covered / size


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that gives every line the same number of fields, and the most of them."""

    def fields(delimiter: str) -> int:
        if delimiter not in lines[0]:
            return 0
        widths = {len(row) for row in csv.reader(lines[:1000], delimiter=delimiter)}
        return widths.pop() if len(widths) == 1 else 0

    most, best = max(((fields(one), one) for one in DELIMITERS), key=itemgetter(0))
    if most > 1:
        return best
    return max(DELIMITERS, key=lambda delimiter: lines[0].count(delimiter))


def _quoted(cell: str, signs: str) -> str:
    if any(sign in cell for sign in signs):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _refusal(code: str, column: str, what: str) -> EngineError:
    return EngineError(
        code, f"The hierarchy of column {column!r} {what}.", param=f"columns.{column}.hierarchy"
    )
