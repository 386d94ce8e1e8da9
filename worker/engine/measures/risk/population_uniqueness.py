"""How many people are alone in the population, estimated from the sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import DoesNotApply, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.tables.kinds import Role
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.class_sizes import Sizes, sizes_of
from worker.engine.uniqueness.matching import KEYS, in_words, nothing_to_match
from worker.engine.uniqueness.population_uniques import Histogram, unique_share
from worker.engine.wording import percent

FITTED = {"pitman": "Pitman's model", "zayatz": "Zayatz's model", "snb": "the SNB model"}
FRACTIONS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
UNKNOWN = (
    "Nobody says which share of the population is in the data: tag a sampling weight, or give the sampling "
    "fraction."
)
LOST = "The release has no sampling weights, and no sampling fraction is given."


@register
class PopulationUniqueness(Measure):
    """Which share of the population is alone with its quasi-identifiers, estimated from the sample.

    A row that is unique in the data is matched for certain only where its person is unique in the population
    too. Three models estimate how many are, from the sizes of the classes: *pitman* (Pitman's sampling
    formula by maximum likelihood, for small samples), *zayatz* (the chance that a unique of the sample is one
    of the population) and *snb* (the shifted negative binomial model). *dankar* chooses: Pitman where at most
    a tenth of the population is in the data, otherwise the lower of Zayatz and SNB. A model that does not fit
    gives no figure. The population has as many people as the data have rows (or persons), divided by the
    sampling fraction; where none is given, the fraction is rows ÷ the sum of their weights.
    """

    slug = "population-uniqueness"
    title = "Population uniqueness"
    section = Section.RISK
    references = (
        "Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment",
        "Zayatz (1991), Estimation of the percent of unique population elements on a microdata file",
        "Chen & Keller-McNulty (1998), Estimation of identification disclosure risk in microdata",
        "Dankar, El Emam, Neisa & Roffey (2012), Estimating the re-identification risk of clinical data sets",
    )
    figures: ClassVar = (
        Figure(
            "unique_share",
            "Unique in the population",
            "The share of the population that the chosen model takes to be unique.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            public=True,
            headline=True,
        ),
        *(
            Figure(
                name, f"By {title}", f"The same share by {title}.", unit="share", better="low", public=True
            )
            for name, title in FITTED.items()
        ),
        Figure(
            "sample_unique_share",
            "Unique in the data",
            "Unique rows divided by rows.",
            unit="share",
            better="low",
            public=True,
        ),
        Figure(
            "sampling_fraction",
            "Sampling fraction",
            "The share of the population that is in the data.",
            unit="share",
            public=True,
        ),
        KEYS,
        Figure("rows", "Rows", "Rows that belong to a class.", unit="count", public=True),
    )

    model: Literal["dankar", "pitman", "zayatz", "snb"] = Field(
        "dankar", title="Model", description="How the population is estimated from the sample."
    )
    sampling_fraction: Annotated[float | None, Unit("share of the population")] = Field(
        None,
        gt=0,
        le=1,
        title="Sampling fraction",
        description="Which share of the population is in the data; 1 means everybody is. Left empty, the "
        "weights tell.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(sampling_fraction=0.05), cls(model="zayatz", sampling_fraction=0.3))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        if self.sampling_fraction is None and not outlook.schema.named(Role.WEIGHT):
            return UNKNOWN
        return nothing_to_match(outlook)

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (classes_of(schema),)

    def read(self, side: Side) -> Found:
        table = side.statistics.tuples(side.keys, persons=True, weights=True)
        fraction = self.sampling_fraction
        if fraction is None:
            if table.weights is None:
                raise DoesNotApply(LOST)
            fraction = min(table.rows / float(table.weights.sum()), 1.0) if table.rows else 1.0
        sizes = sizes_of(table, side.keys)
        if not sizes.classes:
            return Found({"keys": in_words(side), "rows": 0, "sampling_fraction": fraction})
        return Found(self._figures(sizes, fraction, side), (_curve(sizes, fraction),))

    def _figures(self, sizes: Sizes, fraction: float, side: Side) -> Figures:
        found = Histogram(sizes.values, sizes.numbers, fraction)
        return {
            "unique_share": _estimate(found, self.model),
            **{name: _estimate(found, name) for name in FITTED},
            "sample_unique_share": found.with_size(1) / found.rows,
            "sampling_fraction": fraction,
            "keys": in_words(side),
            "rows": sizes.rows,
        }


def _estimate(found: Histogram, model: str) -> float | None:
    share = unique_share(found, model)
    return None if math.isnan(share) else min(share, 1.0)


def _curve(sizes: Sizes, fraction: float) -> Chart:
    """What the models would say if the sample were a smaller or a larger part of the population."""
    series = []
    for model in ("dankar", *FITTED):
        points = {f: _estimate(Histogram(sizes.values, sizes.numbers, f), model) for f in FRACTIONS}
        known = {f: share for f, share in points.items() if share is not None}
        if known:
            series.append(Series(model, tuple(known), tuple(known.values())))
    return Chart(
        slug="by-sampling-fraction",
        title="Unique in the population by sampling fraction",
        kind="line",
        x=Axis("Sampling fraction", "", "percent"),
        y=Axis("Share of the population", "", "percent"),
        series=tuple(series),
        note=f"The data are taken to be {percent(fraction)} of the population. Where a point is missing, the "
        "model does not fit.",
    )
