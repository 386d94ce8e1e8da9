"""A matrix of probabilities as somebody types it: every cell its text, every complaint its cell or row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Decimal, InvalidOperation

STEP = Decimal("0.000001")
MOST = 30
LONGEST = 24


@dataclass(frozen=True)
class MatrixDraft:
    """Categories, the texts of the cells, the group of each category, the columns that make strata."""

    categories: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    groups: tuple[str, ...]
    strata: tuple[str, ...] = ()
    diagonal: str = "0.8"
    cell_errors: Mapping[tuple[int, int], str] = field(default_factory=dict)
    row_errors: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def sent(cls, categories: Sequence[str], posted: Mapping[str, str], strata: Sequence[str]) -> MatrixDraft:
        """What somebody sent, not yet judged."""
        places = range(len(categories))
        cells = tuple(tuple(posted.get(f"cell-{i}-{j}", "")[:LONGEST] for j in places) for i in places)
        groups = tuple(posted.get(f"group-{i}", "").strip()[:LONGEST] for i in places)
        return cls(tuple(categories), cells, groups, tuple(strata), posted.get("diagonal", "")[:LONGEST])

    @property
    def matrix(self) -> list[list[float]]:
        """The numbers of a draft without errors."""
        return [[float(number_of(text) or 0) for text in row] for row in self.cells]

    @property
    def members(self) -> list[list[int]]:
        """The places of each group; a category without a group stays what it is."""
        names = dict.fromkeys(name for name in self.groups if name)
        return [[i for i, one in enumerate(self.groups) if one == name] for name in names]

    @property
    def is_valid(self) -> bool:
        """Whether a judged draft is a matrix."""
        return not self.cell_errors and not self.row_errors

    def judged(self) -> MatrixDraft:
        """With a complaint on each cell that is no probability and each row that does not sum to 1."""
        cell_errors = {
            (i, j): "Write a number from 0 to 1."
            for i, row in enumerate(self.cells)
            for j, text in enumerate(row)
            if not is_probability(number_of(text))
        }
        whole = [i for i in range(len(self.cells)) if not any(place[0] == i for place in cell_errors)]
        row_errors = {i: said for i in whole if (said := lacking(self.cells[i]))}
        return replace(self, cell_errors=cell_errors, row_errors=row_errors)

    def filled(self) -> MatrixDraft:
        """The diagonal everywhere, the rest shared alike among the others of the group."""
        keep = number_of(self.diagonal)
        if not is_probability(keep):
            return self
        assert keep is not None
        cells = [["1" if i == j else "0" for j in range(len(self.cells))] for i in range(len(self.cells))]
        for group in self.members:
            share = (
                ((1 - keep) / (len(group) - 1)).quantize(STEP, ROUND_DOWN) if len(group) > 1 else Decimal()
            )
            for i in group:
                for j in group:
                    cells[i][j] = plain(1 - share * (len(group) - 1) if i == j else share)
        return replace(self, cells=tuple(map(tuple, cells)))

    def normalised(self, row: int | None = None) -> MatrixDraft:
        """One row, or every row, divided by its sum."""
        wanted = range(len(self.cells)) if row is None else [row]
        cells = [summed(one) if i in wanted else one for i, one in enumerate(self.cells)]
        return replace(self, cells=tuple(cells))


def number_of(text: str) -> Decimal | None:
    """The number somebody wrote; nothing written is 0."""
    try:
        number = Decimal(text.strip().replace(",", ".") or 0)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > LONGEST:  # written out it would fill the page
        return None
    return number


def is_probability(number: Decimal | None) -> bool:
    """Whether it lies between 0 and 1."""
    return number is not None and 0 <= number <= 1


def lacking(row: Sequence[str]) -> str:
    """What is wrong with the sum of a row of probabilities; nothing when it is 1."""
    total = sum((number_of(text) or Decimal() for text in row), Decimal())
    if abs(total - 1) <= Decimal("1e-9"):
        return ""
    off = f"{plain(1 - total)} is missing" if total < 1 else f"{plain(total - 1)} too much"
    return f"The row sums to {plain(total)} instead of 1: {off}."


def summed(row: Sequence[str]) -> tuple[str, ...]:
    """The row divided by its sum; what rounding leaves goes to its largest probability."""
    numbers = [number_of(text) for text in row]
    known = [number for number in numbers if number is not None and number >= 0]
    total = sum(known, Decimal())
    if len(known) < len(row) or total == 0:
        return tuple(row)
    shares = [(number / total).quantize(STEP, ROUND_DOWN) for number in known]
    largest = shares.index(max(shares))
    shares[largest] += 1 - sum(shares, Decimal())
    return tuple(plain(share) for share in shares)


def plain(number: Decimal | float) -> str:
    """A number without needless zeros and without an exponent."""
    text = f"{Decimal(str(number)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
