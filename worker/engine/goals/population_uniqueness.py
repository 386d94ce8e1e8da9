"""Population uniqueness, estimated from the sample."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.goal import Goal, register
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Mask
from worker.engine.uniqueness.population_uniques import Histogram, asked, unique_share
from worker.engine.uniqueness.smallest_first import Tally, fewest, staying


@register
class PopulationUniqueness(Goal):
    """At most this share of the population is estimated to be unique and in reach of the release.

    From the sizes of the classes in the sample a model estimates how many people of the population are
    alone with their quasi-identifiers. *pitman*: Pitman's sampling formula by maximum likelihood, for small
    samples. *zayatz*: the chance that a unique of the sample is one of the population, for large samples.
    *snb*: the shifted negative binomial model. *dankar*: Pitman for samples of up to a tenth, else the lower
    of SNB and Zayatz.

    The population has as many people as the release has rows (or persons), divided by the sampling
    fraction. A release without uniques has an estimate of 0. A model that does not fit the sample gives no
    estimate, and the goal then does not hold while there are uniques. Unlike in ARX, the SNB model is
    solved from its published equations, whose second moment ARX multiplies where it should divide. When
    the estimate is too high, the smallest classes are suppressed until it is not.
    """

    slug = "population-uniqueness"
    title = "Population uniqueness"
    references = (
        "Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment",
        "Zayatz (1991), Estimation of the percent of unique population elements on a microdata file",
        "Chen & Keller-McNulty (1998), Estimation of identification disclosure risk in microdata",
        "Dankar, El Emam, Neisa & Roffey (2012), Estimating the re-identification risk of clinical data sets",
    )

    limit: float = Field(
        0.01, ge=0, le=1, title="Limit", description="The largest share of the population that may be unique."
    )
    model: Literal["pitman", "zayatz", "snb", "dankar"] = Field(
        "dankar", title="Model", description="How the population is estimated from the sample."
    )
    sampling_fraction: Annotated[float, Unit("share of the population")] = Field(
        0.1,
        gt=0,
        le=1,
        title="Sampling fraction",
        description="Which share of the population is in the data. 1 means everybody is.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(limit=0.01, sampling_fraction=0.05),
            cls(limit=0.01, model="zayatz", sampling_fraction=0.3),
            cls(limit=0.01, model="snb", sampling_fraction=0.3),
        )

    @property
    def required(self) -> Any:
        return self.limit

    @property
    def by_sizes(self) -> bool:
        return True

    def violating(self, classes: Classes) -> Mask:
        return np.zeros(classes.number, bool)

    def met(self, kept: Classes) -> bool:
        return not kept.number or self._estimate(Tally.of(kept.sizes)) <= self.limit

    def spared(self, kept: Classes) -> Mask:
        tally = Tally.of(kept.sizes)
        models = asked(self.model, self.sampling_fraction)
        return staying(kept, tally, min(self._fewest(tally, model) for model in models))

    def achieved(self, classes: Classes) -> Any:
        estimate = self._estimate(Tally.of(classes.sizes)) if classes.number else math.nan
        return None if math.isnan(estimate) else estimate

    def describe(self) -> str:
        return (
            f"At most a share of {self.limit:g} of the population is estimated to be unique ({self.model}, "
            f"sampling fraction {self.sampling_fraction:g})."
        )

    def _fewest(self, tally: Tally, model: str) -> int:
        """How many of the smallest classes must go for one model.

        A model stops fitting when few uniques are left, so no estimate is first taken for a low one;
        otherwise all uniques would be given up where the estimate was low enough long before.
        """
        number = fewest(tally, lambda left: not self._estimate(left, model) > self.limit)
        if number == tally.classes or self._estimate(tally.without(number), model) <= self.limit:
            return number
        return fewest(tally, lambda left: self._estimate(left, model) <= self.limit)

    def _estimate(self, tally: Tally, model: str | None = None) -> float:
        """The share of the population that is unique; NaN when there are uniques but no estimate."""
        found = Histogram(tally.sizes, tally.counts, self.sampling_fraction)
        return unique_share(found, model or self.model)
