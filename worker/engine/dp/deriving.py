"""From a question to its mechanisms: sensitivity, price of each part, expected error. Pure.

Neighbours differ in one person, who has at most `rows_per_person` rows after bounding. A condition and a
group look at one row at a time, so they leave that bound as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from worker.engine.contracts.method import Forecast
from worker.engine.contracts.privacy import Spend
from worker.engine.dp.accuracy import CONFIDENCE, Noise, laplace_noise, weighed_half_width
from worker.engine.dp.cells import Grid, declared_cells
from worker.engine.dp.promises import foreseen
from worker.engine.dp.questions import MEASURING, OF_CELLS, SELECTING, Question
from worker.engine.dp.scales import Scale, scale_of
from worker.engine.tables.declaration import Declaration
from worker.engine.wording import grouped, thousands

SHARE_UNITS = 10_000
"""Shares have four places: in these units the scores of quantiles are whole numbers."""
EXAMPLES = (100, 1_000, 10_000)
END_REACH = 10
"""The ends beside a quantile lie so many scales of their noise away: their own error is small beside that."""
UNEVEN = 1.1
"""What the error of a quantile in values allows for the error of the ends."""
WITHIN_ROWS = Decimal("0.8")
"""The ends stay within this share of the rows that are there on their side."""
MOST_OF_A_ROW = (2**63 - 1) // 10**9


@dataclass(frozen=True)
class Part:
    """One mechanism: what it measures, by how much one person changes it, and its share of the price."""

    what: str
    sensitivity: int
    epsilon_micro: int
    why: str
    monotone: bool = False
    coarse: int = 1
    """How many units are counted as one: the sum of a billion rows has to fit 64 bits."""

    @property
    def epsilon(self) -> Decimal:
        """Its ε."""
        return Spend(self.epsilon_micro).epsilon

    @property
    def noise(self) -> Noise:
        """The noise of a counted or summed part."""
        return laplace_noise(self.sensitivity, self.epsilon)

    @property
    def error(self) -> int:
        """The 95 % error of one sum, in units."""
        return self.noise.error() * self.coarse

    @property
    def selection_scale(self) -> float:
        """The noise scale of a part that selects: without the 2 only when all scores move the same way."""
        return float((1 if self.monotone else 2) * self.sensitivity / self.epsilon)


@dataclass(frozen=True)
class Derived:
    """How a question is answered. Its parts' prices times their repetitions add up to the spend."""

    mechanism: str
    parts: tuple[Part, ...]
    spend: Spend
    groups: int
    groups_per_person: int
    rounds: int
    explanation: tuple[str, ...]


def derived(question: Question, declared: Mapping[str, Declaration]) -> Derived:
    """Mechanism, sensitivity and price of a question that the auditor lets pass."""
    rows, groups = question.rows_per_person, grid_of(question, declared).size
    selecting = question.ask in SELECTING
    touched = min(rows, groups) if selecting else 1
    rounds = question.top if question.ask == "top-k" else 1
    whole = question.spend().epsilon_micro
    parts = _parts(question, scale_for(question, declared), whole // (touched * rounds), whole)
    mechanism = "exponential mechanism (report noisy max)" if selecting else "discrete Laplace noise"
    told = _explained(question, parts, groups, touched, rounds)
    return Derived(mechanism, parts, question.spend(), groups, touched, rounds, told)


def grid_of(question: Question, declared: Mapping[str, Declaration]) -> Grid:
    """The cells of the groups; a single cell without groups."""
    choice = question.choice
    found = [declared_cells(name, declared.get(name, Declaration()), choice) for name in question.by]
    return Grid(tuple(cells for cells in found if cells is not None))


def scale_for(question: Question, declared: Mapping[str, Declaration]) -> Scale | None:
    """The scale of the column asked about."""
    name = question.counted_column
    return scale_of(name, declared.get(name, Declaration())) if name else None


def _parts(question: Question, scale: Scale | None, each: int, whole: int) -> tuple[Part, ...]:
    rows = question.rows_per_person
    counted = f"a person has at most {rows} row{'s' if rows > 1 else ''}"
    if question.ask in ("count", "histogram"):
        return (Part("count", rows, whole, f"{counted}, and each is in one cell"),)
    if question.ask in ("most-common", "top-k"):
        why = f"{counted}; adding a person only raises counts, so no factor 2 is needed"
        return (Part("choice", rows, each, why, monotone=True),)
    assert scale is not None, "the auditor refuses numbers without bounds"
    if question.ask in MEASURING:
        return _measured(question, scale, rows, whole, counted)
    share = int(question.quantile * SHARE_UNITS)
    most = max(share, SHARE_UNITS - share)
    why = f"{counted}; a row moves the score of a candidate by at most {most / SHARE_UNITS:g} of a rank"
    why += f", in units of 1/{thousands(SHARE_UNITS)} of a rank"
    ends = "; a value some ranks below, and one above, tell how far apart values lie there"
    return (
        Part("choice", rows * most, each // 2, why),
        Part("count", rows, each // 10, counted),
        *(Part("end", rows * most, each // 5, why + ends),) * 2,
    )


def _measured(question: Question, scale: Scale, rows: int, whole: int, counted: str) -> tuple[Part, ...]:
    unit, far = scale.value(1), scale.farthest
    if question.ask == "sum":
        why = f"{counted}, each between {scale.value(scale.low):f} and {scale.value(scale.high):f}"
        found = _summed("sum", rows, scale.largest, whole, why)
        return (replace(found, why=f"{why}; in units of {unit * found.coarse:f}"),)
    number = 2 if question.ask == "mean" else 3
    why = f"{counted}, within {scale.value(far):f} of the middle"
    parts = [Part("count", rows, whole // number, counted), _summed("sum", rows, far, whole // number, why)]
    if number == 3:
        why = f"{counted}, each square at most {scale.value(far) * scale.value(far):f}"
        parts.append(_summed("squares", rows, far * far, whole // number, why))
    return tuple(parts)


def _summed(what: str, rows: int, largest: int, each: int, why: str) -> Part:
    """A sum to which a row adds at most so much; each row moves the whole part of a quotient by that of its
    own, rounded up, whatever group it is in."""
    coarse = 1
    while largest > coarse * MOST_OF_A_ROW:
        coarse *= 10
    return Part(what, rows * -(-largest // coarse), each, why, coarse=coarse)


def _explained(
    question: Question, parts: tuple[Part, ...], groups: int, touched: int, rounds: int
) -> tuple[str, ...]:
    said = [f"{p.what.capitalize()}: sensitivity {thousands(p.sensitivity)}, because {p.why}." for p in parts]
    if len(parts) > 1:
        said.append(f"ε is divided among {len(parts)} measurements (sequential composition).")
    if rounds > 1:
        said.append(f"ε is divided among {rounds} rounds: the best, then the best of the rest.")
    if groups > 1 and touched == 1:
        said.append(f"A row is in one of the {thousands(groups)} groups: together they cost what one costs.")
    if touched > 1:
        said.append(
            f"A person is in at most {touched} of the {thousands(groups)} groups: ε is divided by {touched}."
        )
    if question.on == "sample" and question.ask in ("count", "sum", "histogram"):
        said.append("Counts and sums are those of the sample: divide by its share to compare with all rows.")
    if question.on == "perturbed":
        said.append("In the copy every column that the question names is perturbed.")
    if question.on != "data":
        said.append("Asking a sample or a perturbed copy costs the same here; nothing is claimed for it.")
    return tuple(said)


def expected(question: Question, declared: Mapping[str, Declaration]) -> tuple[Forecast, ...]:
    """Price and error before anything is spent."""
    found = derived(question, declared)
    price = Forecast("Price", f"ε = {question.spend().epsilon.normalize():f}", f"By {found.mechanism}.")
    errors = _errors(question, found, scale_for(question, declared), declared)
    return (price, *errors, *foreseen(question.spend()))


def _errors(
    question: Question, found: Derived, scale: Scale | None, declared: Mapping[str, Declaration]
) -> list[Forecast]:
    if question.ask in ("count", "histogram"):
        return [Forecast("Error of one count", f"± {thousands(found.parts[0].noise.error())}", WITHIN)]
    if question.ask in SELECTING:
        return [_rank_error(question, found, candidates(question, scale, declared))]
    assert scale is not None
    if question.ask == "sum":
        return [
            Forecast("Error of the sum", f"± {grouped(f'{scale.value(found.parts[0].error):f}')}", WITHIN)
        ]
    evenly = Powers(0.0, scale.farthest**2 / 3)
    told = " · ".join(
        f"{thousands(rows)} rows: ± {thousands(spread(question, found, scale, rows, evenly))}"
        for rows in EXAMPLES
    )
    help_text = "For values spread evenly between the bounds. Depends on how many rows there are, which is "
    return [Forecast("Error", told, help_text + "not told before; the answer states its own.")]


def _rank_error(question: Question, found: Derived, number: int) -> Forecast:
    most = rank_error(found.parts[0], number, question)
    if question.ask in ("most-common", "top-k"):
        help_text = "In 19 of 20 answers the value is at most so many rows less common than the best."
        return Forecast("Error", f"± {thousands(most)} rows", help_text)
    help_text = (
        "In 19 of 20 answers the value lies within so many rows of the exact rank, where values lie evenly "
        f"around it; within {thousands(most)} rows wherever they lie. The answer states its error in values."
    )
    return Forecast("Error", f"± {thousands(evenly_error(found.parts[0]))} ranks", help_text)


def rank_error(part: Part, candidates: int, question: Question) -> int:
    """By how many rows a selected answer misses the best one at most, at 95 %, wherever rows lie."""
    reach = part.selection_scale * math.log(max(candidates, 1) / (1 - CONFIDENCE))
    return math.ceil(reach if question.ask in ("most-common", "top-k") else reach / SHARE_UNITS)


def evenly_error(part: Part) -> int:
    """By how many rows a quantile misses its rank, at 95 %, where rows lie evenly around it: the chances of
    ranks fall off exponentially then, however fine the candidates."""
    return math.ceil(evenly_reach(part) / SHARE_UNITS)


def evenly_reach(part: Part) -> float:
    """The same in the units of scores."""
    return part.selection_scale * math.log(1 / (1 - CONFIDENCE))


def candidates(question: Question, scale: Scale | None, declared: Mapping[str, Declaration]) -> int:
    """Among how many answers one is selected, or how many cells are counted."""
    name = question.counted_column or ""
    if scale is not None and question.ask not in OF_CELLS:
        return len(scale.candidates())
    cells = declared_cells(name, declared.get(name, Declaration()), question.choice)
    return len(cells) if cells else 0


@dataclass(frozen=True)
class Powers:
    """What is known of values, measured from the middle: their mean and the mean of their squares."""

    mean: float
    square: float


def spread(question: Question, found: Derived, scale: Scale, rows: float, powers: Powers) -> float:
    """The 95 % error of a mean or variance over about so many rows, from the noise of its parts alone.

    With noise x0, x1, x2 on count, sum and squares, and as many rows as the noisy count says, the mean is off
    by (x1 − mean·x0)/rows, and the variance by (x2 − 2·mean·x1 + (2·mean² − square)·x0)/rows and the square
    of that.
    """
    if rows <= 0:
        return math.inf
    scales = [part.noise.scale * part.coarse for part in found.parts]
    unit, far = float(scale.unit), float(scale.farthest)
    mean, square = min(abs(powers.mean), far), min(max(powers.square, 0.0), far**2)
    off = weighed_half_width([scales[1], mean * scales[0]]) / rows
    if question.ask == "mean":
        return min(off, 2 * far) * unit
    squares = weighed_half_width([scales[2], 2 * mean * scales[1], abs(2 * mean**2 - square) * scales[0]])
    return min(squares / rows + off**2, far**2) * unit**2


def ends_of(parts: Sequence[Part], share: Decimal, rows: int) -> tuple[int, int] | None:
    """How many ranks below and above a quantile the ends lie, in the units of scores; None when there seem
    to be too few rows to tell anything from them."""
    sure = max(rows - parts[1].noise.error(), 0) * SHARE_UNITS
    wanted = math.ceil(END_REACH * parts[2].selection_scale)
    found = min(wanted, int(WITHIN_ROWS * sure * share)), min(wanted, int(WITHIN_ROWS * sure * (1 - share)))
    return found if sum(found) >= wanted else None


def value_error(parts: Sequence[Part], ends: tuple[int, int], low: int, high: int) -> int:
    """The 95 % error of a quantile in units of its values, from the values at its ends."""
    per_rank = abs(high - low) / sum(ends)
    return math.ceil(UNEVEN * evenly_reach(parts[0]) * per_rank)


WITHIN = "19 of 20 answers are off by at most this much."
