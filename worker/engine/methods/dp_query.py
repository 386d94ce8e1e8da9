"""One question to the data, answered with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Self

from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Forecast, Guarantee, Method, Tabulation, register
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.contracts.traces import Trace, gone
from worker.engine.dp import auditor, deriving
from worker.engine.dp.answering import Asked, Line, Samplers, answered
from worker.engine.dp.conditions import Condition
from worker.engine.dp.door import bounded_tuples
from worker.engine.dp.promises import in_short, promised
from worker.engine.dp.questions import (
    ANSWER,
    ERROR,
    EXACT,
    MEASURING,
    RANKED,
    SELECTING,
    Question,
    canonical,
)
from worker.engine.dp.telling import others_told, whose
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema, Table
from worker.engine.wording import thousands


@register
class DpQuery(Question, Method):
    """Ask how many, how much, in the middle, most common – and get an answer that hides every single person.

    The sensitivity of each question follows from what is declared of its columns, never from the data: from
    bounds for sums, means and quantiles, from categories or bins for counts by cell. Lowest and highest
    values are answered as extreme quantiles, because the true ones belong to one person. Groups that do not
    overlap cost what one of them costs.
    """

    slug = "dp-query"
    title = "Question with differential privacy"
    family = Family.STATISTICS
    guarantee = Guarantee.DIFFERENTIAL_PRIVACY
    tabulates = True
    references = (
        "Dwork & Roth (2014), The algorithmic foundations of differential privacy, §3",
        "McKenna & Sheldon (2020), Permute-and-flip: a new mechanism for differentially private selection",
        "Smith (2011), Privacy-preserving statistical estimation with optimal convergence rates",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        adults = Condition(column="age", op="at-least", values=("30",))
        ill = Condition(column="disease", op="in", values=("flu", "asthma"))
        return (
            cls(ask="count", where=(adults,)),
            cls(ask="histogram", column="disease", epsilon=Decimal("0.5")),
            cls(ask="mean", column="income", by=("disease",), epsilon=Decimal(1)),
            cls(ask="variance", column="visits", where=(ill,)),
            cls(ask="sum", column="visits", on="sample"),
            cls(ask="median", column="income", on="perturbed", epsilon=Decimal(1)),
            cls(ask="maximum", column="visits", rows_per_person=3),
            cls(ask="top-k", column="disease", top=2, on="perturbed"),
            cls(ask="histogram", column="disease", other_cell=True),
        )

    def cost(self) -> Spend:
        return self.spend()

    def describe(self) -> str:
        epsilon = self.cost().epsilon.normalize()
        return f"{self.words()}, with differential privacy at ε = {epsilon:f} ({in_short(self.cost())})."

    def check(self, schema: Schema) -> None:
        super().check(schema)
        for name in (*self.by, *([self.column] if self.column else [])):
            if name in (ANSWER, ERROR, EXACT):
                text = f"column: {name!r} is the name of a column of the answer. Rename it in the data."
                raise EngineError("reserved-name", text, param="column")

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return gone(schema)

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> Tabulation:
        auditor.insist(self, statistics.declared)
        asked = Asked.of(self, statistics.declared)
        report.stage("Counting")
        report.progress(0.05)
        tuples = bounded_tuples(statistics, asked, source)
        report.stage("Drawing the noise")
        report.progress(0.9)
        lines = answered(asked, tuples, Samplers())
        facts = {**self._facts(asked, statistics.declared), "unit": statistics.unit}
        return Tabulation(facts, _table(asked, lines, False), _table(asked, lines, True))

    def _facts(self, asked: Asked, declared: Mapping[str, Declaration]) -> StepJson:
        """Nothing here depends on the data."""
        question = self
        facts: dict[str, object] = {
            "question": self.words(),
            "canonical": canonical(question, declared),
            "mechanism": asked.found.mechanism,
            "parts": [
                {"what": part.what, "sensitivity": part.sensitivity, "epsilon": float(part.epsilon)}
                for part in asked.found.parts
            ],
            "explanation": list(asked.found.explanation),
            "rows_per_person": self.rows_per_person,
        }
        if self.ask in SELECTING:
            number = deriving.candidates(self, asked.scale, declared)
            facts["rank_error95"] = deriving.rank_error(asked.found.parts[0], number, self)
        if self.ask in RANKED:
            facts["rank_error95_evenly"] = deriving.evenly_error(asked.found.parts[0])
        return facts

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        said = [*facts["explanation"], whose(facts["unit"], self.rows_per_person)]
        said += promised(self.cost(), Protected(facts["unit"]))
        if self.ask in SELECTING:
            said.append(
                f"In 19 of 20 answers the value is within {thousands(facts['rank_error95'])} rows of "
                "the best."
            )
        if self.ask in RANKED:
            said.append(
                f"Where values lie evenly around it, within {thousands(facts['rank_error95_evenly'])} "
                "rows. error95 "
                "says this in values: it comes from values selected on either side, for half of ε; with too "
                "few rows it reaches to the bounds. Where values lie in lumps, the next may be farther off."
            )
        if self.ask in MEASURING:
            said.append("Numbers beyond the declared bounds count as the bound; missing ones do not count.")
        if self.ask in ("minimum", "maximum"):
            said.append(f"Lowest and highest are answered as quantiles ({self.extreme.normalize():f}).")
        if self.has_other_cell:
            said.append(others_told())
        if self.ask in SELECTING:  # of a quantile it was said above
            return tuple(said)
        return (*said, "error95 is the half-width of the 95 % interval that the noise alone causes.")

    def forecast(self, declared: Mapping[str, Declaration]) -> tuple[Forecast, ...]:
        auditor.insist(self, declared)
        return deriving.expected(self, declared)


def _table(asked: Asked, lines: Sequence[Line], exact: bool) -> Table:
    """One row per answer; the exact twin stays inside."""
    columns = [
        Column.of_texts(name, [line.labels[at] for line in lines], Kind.TEXT)
        for at, name in enumerate(asked.names)
    ]
    kind = Kind.TEXT if asked.question.ask in ("most-common", "top-k") else Kind.DECIMAL
    figures = {ANSWER: [line.answer for line in lines], ERROR: [line.error for line in lines]}
    if exact:
        figures = {EXACT: [line.exact for line in lines], **figures}
    told = [Column.of_texts(name, texts, kind) for name, texts in figures.items()]
    return Table([*columns, *told], 0, len(lines))
