"""Bookmarked combinations of levels side by side: what differs, figure by figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.presenters.explorer import Lattice, Point

if TYPE_CHECKING:
    from stewardapp.models import Bookmark


@dataclass(frozen=True)
class Kept:
    """A bookmark and what is known of its combination."""

    bookmark: Bookmark
    point: Point


@dataclass(frozen=True)
class Line:
    """One figure of each of them; `alike` where it tells none from another."""

    title: str
    texts: tuple[str, ...]

    @property
    def alike(self) -> bool:
        """Whether all say the same."""
        return len(set(self.texts)) < 2


FIGURES = {
    "State": "word",
    "Highest risk": "risk_words",
    "Mean risk": "mean_risk_words",
    "Kept": "kept_words",
    "Score": "score_words",
    "Suppressed": "suppressed_words",
}


@dataclass(frozen=True)
class Shelf:
    """All bookmarks of a step."""

    kept: tuple[Kept, ...]
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, lattice: Lattice, bookmarks: Iterable[Bookmark]) -> Shelf:
        """Those whose combination the lattice has: risk, utility, loss and suppression, then the levels."""
        parsed = ((one, lattice.parsed(one.node)) for one in bookmarks)
        kept = tuple(Kept(one, lattice.point(node)) for one, node in parsed if node is not None)
        figures = [
            Line(title, tuple(str(getattr(one.point, name)) for one in kept))
            for title, name in FIGURES.items()
        ]
        levels = [
            Line(f"Level of {name}", tuple(str(one.point.node[place]) for one in kept))
            for place, name in enumerate(lattice.names)
        ]
        return cls(kept, (*figures, *levels))

    def note_of(self, point: Point) -> str | None:
        """What was noted of a combination; None where it is not bookmarked."""
        return next((one.bookmark.note for one in self.kept if one.point.key == point.key), None)
