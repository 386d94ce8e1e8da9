"""The same question asked of the data, of a sample and of a perturbed copy, beside one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from stewardapp.models import Query, User
from stewardapp.presenters.answers import answer_table, printed_answer
from stewardapp.presenters.numbers import percent, thousands
from stewardapp.reads.answers import answers_of_one_price
from worker.engine.dp.questions import Question, canonical
from worker.engine.tables.declaration import Declaration

WAYS = ("data", "sample", "perturbed")
COUNTED = ("count", "sum", "histogram")


@dataclass(frozen=True)
class Comparison:
    """One column per way that was asked; `missing` are the ways that were not."""

    headers: list[str]
    labels: list[str]
    rows: list[tuple[list[str], list[str]]]
    scaled: bool
    missing: list[str]


def compared(query: Query, user: User) -> Comparison:
    """Every answer to this question that the person may see, the older remedies beside the data."""
    found = sorted(_ways(query, user), key=lambda one: WAYS.index(one[1].on))
    tables = [answer_table(one) for one, _ in found]
    rows = [
        (
            line["labels"],
            [_told(table.rows[at], asked) for table, (_, asked) in zip(tables, found, strict=True)],
        )
        for at, line in enumerate(tables[0].rows)
    ]
    asked = {one.on for _, one in found}
    return Comparison(
        headers=[_name(one) for _, one in found],
        labels=tables[0].labels,
        rows=rows,
        scaled=any(one.on == "sample" and one.ask in COUNTED for _, one in found),
        missing=[way for way in WAYS if way not in asked],
    )


def _ways(query: Query, user: User) -> Iterator[tuple[Query, Question]]:
    """Answers of the same desk to what differs at most in whom it was asked of."""
    declared = query.desk.declarations()
    wanted = _core(Question.of(query.question), declared)
    for one in answers_of_one_price(query, user):
        asked = Question.of(one.question)
        if one.is_shown and _core(asked, declared) == wanted:
            yield one, asked


def _core(question: Question, declared: Mapping[str, Declaration]) -> str:
    return canonical(question.model_copy(update={"on": "data"}), declared)


def _name(question: Question) -> str:
    if question.on == "sample":
        return f"A sample of {percent(float(question.sample_share))}"
    if question.on == "perturbed":
        return f"A copy perturbed by {percent(float(question.disturbance))}"
    return "The data"


def _told(row: dict[str, str], question: Question) -> str:
    """Answer and interval; counts and sums of a sample as they would be of all rows."""
    share = question.sample_share if question.on == "sample" and question.ask in COUNTED else Decimal(1)
    answer, error = (printed_answer(_scaled(row[name], share), question) for name in ("answer", "error"))
    return f"{answer} ± {error}" if error else answer


def _scaled(text: str, share: Decimal) -> str:
    if not text or share == 1:
        return text
    return thousands(round(Decimal(text) / share))
