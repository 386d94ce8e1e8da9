"""Answers from bounded counts of (groups, value): every figure through a sampler, exact twins beside.

The counts come in as distinct tuples, so that a question over millions of rows is answered over thousands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from worker.engine.dp.accuracy import Noise
from worker.engine.dp.cells import Cells, Grid, declared_cells
from worker.engine.dp.deriving import (
    SHARE_UNITS,
    Derived,
    Part,
    Powers,
    derived,
    ends_of,
    grid_of,
    scale_for,
    spread,
    value_error,
)
from worker.engine.dp.questions import OF_CELLS, Question
from worker.engine.dp.scales import Scale, scale_of
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Counts

LIMIT = 2**63 - 1
DIGITS = 200


class Drawer(Protocol):
    """Where noise comes from: the samplers, or a pretence for trying out on invented data."""

    def noisy(self, counts: Counts, noise: Noise) -> Counts:
        """Counts with noise."""

    def best(self, scores: Sequence[int], part: Part) -> int:
        """The position of the best score, with noise."""


class Samplers:
    """OpenDP's samplers."""

    def noisy(self, counts: Counts, noise: Noise) -> Counts:
        """Counts with noise."""
        from worker.engine.dp.mechanisms import noisy

        return noisy(counts, noise)

    def best(self, scores: Sequence[int], part: Part) -> int:
        """The position of the best score, with noise."""
        from worker.engine.dp.mechanisms import noisy_best

        return noisy_best(
            scores, part.sensitivity, part.selection_scale, Fraction(part.epsilon), part.monotone
        )


@dataclass(frozen=True)
class Tuples:
    """Bounded rows: the group of each distinct tuple, its value (a cell or units), how many rows."""

    groups: Counts
    values: Counts
    rows: Counts


@dataclass(frozen=True)
class Line:
    """One answer: labels of its group (and cell), what is said, its error, what is true."""

    labels: tuple[str, ...]
    answer: str
    error: str
    exact: str


@dataclass(frozen=True)
class Asked:
    """A question with everything that follows from the declarations."""

    question: Question
    found: Derived
    grid: Grid
    scale: Scale | None
    cells: Cells | None
    disturbed: Mapping[str, Scale | Cells]

    @classmethod
    def of(cls, question: Question, declared: Mapping[str, Declaration]) -> Asked:
        """What is derived from the question and the declarations."""
        name = question.counted_column
        said = declared.get(name, Declaration()) if name else Declaration()
        cells = declared_cells(name, said, question.choice) if name else None
        scale = scale_for(question, declared)
        disturbed = disturbances(question, declared) if question.on == "perturbed" else {}
        return cls(
            question, derived(question, declared), grid_of(question, declared), scale, cells, disturbed
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that name an answer."""
        name = self.question.counted_column
        return (*self.question.by, *([name] if self.question.ask == "histogram" and name else []))

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The labels of each group."""
        texts = self.grid.texts()
        return list(zip(*texts, strict=True)) if texts else [()]


def disturbances(question: Question, declared: Mapping[str, Declaration]) -> dict[str, Scale | Cells]:
    """How each column that a question names becomes another in a perturbed copy."""
    found: dict[str, Scale | Cells] = {}
    for name in dict.fromkeys(name for _, name, _ in question.named_columns()):
        said = declared.get(name, Declaration())
        cells, scale = declared_cells(name, said, question.choice), scale_of(name, said)
        in_cells = name in question.by or (name == question.column and question.ask in OF_CELLS)
        if way := (cells or scale) if in_cells else (scale or cells):
            found[name] = way
    return found


def answered(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    """One line per group, or per cell of each group."""
    lines: list[Line] = ANSWERS.get(asked.question.ask, _quantile)(asked, tuples, draw)
    return lines


def _counts(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    """Groups do not overlap: one draw per group, all at the full ε."""
    exact = np.bincount(tuples.groups, tuples.rows, asked.grid.size).astype(np.int64)
    return _counted(asked, asked.labels, exact, draw)


def _histogram(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    cells = asked.cells
    assert cells is not None
    flat = tuples.groups * len(cells) + tuples.values
    exact = np.bincount(flat, tuples.rows, asked.grid.size * len(cells)).astype(np.int64)
    labels = [(*group, cell) for group in asked.labels for cell in cells.labels]
    return _counted(asked, labels, exact, draw)


def _counted(asked: Asked, labels: Sequence[tuple[str, ...]], exact: Counts, draw: Drawer) -> list[Line]:
    noise = asked.found.parts[0].noise
    drawn, error = draw.noisy(exact, noise), str(noise.error())
    figures = zip(labels, drawn.tolist(), exact.tolist(), strict=True)
    return [Line(label, str(answer), error, str(true)) for label, answer, true in figures]


def _sums(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    scale, part = _scaled(asked), asked.found.parts[0]
    exact = _powers(asked, tuples, 0, 1, part.coarse)
    error = _told(scale.value(part.error))
    drawn = draw.noisy(exact, part.noise)
    figures = zip(asked.labels, drawn.tolist(), exact.tolist(), strict=True)
    unit = part.coarse
    return [
        Line(label, _told(scale.value(answer * unit)), error, _told(scale.value(true * unit)))
        for label, answer, true in figures
    ]


def _moments(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    """Mean and variance from noisy counts, sums and squares about the middle of the bounds."""
    scale, parts = _scaled(asked), asked.found.parts
    exact = [_powers(asked, tuples, scale.middle, power, one.coarse) for power, one in enumerate(parts)]
    drawn = [draw.noisy(one, part.noise) for one, part in zip(exact, parts, strict=True)]
    lines = []
    for group, label in enumerate(asked.labels):
        noisy, full = (
            [int(one[group]) * part.coarse for one, part in zip(some, parts, strict=True)]
            for some in (drawn, exact)
        )
        told = _moment_error(asked, noisy) if noisy[0] > 0 else ""
        true = _moment(scale, full)
        lines.append(Line(label, _moment(scale, noisy), told, true))
    return lines


def _moment_error(asked: Asked, noisy: Sequence[int]) -> str:
    """From the noisy figures alone."""
    means = [power / noisy[0] for power in noisy[1:]]
    powers = Powers(means[0], means[1] if len(means) > 1 else 0.0)
    error = spread(asked.question, asked.found, _scaled(asked), noisy[0], powers)
    return _told(Decimal(f"{error:.4g}"))


def _moment(scale: Scale, powers: Sequence[int]) -> str:
    """The mean, or with squares the variance; nothing when no row seems to be there."""
    if powers[0] < 1:
        return ""
    mean = Decimal(powers[1]) / powers[0]
    if len(powers) == 2:
        inside = min(max(scale.middle + mean, Decimal(scale.low)), Decimal(scale.high))
        return _told(_rounded(scale.value(inside), scale.unit))
    variance = max(Decimal(powers[2]) / powers[0] - mean * mean, Decimal(0))
    return _told(_rounded(variance * scale.unit * scale.unit, scale.unit))


def _quantile(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    """The candidate whose rank is nearest to the wanted one, selected with noise."""
    scale, lines, part = _scaled(asked), [], asked.found.parts[0]
    candidates = np.array(scale.candidates())
    for group, label in enumerate(asked.labels):
        at = tuples.groups == group
        ranks = _ranks(candidates, tuples.values[at], tuples.rows[at], asked.question.quantile)
        chosen = int(candidates[draw.best((-np.abs(ranks)).tolist(), part)])
        error = _quantile_error(asked, candidates, ranks, int(tuples.rows[at].sum()), draw)
        if error is None:
            error = max(chosen - scale.low, scale.high - chosen)
        true = int(candidates[np.argmin(np.abs(ranks))])
        answer, around, exact = (_told(scale.value(units)) for units in (chosen, error, true))
        lines.append(Line(label, answer, around, exact))
    return lines


def _quantile_error(asked: Asked, candidates: Counts, ranks: Counts, rows: int, draw: Drawer) -> int | None:
    """From a value selected on either side: they tell how far apart values lie. Always draws both, however
    many rows there seem to be; None when these are too few."""
    parts, share = asked.found.parts, asked.question.quantile
    seeming = int(draw.noisy(np.array([rows], np.int64), parts[1].noise)[0])
    ends = ends_of(parts, share, seeming)
    below, above = ends or (0, 0)
    low, high = (
        int(candidates[draw.best((-np.abs(ranks - target)).tolist(), part)])
        for target, part in zip((-below, above), parts[2:], strict=True)
    )
    return None if ends is None else value_error(parts, ends, low, high)


def _ranks(candidates: Counts, values: Counts, rows: Counts, share: Decimal) -> Counts:
    """How far each candidate is from having the wanted share below it; a row moves it by its weight."""
    order = np.argsort(values, kind="stable")
    running = np.concatenate([[0], np.cumsum(rows[order])])
    below = running[np.searchsorted(values[order], candidates, side="left")]
    above = running[-1] - running[np.searchsorted(values[order], candidates, side="right")]
    wanted = int(share * SHARE_UNITS)
    return np.asarray((SHARE_UNITS - wanted) * below - wanted * above, np.int64)


def _common(asked: Asked, tuples: Tuples, draw: Drawer) -> list[Line]:
    """The best cell, then the best of the rest; only its label is told, not how many."""
    cells, lines = asked.cells, []
    assert cells is not None
    for group, label in enumerate(asked.labels):
        at = tuples.groups == group
        exact = np.bincount(tuples.values[at], tuples.rows[at], len(cells)).astype(np.int64)
        left = list(range(len(cells)))
        for true in np.argsort(-exact, kind="stable")[: asked.found.rounds].tolist():
            chosen = left.pop(draw.best(exact[left].tolist(), asked.found.parts[0]))
            lines.append(Line(label, cells.labels[chosen], "", cells.labels[true]))
    return lines


ANSWERS: dict[str, Any] = {
    "count": _counts,
    "histogram": _histogram,
    "sum": _sums,
    "mean": _moments,
    "variance": _moments,
    "most-common": _common,
    "top-k": _common,
}


def _scaled(asked: Asked) -> Scale:
    assert asked.scale is not None, "the auditor refuses numbers without bounds"
    return asked.scale


def _powers(asked: Asked, tuples: Tuples, middle: int, power: int, coarse: int) -> Counts:
    """Sums of (value − middle)^power per group, in Python's integers, then in coarse units and saturated."""
    totals = [0] * asked.grid.size
    rows = zip(tuples.groups.tolist(), tuples.values.tolist(), tuples.rows.tolist(), strict=True)
    for group, value, count in rows:
        totals[group] += (value - middle) ** power * count
    return np.array([min(max(total // coarse, -LIMIT), LIMIT) for total in totals], np.int64)


def _rounded(number: Decimal, unit: Decimal) -> Decimal:
    """Two digits finer than the unit: more would only be noise."""
    return number.quantize(min(unit, Decimal(1)).scaleb(-2), context=Context(prec=DIGITS))


def _told(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
