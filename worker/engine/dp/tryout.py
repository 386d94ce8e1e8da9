"""Trying a question out on invented rows, made from the declarations alone, with pretended noise.

Nothing here has seen the data, so nothing is spent: it shows what an answer looks like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from worker.engine.dp.accuracy import Noise
from worker.engine.dp.answering import Asked, Line, answered
from worker.engine.dp.cells import decimal_of
from worker.engine.dp.deriving import Part
from worker.engine.dp.gathering import gathered
from worker.engine.dp.questions import Question
from worker.engine.randomness import Source, fresh_key
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

ROWS = 1000


class Pretence:
    """Noise of the same shape for data that are nobody's."""

    def __init__(self) -> None:
        self._generator = np.random.default_rng()

    def noisy(self, counts: Counts, noise: Noise) -> Counts:
        """Counts with discrete Laplace noise."""
        stop = -np.expm1(-1 / noise.scale)
        drawn = self._generator.geometric(stop, (2, len(counts)))
        return np.asarray(counts + drawn[0] - drawn[1])

    def best(self, scores: Sequence[int], part: Part) -> int:
        """The best score after exponential noise on each."""
        noise = self._generator.exponential(part.selection_scale, len(scores))
        return int(np.argmax(np.asarray(scores) + noise))


def invented(declared: Mapping[str, Declaration], names: Sequence[str], rows: int = ROWS) -> Table:
    """Rows whose values are drawn evenly from what is declared; a column without a declaration is missing."""
    generator = np.random.default_rng()
    columns = [_column(name, declared.get(name, Declaration()), rows, generator) for name in names]
    return Table(columns, 0, rows)


def tried(question: Question, declared: Mapping[str, Declaration], rows: int = ROWS) -> list[Line]:
    """What the answer to a question could look like, from invented rows."""
    names = list(dict.fromkeys(name for _, name, _ in question.named_columns()))
    asked = Asked.of(question, declared)
    table = invented(declared, names, rows)
    return answered(asked, gathered([table], asked, None, Source(fresh_key())), Pretence())


def _column(name: str, said: Declaration, rows: int, generator: np.random.Generator) -> Column:
    if said.categories:
        texts = generator.choice(np.array(said.categories, object), rows).tolist()
        return Column.of_texts(name, texts, said.kind or Kind.TEXT)
    if said.bounds is None or said.kind is Kind.DATE:
        return Column.of_texts(name, [""] * rows, said.kind or Kind.TEXT)
    low, high = (float(decimal_of(bound, name)) for bound in said.bounds)
    numbers = generator.uniform(low, high, rows)
    if said.kind is Kind.INTEGER:
        return Column.of_numbers(name, Kind.INTEGER, np.rint(numbers))
    return Column.of_numbers(name, Kind.DECIMAL, numbers)
