"""Two lists of people brought together by the made-up rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.measure import (
    SECONDS_PER_CELL,
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    register,
)
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.nearest.attacks import FIGURES, Attack
from worker.engine.nearest.links import linked
from worker.engine.nearest.neighbours import SECONDS_PER_PAIR
from worker.engine.nearest.parameters import HoldOut, MostAttacks, MostReleased
from worker.engine.nearest.parties import Parties, not_made_up
from worker.engine.nearest.shares import Share
from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.tables.table import Field as ColumnField

ONE_COLUMN = (
    "Fewer than two columns leave, so that there are no two lists of different columns to bring together."
)


@register
class Linkability(Measure):
    """How often the made-up rows bring together what two lists know of the same person.

    One list holds some columns of a person in the data, another list other columns. For each the nearest
    released row is found, by Gower's distance. The lists are brought together where it is the same row; of
    several rows that are equally near each is taken as often. The same on hold-out rows is the control: what
    columns have to do with each other links strangers too. Guessing is one in so many rows as are released.
    """

    slug = "linkability"
    title = "Linkability"
    section = Section.ATTACK
    references = (
        "Giomi, Boenisch, Wehmeyer & Tasnádi (2023), A unified framework for quantifying privacy risk in "
        "synthetic data",
    )
    figures: ClassVar = FIGURES

    hold_out: HoldOut = None
    first: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        (),
        title="First list",
        description="Its columns. Empty: the first half of the quasi-identifiers, or of all where there are "
        "fewer than two.",
    )
    second: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        (), title="Second list", description="Its columns. Empty: the second half of the same."
    )
    attacks: MostAttacks = 2_000
    rows: MostReleased = 50_000

    @model_validator(mode="after")
    def _two_lists(self) -> Self:
        if bool(self.first) != bool(self.second):
            raise ValueError("Name the columns of both lists, or of neither.")
        if set(self.first) & set(self.second):
            raise ValueError("A column stands in one of the lists.")
        return self

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(first=("age", "sex"), second=("disease",), rows=10_000))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.hold_out else not_made_up(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        rows, width = min(self.rows, outlook.rows), len(outlook.schema)
        people = min(self.attacks, outlook.rows)
        reading = 4 * outlook.rows * width * SECONDS_PER_CELL
        return Effort(reading + 4 * rows * people * width * SECONDS_PER_PAIR, 24 * rows * width)

    def compare(self, scene: Scene) -> Found:
        parties = Parties.of(scene, self.hold_out, (*self.first, *self.second))
        training, hold_out, released = parties.cells(self.attacks, self.rows)
        one, other = self._lists(parties.fields)
        together = linked(training.beside(hold_out), released, one, other, scene.reporter)
        chances = np.split(together, [len(training)])
        success, control = (Share.of(float(one.sum()), len(one)) for one in chances)
        found = Attack(success, control, 1 / len(released), len(training))
        return Found(found.figures(), charts=(found.chart(self.slug, self.title),))

    def _lists(self, fields: Sequence[ColumnField]) -> tuple[list[int], list[int]]:
        """Which of the columns stand in each list."""
        if self.first:
            one, other = (
                [at for at, field in enumerate(fields) if field.name in names]
                for names in (self.first, self.second)
            )
        else:
            known = [at for at, field in enumerate(fields) if field.role is Role.QUASI_IDENTIFIER]
            known = known if len(known) > 1 else list(range(len(fields)))
            one, other = known[: len(known) // 2], known[len(known) // 2 :]
        if not one or not other:
            raise DoesNotApply(ONE_COLUMN)
        return one, other
