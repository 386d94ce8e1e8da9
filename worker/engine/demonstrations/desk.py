"""A query desk on invented people: our questions, our prices, our samplers, our memory, one budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from worker.engine.contracts.privacy import Spend
from worker.engine.dp import auditor
from worker.engine.dp.answering import Asked, Drawer, Samplers, Tuples, answered
from worker.engine.dp.questions import Question, fingerprint
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Counts


@dataclass
class Desk:
    """Charged before the noise is drawn; an identical question is answered from memory; empty means no."""

    declared: Mapping[str, Declaration]
    budget: Spend
    draw: Drawer = field(default_factory=Samplers)
    spent: Spend = field(default_factory=Spend)
    refused: int = 0
    _stored: dict[str, Counts] = field(default_factory=dict)

    def ask(self, question: Question, rows: Tuples) -> Counts | None:
        """The answer, or None when the budget does not cover it."""
        known = self._stored.get(fingerprint(question))
        if known is not None:
            return known
        auditor.insist(question, self.declared)
        if not self._charged(question.spend()):
            return None
        lines = answered(Asked.of(question, self.declared), rows, self.draw)
        found = np.array([int(line.answer) for line in lines])
        self._stored[fingerprint(question)] = found
        return found

    def _charged(self, price: Spend) -> bool:
        if not (self.spent + price).within(self.budget):
            self.refused += 1
            return False
        self.spent += price
        return True
