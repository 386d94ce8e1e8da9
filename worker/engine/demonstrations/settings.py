"""What an attack is replayed with: how many people, questions, how much noise, how much budget."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field, model_validator

from worker.engine.contracts.annotations import LogScale, Unit
from worker.engine.contracts.parametric import Parametric
from worker.engine.dp.parameters import Epsilon


class AttackSettings(Parametric):
    """How the attacks are replayed."""

    slug = "attacks"
    title = "Attacks on answers"

    few: Annotated[int, Unit("people")] = Field(
        8, ge=4, le=10, title="People, every question",
        description="Every possible question is asked about them: one more person doubles their number.",
    )  # fmt: skip
    people: Annotated[int, Unit("people")] = Field(
        48, ge=16, le=80, title="People, random questions",
        description="For the other attacks.",
    )  # fmt: skip
    questions: Annotated[int, Unit("per person")] = Field(
        8, ge=1, le=10, title="Random questions",
        description="So many questions for each person are asked at most.",
    )  # fmt: skip
    bound: Annotated[int, Unit("rows")] = Field(
        1, ge=1, le=10, title="Bounded noise",
        description="Whole numbers up to this size, up or down, are added to each exact answer.",
    )  # fmt: skip
    budget: Annotated[Epsilon, LogScale(-2, 1)] = Field(
        Decimal(1), le=10, title="Budget ε", description="What all answers of our desk may cost together."
    )
    price: Annotated[Epsilon, LogScale(-2, 1)] = Field(
        Decimal("0.25"), le=10, title="Price of one question ε",
        description="For repeated questions, and for noise that nobody counts.",
    )  # fmt: skip
    rounds: Annotated[int, Unit("times")] = Field(
        8, ge=1, le=20, title="Rounds", description="Each attack begins anew so often, with other people."
    )

    @model_validator(mode="after")
    def _affordable(self) -> Self:
        if self.price > self.budget:
            raise ValueError("A question must not cost more than the whole budget.")
        return self
