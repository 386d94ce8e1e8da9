"""Who is compared: rows the release was made from, rows that no step saw, and the made-up rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.contracts.measure import DoesNotApply
from worker.engine.contracts.scene import FEWEST_HELD_OUT, Outlook, Scene
from worker.engine.contracts.traces import ReleaseFamily
from worker.engine.nearest.cells import ORDERED, Cells, Scale, laid_out
from worker.engine.tables.column import SUPPRESSED, marks
from worker.engine.tables.kinds import RELEASED
from worker.engine.tables.questions import distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field, Table

WHO_ANSWERS = {
    ReleaseFamily.TRUTHFUL: "Its rows are those of people, kept or coarser: class sizes answer.",
    ReleaseFamily.PERTURBED: "Its rows are those of people, whose values moved: record linkage answers.",
    ReleaseFamily.TABLE: "The release has no rows: ε and δ answer.",
}
NONE_HELD_OUT = (
    "No rows were set aside before the release was made, so that nobody can tell what chance alone gives. A "
    f"synthetic step sets some aside unless its hold-out is 0 or would be less than {FEWEST_HELD_OUT} rows; "
    "for a release made elsewhere, name a file with people of the same sort who were not used."
)
TOO_FEW = f"Fewer than {FEWEST_HELD_OUT} rows were set aside: too few to tell what chance alone gives."
NO_ROWS = "The release has no rows."
NO_COLUMNS = "No column of the original leaves."
OTHER_VALUES = (
    "No released column has a value of the original: labels were put over the made-up ones, and nothing can "
    "be compared with the rows they were made from. Measure the file before that step."
)


def not_made_up(outlook: Outlook) -> str | None:
    """Why made-up rows are not the question; None where they are, or where nobody knows."""
    return None if outlook.traces is None else WHO_ANSWERS.get(outlook.traces.family)


def leaving(scene: Scene, wanted: Sequence[str] = ()) -> tuple[Field, ...]:
    """The columns that leave with values such as the original has: of those wanted, or of all."""
    after = scene.after.schema
    found = [
        field
        for field in scene.before.schema
        if field.role in RELEASED and field.name in after and after[field.name].role in RELEASED
        if not wanted or field.name in wanted
    ]
    if not found:
        raise DoesNotApply(NO_COLUMNS)
    alike = tuple(field for field in found if _alike(field, scene))
    if not alike:
        raise DoesNotApply(OTHER_VALUES)
    return alike


def _alike(field: Field, scene: Scene) -> bool:
    """Whether released values can be the original's: labels that a further step put over them never are."""
    original, released = (side.distinct(field.name) for side in (scene.before, scene.after))
    told = ~(released.missing | marks(released.arrow, frozenset({SUPPRESSED})))
    if field.kind in ORDERED:
        known = ~np.isnan(Scale(field.kind).numbers(released.arrow, released.missing))
    else:
        known = original.places_of(released) >= 0
    return not told.any() or bool(known[told].any())


def _training(scene: Scene) -> Statistics:
    """The rows that steps learnt from: all, unless some were set aside."""
    return scene.before if scene.held_out is None else scene.before.among(~scene.held_out)


@dataclass(frozen=True)
class Parties:
    """Statistics of all three, and the columns that all have."""

    scene: Scene
    training: Statistics
    hold_out: Statistics
    fields: tuple[Field, ...]

    @classmethod
    def of(cls, scene: Scene, file: str | None, columns: Sequence[str] = ()) -> Parties:
        """The hold-out is a file's, or what a step of the run set aside."""
        fields = leaving(scene, columns)
        if file is not None:
            people = scene.outside.auxiliary(file)
            known = tuple(field for field in fields if field.name in people.schema)
            if not known:
                raise DoesNotApply(NO_COLUMNS)
            return cls(scene, _training(scene), people, known)
        if scene.held_out is None or not scene.held_out.any():
            raise DoesNotApply(NONE_HELD_OUT)
        return cls(scene, _training(scene), scene.before.among(scene.held_out), fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns by name."""
        return tuple(field.name for field in self.fields)

    def cells(self, rows: int, released: int, alike: bool = True) -> tuple[Cells, Cells, Cells]:
        """Training rows, hold-out rows and released rows on one scale: at most so many, drawn at random.

        `alike` are the first two where the larger is cut to the size of the smaller.
        """
        hold_out = self._drawn(self.hold_out, "hold-out", rows)
        training = self._drawn(self.training, "training", hold_out.rows if alike else rows)
        if alike and training.rows < hold_out.rows:
            hold_out = self._drawn(self.hold_out, "hold-out", training.rows)
        if hold_out.rows < FEWEST_HELD_OUT:
            raise DoesNotApply(TOO_FEW)
        made_up = self._drawn(self.scene.after, "released", released)
        if not made_up.rows:
            raise DoesNotApply(NO_ROWS)
        original = (self.training, self.hold_out)
        for side in original:
            side.announce(distinct_of(field.name) for field in self.fields if field.kind in ORDERED)
        scales = [Scale.of(field, original) for field in self.fields]
        known, unknown, invented = laid_out((training, hold_out, made_up), self.names, scales)
        return known, unknown, invented

    def _drawn(self, side: Statistics, purpose: str, rows: int) -> Table:
        """Each side by draws of its own: a row's place in the release must not follow its original's."""
        return side.sample(self.names, rows, self.scene.source.for_step(f"nearest {purpose}"))
