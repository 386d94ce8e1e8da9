"""A histogram as it is known before any data are touched: cells, noise, errors, threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worker.engine.contracts.method import Tabulation
from worker.engine.dp.accuracy import Noise
from worker.engine.dp.layouts import Layout
from worker.engine.dp.mechanisms import SEPARATOR, noisy, noisy_above
from worker.engine.tables.column import Column
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

COUNT, ERROR, EXACT = "count", "error95", "exact"


@dataclass(frozen=True)
class Design:
    """What a histogram will show and how exactly."""

    layout: Layout
    noise: Noise
    rows: int
    threshold: int | None = None
    nonnegative: bool = False
    round_to: int = 1

    def errors(self) -> list[int]:
        """The 95 % half-width of every declared cell."""
        return [error + self.round_to // 2 for error in self.layout.errors(self.noise, self.nonnegative)]

    def everywhere(self) -> int:
        """The half-width for all cells together."""
        return self.layout.everywhere(self.noise, self.nonnegative) + self.round_to // 2

    def drawn(self, cells: Counts) -> Counts:
        """The counts to publish. The noise is drawn here, once, on every count whether empty or not."""
        return self.finished(noisy(self.layout.measured(cells), self.noise))

    def finished(self, counts: Counts) -> Counts:
        """Post-processing: consistent, not negative, rounded."""
        published = self.layout.published(counts, self.nonnegative)
        if self.round_to == 1:
            return published
        half = self.round_to // 2
        return (published + half) // self.round_to * self.round_to

    def discovered(self, unknown: Mapping[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
        """Categories nobody declared whose noisy count reached the threshold, sorted by their texts."""
        if self.threshold is None:
            return {}
        escaped = {_joined(labels): (labels, count) for labels, count in unknown.items()}
        given = {text: count for text, (_, count) in escaped.items()}
        shown = noisy_above(given, self.noise, self.threshold, self.rows)
        labelled = {escaped[text][0]: count for text, count in shown.items()}
        names = sorted(labelled)
        rounded = self.finished_alone([labelled[name] for name in names])
        return dict(zip(names, rounded, strict=True))

    def finished_alone(self, counts: Sequence[int]) -> list[int]:
        """Rounding for counts outside the layout; they are above a threshold and need no clipping."""
        half = self.round_to // 2
        return [(count + half) // self.round_to * self.round_to for count in counts]

    def tabulated(
        self, cells: Counts, unknown: Mapping[tuple[str, ...], int], facts: Mapping[str, Any]
    ) -> Tabulation:
        """The table with noise, and beside it the exact figures that stay inside."""
        counts, found = self.drawn(cells), self.discovered(unknown)
        texts = [list(column) for column in self.layout.texts()]
        for position, column in enumerate(texts):
            column.extend(labels[position] for labels in found)
        exact = self.layout.published(self.layout.measured(cells), False).tolist()
        exact += [unknown[labels] for labels in found]
        released = {**dict(zip(self.layout.names, texts, strict=True))}
        figures = {
            COUNT: [*map(int, counts), *found.values()],
            ERROR: [*self.errors(), *([self.noise.error() + self.round_to // 2] * len(found))],
        }
        return Tabulation(
            facts,
            _table(released, figures),
            _table(released, {EXACT: exact, **figures}),
        )


def _joined(labels: tuple[str, ...]) -> str:
    """One text for several labels; the separator is escaped, so that different labels stay different."""
    return SEPARATOR.join(label.replace("\\", "\\\\").replace(SEPARATOR, "\\u") for label in labels)


def _table(texts: Mapping[str, Sequence[str]], figures: Mapping[str, Sequence[int]]) -> Table:
    columns = [Column.of_texts(name, column, Kind.TEXT) for name, column in texts.items()]
    numbers = [Column.of_texts(n, [str(one) for one in f], Kind.INTEGER) for n, f in figures.items()]
    return Table([*columns, *numbers], 0, len(next(iter(figures.values()))))
