"""The one table: what was measured, ours, the reference, the ratio, the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worker.engine.wording import thousands

HEADER = ("what", "ours", "reference", "measured against", "ratio", "bound", "ok")


@dataclass(frozen=True)
class Result:
    """One line. `bound` is the largest ratio allowed, `most` the largest figure; None where nothing is
    promised."""

    what: str
    ours: float
    reference: float
    against: str
    bound: float | None = None
    unit: str = "s"
    most: float | None = None

    @property
    def ratio(self) -> float:
        """Ours divided by the reference."""
        return self.ours / self.reference if self.reference else float("inf")

    @property
    def ok(self) -> bool:
        """Whether the bound holds."""
        within = self.bound is None or self.ratio <= self.bound
        return within and (self.most is None or self.ours <= self.most)

    def cells(self) -> tuple[str, ...]:
        """As it is printed."""
        bound = "" if self.bound is None else f"≤ {short(self.bound)}"
        bound = bound if self.most is None else f"≤ {self.most:g} {self.unit}".strip()
        verdict = "yes" if bound and self.ok else "NO" if bound else ""
        ours, reference = (f"{thousands(value)} {self.unit}".strip() for value in (self.ours, self.reference))
        return (self.what, ours, reference, self.against, short(self.ratio), bound, verdict)


def short(ratio: float) -> str:
    """A ratio; small ones as one part of many."""
    return f"1/{thousands(round(1 / ratio))}" if 0 < ratio < 0.01 else f"{ratio:.3g}"


def print_table(results: Sequence[Result], rows: int | None) -> None:
    """To standard output, aligned."""
    lines = [HEADER, *(result.cells() for result in results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    if rows is not None:
        print(f"{thousands(rows)} rows")
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
