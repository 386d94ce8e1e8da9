"""Hierarchies as pages and exports show them, and what would be proposed for a column."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from stewardapp.domain.value_lists import previewable, values_of
from stewardapp.models import Column, Hierarchy
from stewardapp.presenters.numbers import thousands
from worker.engine.errors import EngineError
from worker.engine.hierarchies import hierarchy as engine
from worker.engine.hierarchies.rules import build
from worker.engine.tables.kinds import NUMERIC, Kind

COMMON, MOST_COUNTED = 3, 1000
TOO_LARGE = (
    "The values of this column are not kept for pages: there are too many, or the file was read before they "
    "were kept; reading it again keeps them. The worker lays the hierarchy over all values when it runs."
)


class Level(NamedTuple):
    """One level over the values that occur."""

    number: int
    example: str
    distinct: int
    common: str


class Preview(NamedTuple):
    """What a hierarchy does to a column, or why that cannot be shown."""

    levels: list[Level]
    problem: str


def rows_over(hierarchy: Hierarchy, values: list[str], name: str) -> engine.Hierarchy:
    """The hierarchy as rows over these values."""
    if hierarchy.lines:
        return engine.read(hierarchy.lines.splitlines(), name)
    return built_over(hierarchy.spec, values, name)


def built_over(spec: Mapping[str, Any], values: list[str], name: str) -> engine.Hierarchy:
    """What a builder makes of these values."""
    options = {key: value for key, value in spec.items() if key != "builder"}
    return engine.checked(build(spec.get("builder", ""), options, values, name), name)


def preview(column: Column) -> Preview:
    """Each level with an example, its distinct values, and its most common ones with their rows."""
    if column.hierarchy is None:
        return Preview([], "")
    if not previewable(column):
        return Preview([], TOO_LARGE)
    try:
        counts = values_of(column)
        laid = rows_over(column.hierarchy, sorted(counts), column.name)
    except EngineError as error:
        return Preview([], error.sentence)
    lost = sum(value not in laid.paths for value in counts)
    problem = f"{thousands(lost)} of {thousands(len(counts))} values have no line; a run would be refused."
    return Preview(levels_over(laid, counts), problem if lost else "")


def levels_over(laid: engine.Hierarchy, counts: Counter[str]) -> list[Level]:
    """Each level with an example, its distinct values and its most common ones."""
    known = Counter({value: rows for value, rows in counts.items() if value in laid.paths})
    if not known:
        return []
    example = laid.paths[known.most_common(1)[0][0]]
    levels = []
    for number in range(laid.height + 1):
        rows: Counter[str] = Counter()
        for value, count in known.items():
            rows[laid.paths[value][number]] += count
        common = " · ".join(f"{label} {thousands(count)}" for label, count in rows.most_common(COMMON))
        levels.append(Level(number, example[number], len(rows), common))
    return levels


def levels_of(column: Column) -> int:
    """How many levels the column's hierarchy has over its values; 0 where only the worker can tell."""
    hierarchy, version = column.hierarchy, column.version
    if hierarchy is None or hierarchy.levels or version.current is None or version.destroyed_at is not None:
        return 0 if hierarchy is None else hierarchy.levels
    key = (hierarchy.sealed_spec, hierarchy.sealed_lines, version.current.pk, column.name)
    if key not in _counted and (found := _count(column, hierarchy)):
        if len(_counted) >= MOST_COUNTED:
            _counted.clear()
        _counted[key] = found
    return _counted.get(key, 0)


_counted: dict[Hashable, int] = {}
"""How many levels, by hierarchies as their rows keep them and the readings they lie over: numbers alone."""


def _count(column: Column, hierarchy: Hierarchy) -> int:
    if not previewable(column):
        return 0
    try:
        return rows_over(hierarchy, sorted(values_of(column)), column.name).height + 1
    except EngineError:
        return 0


def height_of(column: Column) -> int | None:
    """How many levels stand above the values, `*` among them; None where nobody counted them yet."""
    if column.hierarchy is None:
        return 1
    return column.hierarchy.levels - 1 if column.hierarchy.levels else None


def sentence(hierarchy: Hierarchy) -> str:
    """What a hierarchy is, in a few words."""
    if hierarchy.key.destroyed_at is not None:
        return "destroyed with the version it was made for"
    levels = f"{hierarchy.levels} levels" if hierarchy.levels else "levels as the values need"
    if hierarchy.lines:
        return f"imported, {thousands(len(hierarchy.lines.splitlines()))} lines, {levels}"
    return f"{_built(hierarchy.spec)}, {levels}"


def _built(spec: dict[str, Any]) -> str:
    builder = spec.get("builder", "")
    if builder == "interval":
        return f"intervals from {spec.get('width', 10)} wide, times {_fan_out(spec)}"
    if builder == "mask":
        return f"masked from the {spec.get('side', 'right')}"
    if builder == "date":
        return "dates: " + ", ".join(spec.get("levels", ["month", "year", "decade"]))
    if builder == "order":
        return f"neighbours joined, {_fan_out(spec)}"
    return "a tree of groups"


def _fan_out(spec: dict[str, Any]) -> str:
    given = spec.get("fan_out", 2)
    return f"{', then '.join(map(str, given))}" if isinstance(given, list) else f"{given} at each level"


def described(kind: str) -> str:
    """What a proposal for this kind of column would be, in a sentence."""
    if kind in NUMERIC:
        return "Intervals of a round width, twice as wide at each level; ages by 5, 10 and 20 years."
    if kind == Kind.DATE:
        return "Month, year, decade; year and decade where day and month could be either way."
    if kind == Kind.ORDINAL:
        return "Neighbours joined in pairs, then in fours, in their natural order."
    if kind == Kind.BOOLEAN:
        return "Two values have nothing between themselves and *."
    return (
        "A classification that is shipped, where the name speaks of one: countries, regions, occupations, "
        "industries, diseases, education, marital status. Codes of equal length lose their last character at "
        "each level; of other values the rarest are joined."
    )
