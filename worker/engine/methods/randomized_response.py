"""Randomized response: the local model of differential privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.channels import Channel, Transitions
from worker.engine.contracts.chart import Chart
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Guarantee, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace
from worker.engine.dp import promises
from worker.engine.errors import EngineError
from worker.engine.randomization import response, transition
from worker.engine.randomization.alias import Alias
from worker.engine.randomization.categories import require_known
from worker.engine.randomization.change_charts import estimate_chart
from worker.engine.randomization.coupling import Coupling
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Codes, Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Tallies

CATEGORICAL = frozenset({Kind.CATEGORICAL, Kind.ORDINAL, Kind.BOOLEAN, Kind.TEXT, Kind.INTEGER})


@dataclass(frozen=True)
class ResponsePlan(Plan):
    """The categories (the last one is "no value"), how many of them are drawn from, and exact tables."""

    texts: tuple[str, ...] = ("",)
    drawn: int = 0
    design: response.Design | None = None
    alias: Alias | None = None
    coupling: Coupling | None = None

    @property
    def missing(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which categories stand for "no value"."""
        return np.array([text == "" for text in self.texts], dtype=bool)


def _promise(epsilon: float) -> str:
    said = promises.randomized(epsilon)
    return f"{said[:1].upper()}{said[1:]}, with ε = {epsilon:g}."


@register
class RandomizedResponse(Method):
    """Answer truthfully with a known probability, else with another answer at random.

    With m categories the true one is reported with p = e^ε / (e^ε + m − 1) and each other one with
    q = (1 − p) / (m − 1). That protects every single cell, whoever looks at it: local differential privacy.
    The categories must be declared, because a list taken from the data would give rare ones away. Shares of
    the original answers are estimated without bias; the report shows the price of the local model beside
    what a central mechanism with the same ε would cost.
    """

    slug = "randomized-response"
    title = "Randomized response"
    family = Family.PERTURBATIVE
    tells_changes = False
    guarantee = Guarantee.LOCAL_DIFFERENTIAL_PRIVACY
    references = (
        "Warner (1965), Randomized response: a survey technique for eliminating evasive answer bias",
        "Kairouz, Bonawitz & Ramage (2016), Discrete distribution estimation under local privacy",
    )

    column: Annotated[str, Columns(kind=CATEGORICAL)] = Field(
        title="Column", description="The answers to protect."
    )
    epsilon: Annotated[Decimal | None, Unit("ε per answer")] = Field(
        Decimal(1), gt=0, le=20, decimal_places=6, title="Epsilon", description="Smaller protects more."
    )
    keep: Annotated[float | None, Unit("0 to 1")] = Field(
        None,
        gt=0,
        lt=1,
        title="Keep probability",
        description="How often the true answer is reported, instead of ε.",
    )
    categories: tuple[str, ...] = Field(
        (),
        title="Categories",
        description="Every possible answer. Empty: the declared categories of the column.",
    )
    missing: Literal["keep", "category"] = Field(
        "keep",
        title="Missing cells",
        description="Kept: it is not protected whether somebody answered. Category: no answer is an "
        "answer too.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(column="sex", categories=("female", "male")),
            cls(
                column="sex",
                categories=("female", "male", "other"),
                keep=0.75,
                epsilon=None,
                missing="category",
            ),
        )

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset(
                "Fair coin",
                "Half of the answers are true, the others random: ε is ln 3 for two answers.",
                {"keep": 0.75, "epsilon": None},
            ),
            Preset(
                "Strong",
                _promise(0.5),
                {"epsilon": "0.5"},
            ),
            Preset("Weak", _promise(3), {"epsilon": "3"}),
        )

    @model_validator(mode="before")
    @classmethod
    def _keep_instead(cls, data: Any) -> Any:
        """A keep probability alone leaves no room for the default ε."""
        if isinstance(data, dict) and data.get("keep") is not None and "epsilon" not in data:
            return {**data, "epsilon": None}
        return data

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.keep is None and self.epsilon is None:
            raise ValueError("Give ε or a keep probability.")
        if self.keep is not None and self.epsilon is not None:
            raise ValueError("Give either ε or a keep probability, not both.")
        if len(set(self.categories)) != len(self.categories) or "" in self.categories:
            raise ValueError("List each category once; a missing answer is not listed.")
        if self.categories and self.keep is not None and self.keep * len(self.categories) <= 1:
            raise ValueError(
                "The true answer must be likelier than any other one: raise the keep probability."
            )
        return self

    @property
    def drawn_column(self) -> str:
        return self.column

    def describe(self) -> str:
        how = f"ε = {self.epsilon}" if self.keep is None else f"keep probability {self.keep:g}"
        return f"Randomize the answers of {self.column} ({how})."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return (self.column,)

    def require_possible(
        self, schema: Schema, goals: Sequence[Goal], declared: Mapping[str, Declaration]
    ) -> None:
        super().require_possible(schema, goals, declared)
        listed, drawn = self._answers(declared.get(self.column, Declaration()))
        if len(listed) == 0 or drawn < 2:
            text = (
                "categories: list every possible answer, or declare the categories of the column. A list "
                "taken from the data would not be private."
            )
            raise EngineError("no-categories", text, param="categories")

    def _answers(self, said: Declaration) -> tuple[tuple[str, ...], int]:
        """The possible answers, and how many there are to draw from."""
        listed = self.categories or said.categories or ()
        return listed, len(listed) + (self.missing == "category")

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {self.column: Trace.PERTURBED}

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        listed, drawn = self._answers(statistics.declaration(self.column))
        texts = (*listed, "")
        weights = self._design(drawn).weights(drawn, len(texts))
        return {self.column: Transitions(texts, transition.probabilities(weights))}

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> ResponsePlan:
        self.require_values(statistics)
        listed, drawn = self._answers(statistics.declaration(self.column))
        require_known(statistics.counts((self.column,)), listed, "categories")
        design = self._design(drawn)
        texts = (*listed, "")
        weights = design.weights(drawn, len(texts))
        facts = {"column": self.column, "categories": list(texts[:drawn]), **design.facts()}
        facts["covers_missing"] = self.missing == "category"
        coupling = Coupling.of([weights], texts) if source.of_version else None
        if coupling:
            facts["draws"] = coupling.label(source, self.column)
        return ResponsePlan(facts, texts, drawn, design, Alias.of_weights(weights), coupling)

    def transform(self, chunk: Chunk, plan: ResponsePlan, source: Source) -> Chunk:
        from worker.engine.randomization import alias_kernel, coupling_kernel

        if plan.alias is None:
            return chunk
        column = chunk[self.column]
        rows_of = _positions(plan.texts, column)
        if plan.coupling:
            keys = plan.coupling.keys(source, self.column)
            fresh, released = coupling_kernel.drawn(plan.coupling, keys, column.codes, rows_of, chunk)
        else:
            given = (plan.alias, len(plan.texts), column.codes, rows_of, chunk, source, self.column)
            fresh, released = alias_kernel.drawn(*given)
        made = Column.of_domain(self.column, column.kind, fresh, plan.texts, plan.missing)
        return chunk.with_columns(made).tallied(released=released)

    def conclude(self, plan: ResponsePlan, tallies: Tallies) -> StepJson:
        released = tallies.get("released", np.zeros(len(plan.texts)))[: plan.drawn]
        if plan.design is None:
            return {}
        return {"released": [int(n) for n in released], **plan.design.estimates(released)}

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        p, q = float(facts["keep_probability"]), float(facts["other_probability"])
        said: tuple[str, ...] = (
            f"{self.column}: every answer was randomized; the true one was reported with probability "
            f"{p:.6g} and each other one with {q:.6g} (local differential privacy, ε = "
            f"{facts['local_epsilon']:.4g} per answer; it holds whoever looks, so no privacy budget is "
            "charged).",
            f"From a released share λ of n answers, (λ − {q:.6g}) / {p - q:.6g} estimates the original "
            f"share; its variance is λ(1 − λ) / (n · {(p - q) ** 2:.6g}).",
        )
        if "error95_local" in facts:
            said += (
                f"At 95 % these shares are within ± {facts['error95_local']:.3g} of the original ones; a "
                f"central mechanism with the same ε would be within ± {facts['error95_central']:.3g}.",
            )
        if self.missing == "keep":
            return (*said, "Whether somebody answered at all is not protected.")
        return said

    def charts(self, facts: StepJson) -> tuple[Chart, ...]:
        if "estimated_shares" not in facts:
            return ()
        rows = facts["answers"]
        counts = [share * rows for share in facts["estimated_shares"]]
        errors = [error * rows for error in facts["standard_errors"]]
        names = [name or "(no answer)" for name in facts["categories"]]
        return (estimate_chart(self.column, names, facts["released"], counts, errors),)

    def _design(self, drawn: int) -> response.Design:
        if self.keep is not None:
            if self.keep * drawn <= 1:
                text = (
                    "keep: the true answer must be likelier than any other one. Raise the keep probability."
                )
                raise EngineError("bad-parameter", text, param="keep")
            return response.of_keep(self.keep, drawn)
        return response.of_epsilon(self.epsilon or Decimal(1), drawn)


def _positions(texts: Sequence[str], column: Column) -> Codes:
    """Where each label of a column stands among the categories; a missing one stands last."""
    index = {text: i for i, text in enumerate(texts)}
    none = len(texts) - 1
    labels = zip(column.label_texts, column.missing.tolist(), strict=True)
    found = (none if gone else index.get(text, none) for text, gone in labels)
    return np.fromiter(found, np.int32, len(column.labels))
