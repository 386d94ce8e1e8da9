"""Refuses questions that no mechanism covers, in terms of the question and of what is declared.

It never looks at data: a refusal that depended on them would be an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from worker.engine.dp.cells import declared_cells
from worker.engine.dp.conditions import ORDERED, Condition
from worker.engine.dp.deriving import candidates, derived, scale_for
from worker.engine.dp.meaning import meaning
from worker.engine.dp.questions import ANSWER, ERROR, EXACT, OF_CELLS, OF_NUMBERS, SELECTING, Question
from worker.engine.dp.scales import scale_of
from worker.engine.errors import EngineError
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import RELEASED, Kind, Role
from worker.engine.wording import thousands

MOST_GROUPS = 1000
MOST_FIGURES = 1_000_000
"""That many are drawn or judged while somebody waits, and for a try on the page."""


@dataclass(frozen=True)
class Refusal:
    """Which part of the question, and why."""

    param: str
    reason: str


Said = Mapping[str, Declaration]


def refusals(
    question: Question, declared: Said, roles: Mapping[str, Role] | None = None
) -> tuple[Refusal, ...]:
    """Everything that stands against a question; empty when it can be answered."""
    found: list[Refusal] = []
    for param, name, _ in question.named_columns():
        role = (roles or {}).get(name)
        if roles is not None and (role is None or role not in RELEASED):
            found.append(Refusal(param, f"{name!r} is no column that may be asked about."))
    for check in CHECKS:
        found += check(question, declared) if not found else []
    return tuple(found)


def insist(question: Question, declared: Said) -> None:
    """Raise the first refusal."""
    for one in refusals(question, declared):
        raise EngineError("question-refused", f"{one.param}: {one.reason}", param=one.param)


def _names(question: Question, declared: Said) -> list[Refusal]:  # noqa: ARG001
    for name in (*question.by, question.counted_column):
        if name in (ANSWER, ERROR, EXACT):
            param = "by" if name in question.by else "column"
            reason = (
                f"{name!r} is the name of a column of the answer. Ask the steward to rename it in the data."
            )
            return [Refusal(param, reason)]
    return []


def _usable(question: Question, declared: Said) -> list[Refusal]:
    """A declaration from which nothing can be made is refused here, before anything is paid for."""
    for param, name, _ in question.named_columns():
        said = declared.get(name, Declaration())
        try:
            declared_cells(name, said, question.choice)
            scale_of(name, said)
        except EngineError as error:
            return [Refusal(param, f"What is declared of {name!r} cannot be used: {error.message}")]
    return []


def _column(question: Question, declared: Said) -> list[Refusal]:
    name = question.counted_column
    if name is None:
        return []
    said = declared.get(name, Declaration())
    if question.ask in OF_NUMBERS:
        scale = scale_of(name, said)
        if scale is None or not scale.is_exact:
            return [Refusal("column", (TOO_FAR if scale else UNBOUNDED).format(name))]
    if question.ask in OF_CELLS and declared_cells(name, said, question.choice) is None:
        return [Refusal("column", UNNAMED.format(name))]
    return []


UNBOUNDED = (
    "Without a lowest and a highest possible value of {0!r} one person could change the answer by any "
    "amount, and no noise is enough. Ask the steward to declare bounds."
)
TOO_FAR = (
    "The bounds of {0!r} lie so far from 0 that neighbouring numbers cannot be told apart, and one person "
    "could change the answer by more than was declared. Ask the steward for bounds nearer to 0."
)
UNNAMED = (
    "The possible values of {0!r} are not declared. Naming them from the data would tell who is there. "
    "Ask the steward to declare categories, or bounds and a bin width."
)


def _top(question: Question, declared: Said) -> list[Refusal]:
    if question.ask != "top-k" or question.column is None:
        return []
    cells = declared_cells(question.column, declared.get(question.column, Declaration()), question.choice)
    if cells is not None and question.top >= len(cells):
        return [Refusal("top", "There are no more values than are asked for: ask for the histogram.")]
    return []


def _groups(question: Question, declared: Said) -> list[Refusal]:
    groups = 1
    for name in question.by:
        cells = declared_cells(name, declared.get(name, Declaration()), question.choice)
        if cells is None:
            return [Refusal("by", UNNAMED.format(name))]
        groups *= len(cells)
    if groups > MOST_GROUPS:
        return [Refusal("by", f"More than {thousands(MOST_GROUPS)} groups. Ask for fewer.")]
    if groups * _each(question, declared) > MOST_FIGURES:
        text = (
            f"That are more than {thousands(MOST_FIGURES)} cells or candidates. Ask for fewer groups or "
            "wider bins."
        )
        return [Refusal("by" if question.by else "column", text)]
    return []


def _each(question: Question, declared: Said) -> int:
    """How many cells are counted, or candidates are judged, in each group."""
    if question.ask not in OF_CELLS | SELECTING:
        return 1
    return candidates(question, scale_for(question, declared), declared)


def _conditions(question: Question, declared: Said) -> list[Refusal]:
    return [r for one in question.where for r in _condition(one, declared.get(one.column, Declaration()))]


def _condition(one: Condition, said: Declaration) -> list[Refusal]:
    name = one.column
    if one.wanted is not None and len(one.values) != one.wanted:
        values = "value" if one.wanted == 1 else "values"
        return [Refusal("where", f"Give {one.wanted} {values} for {name!r}.")]
    if one.op in ORDERED:
        fits = one.places(said.kind) is not None and said.bounds is not None
        return [] if fits else [Refusal("where", UNPLACED[said.kind is Kind.DATE].format(name))]
    if said.categories is None and said.bounds is None:
        reason = f"The possible values of {name!r} are not declared; a free text could single out a person."
        return [Refusal("where", reason)]
    if said.categories is not None and not _are_declared(one.values, said):
        return [Refusal("where", f"A value is not among the declared categories of {name!r}.")]
    return []


def _are_declared(values: Sequence[str], said: Declaration) -> bool:
    known = {meaning(one, said.kind) for one in said.categories or ()}
    return {meaning(one, said.kind) for one in values} <= known


UNPLACED = (
    "{0!r} is compared as a number here: that needs declared bounds, and numbers.",
    "{0!r} is compared as a day here: that needs declared bounds, and days such as 1990-12-31.",
)


def _price(question: Question, declared: Said) -> list[Refusal]:
    """A part must cost at least one unit of the ledger."""
    if min(part.epsilon_micro for part in derived(question, declared).parts) < 1:
        return [Refusal("epsilon", "Divided among its parts, this ε is finer than can be counted. Raise it.")]
    return []


CHECKS: tuple[Callable[[Question, Said], list[Refusal]], ...] = (
    _names,
    _usable,
    _column,
    _top,
    _groups,
    _conditions,
    _price,
)
