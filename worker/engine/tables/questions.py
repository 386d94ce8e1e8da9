"""What may be asked of a whole table, as values: questions that are announced are answered together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from worker.engine.tables.kinds import Role
from worker.engine.tables.table import Schema


@dataclass(frozen=True)
class Question:
    """A statistic of some columns."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it is about."""
        raise NotImplementedError


@dataclass(frozen=True)
class CountsOf(Question):
    """The distinct tuples of columns with their rows; persons and weights where there are such columns."""

    columns: tuple[str, ...]
    persons: bool = False
    weights: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it is about."""
        return self.columns

    @property
    def is_plain(self) -> bool:
        """Whether rows alone are counted."""
        return not (self.persons or self.weights)


@dataclass(frozen=True)
class MomentsOf(Question):
    """Count, mean, variance and extremes of the numbers in a column."""

    column: str

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it is about."""
        return (self.column,)


@dataclass(frozen=True)
class CovarianceOf(Question):
    """Means and covariances of the columns' own numbers, over the rows where all are known."""

    columns: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it is about."""
        return self.columns


def distinct_of(column: str) -> CountsOf:
    """The distinct values of a column; its quantiles follow from them too."""
    return CountsOf((column,))


def classes_of(schema: Schema, columns: Iterable[str] = ()) -> CountsOf:
    """Counts of the quasi-identifiers and some more columns, with persons and weights."""
    quasi = schema.named(Role.QUASI_IDENTIFIER)
    more = dict.fromkeys(name for name in columns if name not in quasi)
    return CountsOf((*quasi, *more), persons=True, weights=True)
