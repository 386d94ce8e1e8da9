"""A question to the data: what is asked, of which rows, at what price. Pure: no data, no sampler.

`canonical` recognises the same question in another spelling, `auditor.refusals` says why a question cannot
be answered, `deriving.derived` what it costs and how exact the answer will be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, LogScale, Unit
from worker.engine.contracts.parametric import Parametric
from worker.engine.contracts.privacy import Spend
from worker.engine.dp.cells import OTHER, Choice
from worker.engine.dp.conditions import Condition
from worker.engine.dp.parameters import Epsilon
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import RELEASED

Ask = Literal[
    "count",
    "sum",
    "mean",
    "variance",
    "minimum",
    "maximum",
    "median",
    "quantile",
    "histogram",
    "most-common",
    "top-k",
]
OF_NUMBERS = frozenset({"sum", "mean", "variance", "minimum", "maximum", "median", "quantile"})
OF_CELLS = frozenset({"histogram", "most-common", "top-k"})
SELECTING = frozenset({"minimum", "maximum", "median", "quantile", "most-common", "top-k"})
"""Answers chosen among candidates instead of counted."""
RANKED = SELECTING - OF_CELLS
MEASURING = frozenset({"sum", "mean", "variance"})
TITLES = {
    "count": "How many rows",
    "sum": "The sum of",
    "mean": "The mean of",
    "variance": "The variance of",
    "minimum": "The lowest values of",
    "maximum": "The highest values of",
    "median": "The median of",
    "quantile": "A quantile of",
    "histogram": "How many rows per cell of",
    "most-common": "The most common value of",
    "top-k": "The most common values of",
}
ANSWER, ERROR, EXACT = "answer", "error95", "exact"
"""The columns of an answer beside those that name it."""
SHARES = {"median": Decimal("0.5")}


class Question(Parametric):
    """What somebody wants to know, and how much may be spent on it."""

    ask: Ask = Field("count", title="Question", description="What is wanted.")
    column: Annotated[str | None, Columns(role=RELEASED)] = Field(
        None, title="Column", description="What it is asked about; a count needs none."
    )
    by: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        (), max_length=3, title="For each", description="One answer per cell of these declared columns."
    )
    where: tuple[Condition, ...] = Field(
        (),
        max_length=10,
        title="Only rows where",
        description="Conditions on declared columns; all must hold.",
    )
    share: Decimal = Field(
        Decimal("0.5"),
        gt=0,
        lt=1,
        decimal_places=4,
        title="Share",
        description="For a quantile: the share of the rows below it.",
    )
    extreme: Decimal = Field(
        Decimal("0.01"),
        gt=0,
        lt=Decimal("0.5"),
        decimal_places=4,
        title="Extreme share",
        description="Lowest and highest values are this quantile and its mirror: the true ones belong to one "
        "person, and no noise of bounded size hides whether that person is there.",
    )
    top: int = Field(3, ge=1, le=20, title="How many", description="For the most common values.")
    epsilon: Annotated[Epsilon, LogScale(-3, 1)] = Field(
        Decimal("0.1"), title="Privacy loss ε", description="What the answer takes from the budget."
    )
    rows_per_person: Annotated[int, Unit("rows")] = Field(
        1, ge=1, le=1000, title="Rows per person", description="More rows of a person are left out at random."
    )
    other_cell: bool = Field(
        False,
        title="Any other value too",
        description="A cell, and a group, for rows whose value is none of those declared; otherwise they are "
        "not counted.",
    )
    on: Literal["data", "sample", "perturbed"] = Field(
        "data",
        title="Asked of",
        description="The data; or for comparison a random sample or a perturbed copy, as older remedies "
        "have it. The price is the same.",
    )
    sample_share: Decimal = Field(
        Decimal("0.1"), gt=0, lt=1, decimal_places=4, title="Share of the sample", description="Of the rows."
    )
    disturbance: Decimal = Field(
        Decimal("0.1"),
        gt=0,
        le=1,
        decimal_places=4,
        title="Perturbation",
        description="Numbers move by up to this share of their range; categories change with this chance.",
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.ask != "count" and self.column is None:
            raise ValueError("Name the column it is asked about.")
        if len(set(self.by)) < len(self.by) or self.column in self.by:
            raise ValueError("Name each column once.")
        return self

    def named_columns(self) -> tuple[tuple[str, str, Columns], ...]:
        """Also the columns of conditions."""
        wanted = Columns(role=RELEASED)
        return (*super().named_columns(), *(("where", one.column, wanted) for one in self.where))

    def spend(self) -> Spend:
        """The whole price, whatever it is asked of and into however many parts it falls."""
        return Spend.of(self.epsilon)

    @property
    def quantile(self) -> Decimal:
        """The share of rows below the answer, for questions about order."""
        fixed = {"median": Decimal("0.5"), "minimum": self.extreme, "maximum": 1 - self.extreme}
        return fixed.get(self.ask, self.share)

    @property
    def counted_column(self) -> str | None:
        """The column the question is about; a count has none, even when one is named."""
        return None if self.ask == "count" else self.column

    @property
    def choice(self) -> Choice:
        """Which cells its columns have beside those declared."""
        return Choice(other=self.has_other_cell)

    @property
    def has_other_cell(self) -> bool:
        """Whether any other value is counted; without cells and groups there is nowhere to."""
        return self.other_cell and (self.ask in OF_CELLS or bool(self.by))

    def words(self) -> str:
        """The question as a sentence."""
        said = TITLES[self.ask] + (f" {self.column}" if self.counted_column else "")
        if self.ask == "quantile":
            said = f"The {self.share.normalize():f} quantile of {self.column}"
        if self.ask in ("minimum", "maximum"):
            said += f" (the {self.quantile.normalize():f} quantile)"
        if self.ask == "top-k":
            said = f"The {self.top} most common values of {self.column}"
        said += f", for each {' × '.join(self.by)}" if self.by else ""
        said += f", with {OTHER}" if self.has_other_cell else ""
        said += f", where {' and '.join(one.describe() for one in self.where)}" if self.where else ""
        return said + {"data": "", "sample": ", of a sample", "perturbed": ", of a perturbed copy"}[self.on]


def canonical(question: Question, declared: Mapping[str, Declaration] = MappingProxyType({})) -> str:
    """One spelling for questions that mean the same at the same price; irrelevant parameters are left out.

    What an older question did not have is left out where it is not asked for: its answer is found again.
    """
    told: dict[str, Any] = {
        "ask": "quantile" if question.ask in ("median", "minimum", "maximum") else question.ask,
        "column": question.counted_column,
        "by": sorted(question.by),
        "where": _conditions(question.where, declared),
        "epsilon_micro": question.spend().epsilon_micro,
        "rows_per_person": question.rows_per_person,
        "on": question.on,
    }
    if told["ask"] == "quantile":
        told["share"] = f"{question.quantile.normalize():f}"
    if question.ask == "top-k":
        told["top"] = question.top
    if question.has_other_cell:
        told["other_cell"] = True
    if question.on == "sample":
        told["sample_share"] = f"{question.sample_share.normalize():f}"
    if question.on == "perturbed":
        told["disturbance"] = f"{question.disturbance.normalize():f}"
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(question: Question) -> str:
    """The hash of the canonical form, to find a stored answer by."""
    return hashlib.sha256(canonical(question).encode()).hexdigest()


def _conditions(where: Sequence[Condition], declared: Mapping[str, Declaration]) -> list[Any]:
    """Their order does not matter, and saying one twice does not either."""
    spelled = [one.canonical(declared.get(one.column, Declaration()).kind) for one in where]
    distinct = {json.dumps(one, ensure_ascii=False): one for one in spelled}
    return [distinct[key] for key in sorted(distinct)]
