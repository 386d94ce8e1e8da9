"""Query desks as pages print them: dictionary, budget, questions, what an answer is going to be like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stewardapp.access import rules
from stewardapp.access.amounts import epsilon_words
from stewardapp.access.verdict import Verdict
from stewardapp.domain.pricing import price_of_question
from stewardapp.models import Desk, Query, User
from stewardapp.presenters.answers import printed_answer
from stewardapp.presenters.budgets import Level, level
from stewardapp.reads.answers import has_answer
from worker.engine.contracts.method import Forecast
from worker.engine.dp.cells import Choice, declared_cells
from worker.engine.dp.deriving import derived, expected
from worker.engine.dp.questions import Question
from worker.engine.dp.scales import scale_of
from worker.engine.errors import EngineError
from worker.engine.tables.declaration import Declaration

SHOWN_VALUES = 12


@dataclass(frozen=True)
class Entry:
    """One column of the dictionary: only what was declared, never what the data hold."""

    name: str
    kind: str
    declared: str
    origin: str
    numbers: bool
    cells: int


def dictionary(desk: Desk) -> list[Entry]:
    """Every column that may be asked about."""
    said = desk.declarations()
    return [_entry(name, said.get(name, Declaration())) for name in desk.columns()]


def _entry(name: str, said: Declaration) -> Entry:
    try:
        cells, scale = declared_cells(name, said, Choice()), scale_of(name, said)
    except EngineError:  # whoever asks is told why
        cells, scale = None, None
    has_scale = scale is not None and scale.is_exact
    cell_count = len(cells) if cells else 0
    return Entry(name, said.kind or "", _declared(said), said.provenance, has_scale, cell_count)


def _declared(said: Declaration) -> str:
    if said.categories:
        told = ", ".join(said.categories[:SHOWN_VALUES])
        return told + (
            f" and {len(said.categories) - SHOWN_VALUES} more" if len(said.categories) > SHOWN_VALUES else ""
        )
    if said.bounds is None:
        return ""
    width = f", in bins of {said.bin_width}" if said.bin_width is not None else ""
    return f"from {said.bounds[0]} to {said.bounds[1]}{width}"


def purses(desk: Desk, user: User) -> list[tuple[str, Level]]:
    """Mine; for those who may know, also what the project and the population have left."""
    allotment, population = desk.allotment, desk.version.dataset.population
    shared = (("The project’s part", allotment), ("The whole population", population))
    told = shared if rules.may_see_purchases(desk.person(user)) else ()
    found = (("Your allowance", desk.allowance_of(user)), *told)
    return [(name, level(purse)) for name, purse in found if purse is not None]


@dataclass(frozen=True)
class QueryLine:
    """One question of a history."""

    query: Query
    price: str
    mine: bool


def history(queries: Iterable[Query], user: User) -> list[QueryLine]:
    """Questions, the latest first."""
    return [QueryLine(one, epsilon_words(one.epsilon_micro), one.asked_by_id == user.pk) for one in queries]


@dataclass(frozen=True)
class Preview:
    """What is known of an answer before anything is spent."""

    words: str
    mechanism: str
    explanation: tuple[str, ...]
    forecast: tuple[Forecast, ...]
    tried: dict[str, Any]
    price: str
    stored: bool
    may_buy: Verdict


def preview(desk: Desk, question: Question, user: User) -> Preview:
    """Sensitivity, price and error, and a try on rows invented from the dictionary."""
    from worker.engine.dp.tryout import tried

    said = desk.declarations()
    found = derived(question, said)
    stored = has_answer(desk, question, user)
    price = price_of_question(desk, question, user)
    may = rules.may_ask(desk.person(user), desk.facts(user))
    if may and not stored:
        may = rules.may_spend(price, desk.project.policy.facts())
    lines = [
        [*one.labels, *(printed_answer(text, question) for text in (one.answer, one.error, one.exact))]
        for one in tried(question, said)
    ]
    return Preview(
        words=question.words(),
        mechanism=found.mechanism,
        explanation=found.explanation,
        forecast=expected(question, said),
        tried={"headers": [*_labels(question), "With noise", "± error", "Without"], "rows": lines},
        price=epsilon_words(price.epsilon_micro),
        stored=stored,
        may_buy=may,
    )


def _labels(question: Question) -> list[str]:
    cells = [question.column or ""] if question.ask == "histogram" else []
    return [*question.by, *cells]
