"""What a column contributes to a linear prediction: a number times a slope, or one amount per category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from worker.engine.synthesis.scores import Scale
from worker.engine.tables.column import Column, Floats
from worker.engine.tables.numeric import NumberColumn

MOST_LEVELS = 30


class Effect(Protocol):
    """Columns of a design matrix made of one column of data."""

    @property
    def width(self) -> int:
        """How many coefficients it takes."""

    def of(self, column: Column, coefficients: Floats) -> Floats:
        """The contribution to each row."""


@dataclass(frozen=True)
class Slope:
    """The normal score of a number; a missing one contributes nothing."""

    scale: Scale
    width: int = 1

    def of(self, column: Column, coefficients: Floats) -> Floats:
        """The contribution to each row."""
        if isinstance(column, NumberColumn):
            return np.asarray(coefficients[0] * self.scale(column.numbers))
        column = column.compact()
        table: Floats = coefficients[0] * self.scale(column.label_numbers)
        found: Floats = table[column.codes]
        return found


@dataclass(frozen=True)
class Levels:
    """One amount for each frequent category; the rest share 0."""

    texts: tuple[str, ...]

    @property
    def width(self) -> int:
        """How many coefficients it takes."""
        return len(self.texts)

    def of(self, column: Column, coefficients: Floats) -> Floats:
        """The contribution to each row."""
        column = column.compact()
        amounts = dict(zip(self.texts, coefficients.tolist(), strict=True))
        table = np.array([amounts.get(text, 0.0) for text in column.label_texts])
        return table[column.codes] if len(table) else np.zeros(len(column.codes))


def effect_of(column: Column) -> Effect:
    """The effect that suits a column, fitted on some of its rows."""
    if column.is_numeric:
        numbers = column.numbers
        return Slope(Scale.of(numbers[~np.isnan(numbers)]))
    column = column.merged()
    counts = np.bincount(column.codes, minlength=len(column.labels))
    frequent = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code]]
    texts = column.label_texts
    return Levels(tuple(texts[code] for code in frequent[1 : MOST_LEVELS + 1]))


def design(effects: Sequence[Effect], columns: Sequence[Column], rows: int) -> Floats:
    """The design matrix of these rows, with an intercept."""
    parts = [np.ones(rows)]
    for effect, column in zip(effects, columns, strict=True):
        parts.extend(effect.of(column, unit) for unit in np.eye(effect.width))
    return np.column_stack(parts)


def add_effects(
    total: Floats, effects: Sequence[Effect], columns: Sequence[Column], coefficients: Floats
) -> None:
    """Add the contributions to each row without building a design matrix."""
    at = 0
    for effect, column in zip(effects, columns, strict=True):
        total += effect.of(column, coefficients[at : at + effect.width])
        at += effect.width
