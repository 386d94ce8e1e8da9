"""The one table: what was measured, ours, the reference, the ratio, the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEADER = ("what", "ours", "reference", "measured against", "ratio", "bound", "ok")


@dataclass(frozen=True)
class Result:
    """One line. `bound` is the largest ratio allowed; None where nothing is promised."""

    what: str
    ours: float
    reference: float
    against: str
    bound: float | None = None
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """Ours divided by the reference."""
        return self.ours / self.reference if self.reference else float("inf")

    @property
    def ok(self) -> bool:
        """Whether the bound holds."""
        return self.bound is None or self.ratio <= self.bound

    def cells(self) -> tuple[str, ...]:
        """As it is printed."""
        bound = "" if self.bound is None else f"≤ {self.bound:g}"
        verdict = "" if self.bound is None else "yes" if self.ok else "NO"
        ours, reference = (f"{value:,.3f} {self.unit}" for value in (self.ours, self.reference))
        return (self.what, ours, reference, self.against, f"{self.ratio:.2f}", bound, verdict)


def print_table(results: Sequence[Result], rows: int) -> None:
    """To standard output, aligned."""
    lines = [HEADER, *(result.cells() for result in results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    print(f"{rows:,} rows")
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
