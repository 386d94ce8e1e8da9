"""One demand of a policy: a figure of a measure, its bound, and the releases it is asked of."""

from __future__ import annotations

from typing import Any, TypedDict

from django.db import models

from stewardapp.access.facts import ANY_FAMILY, RowFacts
from stewardapp.models.base import Record
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.parameters import Params
from worker.engine.wording import percent

LONGEST_NAME = 64


class DemandJson(TypedDict):
    """A demand as a manifest and the log spell it."""

    measure: str
    params: Params
    figure: str
    part: str
    family: str
    excusable: bool
    bound: str


class PolicyRow(Record):
    """Written with its policy and never changed. Which columns it is about follows from their roles.

    Whether a bound is a least or a most follows from the figure: from which way is better.
    """

    policy = models.ForeignKey("stewardapp.Policy", on_delete=models.PROTECT, related_name="rows")
    position = models.PositiveSmallIntegerField()
    measure = models.CharField(max_length=LONGEST_NAME)
    params = models.JSONField(default=dict, blank=True)
    figure = models.CharField(max_length=LONGEST_NAME)
    # The threshold, of a figure that has one value for each.
    part = models.CharField(max_length=LONGEST_NAME, blank=True, default="")
    bound = models.DecimalField(max_digits=16, decimal_places=4)
    family = models.CharField(max_length=LONGEST_NAME, default=ANY_FAMILY)
    # Whether a release that misses it may be submitted with a stated reason.
    excusable = models.BooleanField(default=False)

    class Meta:
        ordering = ("policy_id", "position")
        constraints = [
            models.UniqueConstraint(fields=("policy", "position"), name="policy_row_position_once"),
            models.CheckConstraint(condition=models.Q(position__gte=1), name="policy_row_position_counts"),
        ]

    def __str__(self) -> str:
        return f"{self.policy} · row {self.position}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write a new row; a written one is never changed."""
        if not self._state.adding:
            raise TypeError("a row of a policy is never changed; revise the policy")
        super().save(*args, **kwargs)

    @property
    def instance(self) -> Measure | None:
        """The measure with these parameters, where this installation has it."""
        contract = catalogue.measures().get(self.measure)
        if contract is None or contract.problems(self.params):
            return None
        return contract.of(self.params)

    def facts(self) -> RowFacts:
        """The demand as the rules read it."""
        instance = self.instance
        figure = figure_named(type(instance), self.figure) if instance else None
        if instance is None or figure is None:
            return RowFacts("", self.figure, f"{self.measure}: {self.figure}", self.bound)
        return RowFacts(
            instance=instance.id,
            figure=f"{self.figure}/{self.part}" if self.part else self.figure,
            title=title_of(figure, self.part, told_of(instance, self.params)),
            bound=self.bound,
            unit=figure.unit,
            at_least=figure.better == "high",
            family=self.family,
            excusable=self.excusable,
        )

    def as_dict(self) -> DemandJson:
        """The demand as a manifest and the log spell it."""
        return {
            "measure": self.measure,
            "params": self.params,
            "figure": self.figure,
            "part": self.part,
            "family": self.family,
            "excusable": self.excusable,
            "bound": str(self.bound),
        }


def figure_named(contract: type[Measure], name: str) -> Figure | None:
    """What a measure declares of a figure."""
    return next((one for one in contract.figures if one.name == name), None)


def told_of(measure: Measure, params: Params) -> str:
    """What a policy tells a measure, in words; what is as usual is not spelled."""
    unusual = params.keys() & measure.model_dump(exclude_defaults=True).keys()
    told = (f"{one.title.lower()} {params[one.name]}" for one in measure.parameters() if one.name in unusual)
    return ", ".join(told)


def title_of(figure: Figure, part: str, told: str = "") -> str:
    """What a demand is about, in words."""
    of_part = f" ({_part_words(figure, part)})" if part else ""
    return f"{figure.title}{of_part}{f' ({told})' if told else ''}"


def _part_words(figure: Figure, part: str) -> str:
    """A threshold of shares is a share; parts of any other kind have names."""
    is_number = part.replace(".", "", 1).isdecimal()
    return percent(float(part)) if figure.unit == "share" and is_number else part
