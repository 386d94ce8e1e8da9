"""A figure: one number of a measure that knows what it is called, its unit and how to read it.

Formatting, arrows, help, documentation, the public manifest, axes and the columns of `--records` follow from
what is declared here; nothing is guessed from a name.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from worker.engine.errors import EngineError
from worker.engine.tables.kinds import Role

Scalar = int | float | str | bool | None
"""A figure that does not exist is None."""
Parts = Mapping[str, Scalar]
"""A figure of each column, part or threshold."""
Figures = Mapping[str, Scalar | Parts]
"""What a measure found, by the names it declares: plain JSON."""

Unit = Literal["share", "count", "number", "words", "seconds", "column"]
Better = Literal["low", "high", "neither"]
Per = Literal["once", "column", "part", "threshold", "record"]
Usual = tuple[float | None, float | None]

NUMERIC_UNITS = ("number", "seconds", "column")
ROUNDING = 1e-9


@dataclass(frozen=True)
class Figure:
    """`name` is its key in the report, `title` what pages call it, `explanation` how to read it.

    A `share` lies between 0 and 1, a `count` is a whole number, `words` are words or yes and no, `column`
    means the unit of the column the figure is about. `usual` is the range in which it mostly lies. A figure
    per column, part or threshold is a mapping; one per record is an array aligned to the input rows, which
    `--records` writes. Nothing is `public` unless it says so; `headline` figures stand first. `parts` are
    the names of those parts that every result has: of thresholds, the thresholds. Of a figure per column a
    policy judges the columns that have one of these `roles`; where none is named, every one. One `of_rows`
    says how much single rows still tell: it never gets better when a release gets coarser. One per column
    that is a `headline` or `tabled` has a place in the table of columns by which people decide. `example`
    works it out from figures of the same result, named in braces: "1 ÷ {smallest_class}".
    """

    name: str
    title: str
    explanation: str
    unit: Unit = "number"
    better: Better = "neither"
    usual: Usual | None = None
    per: Per = "once"
    public: bool = False
    headline: bool = False
    parts: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    of_rows: bool = False
    tabled: bool = False
    example: str = ""

    @property
    def in_table(self) -> bool:
        """Whether it stands in the table of columns."""
        return self.per == "column" and (self.headline or self.tabled)

    @property
    def comparable(self) -> bool:
        """Whether it can be held against a bound that fits every file: a number, and one way is better."""
        return self.better != "neither" and self.unit in ("share", "count", "number") and self.per != "record"

    def worst(self, values: Collection[Scalar]) -> float | None:
        """Of several columns or parts the one that is judged; one that does not exist is worse than all."""
        found = [one for one in values if isinstance(one, int | float)]
        if not found or len(found) < len(values):
            return None
        return max(found) if self.better == "low" else min(found)

    def taken(self, value: object) -> Scalar | Parts:
        """The value as the report keeps it; a value of another type is refused."""
        if self.per == "once":
            return self._one(value)
        if self.per == "record" or not isinstance(value, Mapping):
            raise wrong_figure(self.name)
        return {str(part): self._one(one) for part, one in value.items()}

    def _one(self, value: object) -> Scalar:
        plain = value.item() if hasattr(value, "item") else value  # a number of numpy
        if plain is None or (isinstance(plain, float) and not math.isfinite(plain)):
            return None
        if self.unit == "words":
            if isinstance(plain, str | bool):
                return plain
        elif isinstance(plain, int | float) and not isinstance(plain, bool) and self._fits(plain):
            return plain
        raise wrong_figure(self.name)

    def _fits(self, number: float) -> bool:
        if self.unit == "share":
            return -ROUNDING <= number <= 1 + ROUNDING
        return self.unit in NUMERIC_UNITS or (isinstance(number, int) and number >= 0)


def taken(declared: Iterable[Figure], found: Mapping[str, object]) -> dict[str, Scalar | Parts]:
    """What was found as the report keeps it; a figure that nobody declared is refused."""
    known = {figure.name: figure for figure in declared}
    if not found.keys() <= known.keys():
        raise wrong_figure()
    return {name: known[name].taken(value) for name, value in found.items()}


def wrong_figure(name: str | None = None) -> EngineError:
    """A fault of a measure: in a figure that it declares, or in one that it does not. What it returned is not
    told, nor under which name: both may be values of the data."""
    text = "The measure returned a figure that it does not declare, or one of both sides and of a comparison."
    if name is not None:
        text = f"The measure returned {name!r} in a unit or of a type that it does not declare."
    return EngineError("wrong-figure", text)


def rows_astray(name: str) -> EngineError:
    """A fault of a measure: its figures per record are not those of the input rows."""
    text = (
        f"The measure returned {name!r} with more or fewer numbers than there are input rows; NaN fills gaps."
    )
    return EngineError("wrong-figure", text)


def charts_alike() -> EngineError:
    """A fault of a measure: a chart is found by its name."""
    return EngineError("wrong-chart", "The measure drew two charts of one name.")
