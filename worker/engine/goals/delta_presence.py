"""δ-presence: how likely it is that a person of the population is in the data."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from worker.engine.contracts.annotations import PopulationFile
from worker.engine.contracts.goal import Goal, Knowledge, Population, register
from worker.engine.errors import EngineError
from worker.engine.linkage.coverage import People
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Floats, Mask

REMARK = "Some people of the population file fit no released row: it is told that they are absent."


@register
class DeltaPresence(Goal):
    """Nobody can tell with much certainty that a person of the population is, or is not, in the data.

    For every released class, the share of the people of a population file fitting the class who are in the
    data – rows of the class, or persons, divided by fitting people – lies between the lower and the upper
    limit. The file holds the quasi-identifiers under the same names, ungeneralized, one row per person, and
    should contain the people of the data; it is declared by a path relative to the recipe and never leaves.
    A person fits a class when each released label covers the person's value.

    Classes are judged as they are released, each by itself: no class is condemned because somebody else is
    missing. A suppressed row that stays in the release fits everybody, so that people without a class of
    their own are judged with the suppressed rows. Where none stays, the release says of them for certain
    that they are absent; with a lower limit above zero the report remarks that there are such people.
    """

    slug = "delta-presence"
    title = "δ-presence"
    references = (
        "Nergiz, Atzori & Clifton (2007), Hiding the presence of individuals from shared databases",
    )

    lower: float = Field(
        0.0, ge=0, le=1, title="Lower limit", description="The smallest chance allowed to be in the data."
    )
    upper: float = Field(
        0.5, ge=0, le=1, title="Upper limit", description="The largest chance allowed to be in the data."
    )
    population: Annotated[str, PopulationFile()] = Field(
        min_length=1,
        title="Population file",
        description="A file with the same quasi-identifiers, ungeneralized, one row per person.",
    )
    _people: People | None = PrivateAttr(None)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(lower=0.1, upper=0.6, population="population.csv"),)

    @model_validator(mode="after")
    def _limits_in_order(self) -> Self:
        if self.lower > self.upper:
            raise ValueError("The lower limit must not be above the upper limit.")
        return self

    @property
    def required(self) -> Any:
        return [self.lower, self.upper]

    def bound(self, statistics: Knowledge, population: Population) -> Self:
        told = self.model_copy()
        table = population(self.population, statistics.quasi_identifiers)
        told._people = People.of(table, statistics)
        return told

    def violating(self, classes: Classes) -> Mask:
        shares = self._shares(classes)
        return np.asarray((shares < self.lower) | (shares > self.upper))

    def achieved(self, classes: Classes) -> Any:
        """The smallest and the largest share; above 1 when a class fits fewer people than it has rows."""
        if not classes.number:
            return None
        shares = self._shares(classes)
        return [float(shares.min()), float(shares.max())]

    def remark(self, classes: Classes) -> str:
        suppressed_stay = bool((classes.ids < 0).any())
        if not self.lower or suppressed_stay or not classes.number:
            return ""
        people = self._known()
        fits = np.zeros(len(people.table), bool)
        people.inside(classes, fits)
        return "" if fits.all() else REMARK

    def describe(self) -> str:
        return (
            f"Of the people of the population file who fit a class, a share of {self.lower:g} to "
            f"{self.upper:g} is in the data, in every class."
        )

    def _shares(self, classes: Classes) -> Floats:
        """The share in each class."""
        shares: Floats = classes.sizes / np.maximum(self._known().inside(classes), 0.5)
        return shares

    def _known(self) -> People:
        if self._people is None:
            text = "population: the population file was not read. Give it beside the data."
            raise EngineError("no-population-file", text, param="population")
        return self._people
