"""Census microdata for benchmarks: the Adult file with its hierarchies, or rows made up like it.

The made-up rows have the same columns, as many values of like frequency, and hierarchies of the same heights
(12 960 combinations of levels), so that ratios measured on them tell much the same.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROWS = 30_162
NAMES = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
Counts = tuple[int, ...]
GROUPS: dict[str, tuple[tuple[int, ...], ...]] = {
    "sex": ((676, 324),),
    "race": ((860, 93, 30, 9, 8),),
    "marital-status": ((466, 1), (322, 140, 31, 27, 12)),
    "education": ((326, 35, 27, 15, 13), (221, 167), (54, 12), (43, 33, 18), (18, 10, 5, 1)),
    "native-country": (
        (912, 20, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1),
        (6, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1),
        (4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1),
        (2, 1, 1, 1),
        (2, 1),
    ),
    "workclass": ((739, 83, 36), (69, 42, 31), (1,)),
    "occupation": ((134, 134, 65, 30), (132, 119, 45), (123, 106, 52, 33, 21, 5, 1)),
    "salary-class": ((751, 249),),
}
FLAT = ("sex", "race", "salary-class")


@dataclass(frozen=True)
class Census:
    """Texts column by column, and for each column the lines of its hierarchy."""

    columns: Mapping[str, Sequence[str]]
    hierarchies: Mapping[str, Sequence[str]]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[NAMES[0]])


def adult(folder: Path | None = None, rows: int = ROWS) -> Census:
    """The file in a folder (adult.csv and adult_hierarchy_*.csv); without one, rows made up like it."""
    return _made_up(rows) if folder is None else _read(folder)


def _read(folder: Path) -> Census:
    with (folder / "adult.csv").open(newline="") as file:
        found = list(csv.DictReader(file, delimiter=";"))
    hierarchies = {name: (folder / f"adult_hierarchy_{name}.csv").read_text().splitlines() for name in NAMES}
    return Census({name: [row[name] for row in found] for name in NAMES}, hierarchies)


def _made_up(rows: int) -> Census:
    """Two hidden traits, age and standing, tie the columns together."""
    draw = np.random.default_rng(30_162)
    age = np.clip(17 + draw.gamma(2.4, 9.0, rows), 17, 90).astype(int)
    standing, stage = draw.normal(size=rows), (age - 38) / 13 + 0.6 * draw.normal(size=rows)
    traits = {
        "marital-status": -stage,
        "education": standing,
        "occupation": 0.7 * standing + 0.3 * stage,
        "salary-class": 0.5 * standing + 0.5 * stage,
        "workclass": 0.4 * standing,
    }
    columns = {"age": age.astype(str).tolist()}
    for name, groups in GROUPS.items():
        order = np.argsort(traits.get(name, 0.0) + 0.7 * draw.normal(size=rows), kind="stable")
        shares = np.cumsum([count for group in groups for count in group])
        ends = np.rint(shares / shares[-1] * rows).astype(int)
        codes = np.empty(rows, int)
        codes[order] = np.searchsorted(ends, np.arange(rows), "right")
        columns[name] = [f"{name} {code:02d}" for code in codes.tolist()]
    hierarchies = {name: _lines(name) for name in GROUPS} | {"age": _ages()}
    return Census({name: columns[name] for name in NAMES}, hierarchies)


def _lines(name: str) -> list[str]:
    """Value, group, everything; education has one level more, flat columns one less."""
    lines: list[str] = []
    for number, group in enumerate(GROUPS[name]):
        for _ in group:
            value = f"{name} {len(lines):02d}"
            above = [] if name in FLAT else [f"group {number}"]
            above += [f"part {min(number, 3) // 2}"] if name == "education" else []
            lines.append(";".join([value, *above, "*"]))
    return lines


def _ages() -> list[str]:
    spans = ((age, *(age - age % width for width in (5, 10, 20))) for age in range(1, 101))
    return [f"{age};{a}-{a + 4};{b}-{b + 9};{c}-{c + 19};*" for age, a, b, c in spans]
