"""Each class's sensitive values beside those of the whole released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released


@dataclass(frozen=True)
class Shares:
    """Per value that occurs in a class: its class, its number, p·n·N and q·n·N as whole numbers."""

    classes: Any
    values: Any
    inside: Any
    outside: Any
    sizes: Any
    total: int
    file: Any


def shares(group: Group, released: Released, column: str) -> Shares:
    """Counts of the group's classes, scaled so that they can be compared without dividing."""
    name = released.name_of(column) or column
    contents = group.contents(name)
    file = released.distribution(name)
    total = int(file.sum())
    sizes = np.bincount(contents.classes, weights=contents.counts, minlength=group.number).astype(np.int64)
    inside = contents.counts * total
    outside = file[contents.values] * sizes[contents.classes]
    return Shares(contents.classes, contents.values, inside, outside, sizes, total, file)


def worst(figures: Any, classes: Any, number: int) -> Any:
    """The largest figure of each class."""
    largest = np.zeros(number)
    np.maximum.at(largest, classes, figures)
    return largest
