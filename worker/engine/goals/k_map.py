"""k-map: enough people of a population file fit every class."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, PrivateAttr

from worker.engine.contracts.annotations import PopulationFile, Unit
from worker.engine.contracts.goal import Goal, Knowledge, Population, best_within, register
from worker.engine.errors import EngineError
from worker.engine.linkage.coverage import People
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Counts


@register
class KMap(Goal):
    """Every released class fits at least k people of a population file.

    Where k-anonymity asks for k rows in the data themselves, k-map asks for k people in a larger file that
    an attacker is assumed to have: a row that is unique in the data may still fit many people. The file
    holds the quasi-identifiers under the same names, ungeneralized, one row per person, and should contain
    the people of the data; it is declared by a path relative to the recipe and never leaves. A person fits
    a class when each released label covers the person's value: it is the value, a label on the value's way
    up the hierarchy, an interval that holds it, or `*`. A missing value is a value of its own: without a
    row in the hierarchy only the root covers it.
    """

    slug = "k-map"
    title = "k-map"
    references = ("Sweeney (2001), Computational disclosure control",)

    k: Annotated[int, Unit("people")] = Field(
        5, ge=1, le=1_000_000_000, title="k", description="How many people must fit every class."
    )
    population: Annotated[str, PopulationFile()] = Field(
        min_length=1,
        title="Population file",
        description="A file with the same quasi-identifiers, ungeneralized, one row per person.",
    )
    _people: People | None = PrivateAttr(None)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(k=6, population="population.csv"),)

    @property
    def monotone(self) -> bool:
        return True

    @property
    def required(self) -> Any:
        return self.k

    def bound(self, statistics: Knowledge, population: Population) -> Self:
        told = self.model_copy()
        table = population(self.population, statistics.quasi_identifiers)
        told._people = People.of(table, statistics)
        return told

    def violating(self, classes: Classes) -> Mask:
        return np.asarray(self._fitting(classes) < self.k)

    def achieved(self, classes: Classes) -> Any:
        return int(self._fitting(classes).min()) if classes.number else None

    def reachable(self, classes: Classes, limit: int) -> Any:
        return best_within(self._fitting(classes), classes.rows, limit, high=True)

    def describe(self) -> str:
        return f"Every class fits at least {self.k} people of the population file."

    def _fitting(self, classes: Classes) -> Counts:
        if self._people is None:
            text = "population: the population file was not read. Give it beside the data."
            raise EngineError("no-population-file", text, param="population")
        return self._people.inside(classes)
