"""Predicates from made-up rows that single out a person in the data."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from worker.engine.contracts.annotations import Unit
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
from worker.engine.nearest.neighbours import SECONDS_PER_PAIR
from worker.engine.nearest.parameters import HoldOut, LeavingColumns, MostAttacks, MostRows
from worker.engine.nearest.parties import Parties, not_made_up
from worker.engine.nearest.shares import Share

NOBODY = (
    "No combination of so many columns fits one released row alone, so that there is nothing to attack with."
)


@register
class SinglingOut(Measure):
    """How often what fits one made-up row and no other fits one person in the data and no other.

    The attacker takes a released row and a few columns at random and says what the row says: a text is the
    same, a number is at least or at most that, whichever is rarer. What fits one released row alone is an
    attack: it succeeds where it fits exactly one training row. The same attacks on as many hold-out rows are
    the control, because rare values single people out whether or not they were in the data. Guessing takes
    columns, values and signs at random.
    """

    slug = "singling-out"
    title = "Singling out"
    section = Section.ATTACK
    references = (
        "Giomi, Boenisch, Wehmeyer & Tasnádi (2023), A unified framework for quantifying privacy risk in "
        "synthetic data",
        "Cohen & Nissim (2020), Towards formalizing the GDPR's notion of singling out",
    )
    figures: ClassVar = FIGURES

    hold_out: HoldOut = None
    columns: LeavingColumns = ()
    width: Annotated[int, Unit("columns")] = Field(
        3, ge=1, le=20, title="Columns together", description="How many columns one attack names."
    )
    attacks: MostAttacks = 2_000
    rows: MostRows = 20_000

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.hold_out else not_made_up(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        rows, width = min(self.rows, outlook.rows), len(outlook.schema)
        reading = 4 * outlook.rows * width * SECONDS_PER_CELL
        return Effort(reading + 10 * rows * self.attacks * SECONDS_PER_PAIR, 48 * rows * width)

    def compare(self, scene: Scene) -> Found:
        from worker.engine.nearest.predicates import guessed, singling_out

        training, hold_out, released = Parties.of(scene, self.hold_out, self.columns).cells(
            self.rows, self.rows
        )
        draw = scene.source.stream("attacks", 0)
        attacks = singling_out(released, self.width, self.attacks, draw, scene.reporter)
        if not len(attacks):
            raise DoesNotApply(NOBODY)
        guesses = guessed(released, self.width, len(attacks), draw)
        success, control = (
            Share.of(int(attacks.single_out(rows, scene.reporter).sum()), len(attacks))
            for rows in (training, hold_out)
        )
        baseline = float(guesses.single_out(training, scene.reporter).mean())
        found = Attack(success, control, baseline, len(attacks))
        return Found(found.figures(), charts=(found.chart(self.slug, self.title),))
