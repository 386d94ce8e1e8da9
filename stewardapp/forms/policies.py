"""The form of a policy: its rows, edited as the goals of a recipe are, and what it says besides.

A row travels with a key of its own, so that its fields keep their names wherever it moves. Nothing here
knows the name of a measure: what can be demanded follows from the figures that measures declare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict

from stewardapp.access.verdict import Invalid
from stewardapp.domain.demands import (
    FAMILIES,
    MOST_ROWS,
    Demand,
    checked_bound,
    demandable,
    demands_of,
    offered,
    plain_parameters,
)
from stewardapp.domain.policy_presets import PolicyPreset
from stewardapp.forms.method_form import ParameterForm
from stewardapp.forms.parameter_fields import field_for
from stewardapp.forms.recipe_form import new_key
from stewardapp.models import Policy
from stewardapp.models.policy_row import figure_named, title_of
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Measure
from worker.engine.io.sent_text import whole_number

MICRO = 1_000_000
ROW = "row"
HUNDRED = Decimal(100)
DIRECTIONS = {"low": "at most", "high": "at least"}


class PolicyForm(forms.Form):
    """What a policy says besides its rows; shown is the policy in force."""

    maximum_epsilon = forms.DecimalField(
        label="Largest ε of a release",
        min_value=0,
        max_value=1000,
        decimal_places=6,
        help_text="Privacy loss of differentially private steps.",
    )
    maximum_local_epsilon = forms.DecimalField(
        label="Largest local ε of a column",
        required=False,
        min_value=0,
        max_value=1000,
        decimal_places=4,
        help_text="Of cells that were randomized, added up over what is out. Empty: no bound.",
    )
    reviewers = forms.TypedChoiceField(
        choices=[(1, "1"), (2, "2"), (3, "3")], coerce=int, label="Independent reviewers"
    )
    retention_days = forms.IntegerField(
        label="Days raw data are kept", min_value=1, max_value=3650, help_text="After the last release."
    )
    require_second_factor = forms.BooleanField(required=False, label="Reviewers need a second factor")
    replaces = forms.IntegerField(widget=forms.HiddenInput)

    @classmethod
    def of(cls, policy: Policy) -> PolicyForm:
        """A form that shows the policy in force."""
        return cls(initial=shown(policy))

    @classmethod
    def begun_with(cls, preset: PolicyPreset, policy: Policy) -> PolicyForm:
        """A form that shows a preset in place of the policy in force; what it does not speak of stays."""
        told = ("maximum_epsilon", "maximum_local_epsilon", "reviewers", "retention_days")
        return cls(initial={**shown(policy), **{name: getattr(preset, name) for name in told}})

    def unjudged(self) -> PolicyForm:
        """The same values without errors."""
        return PolicyForm(initial={bound.name: bound.data for bound in self})

    def revision(self) -> dict[str, Any]:
        """The typed values in the units of the record, and the version the form was filled from."""
        values = dict(self.cleaned_data)
        values["maximum_epsilon_micro"] = int(values.pop("maximum_epsilon") * MICRO)
        return values


def shown(policy: Policy) -> dict[str, object]:
    """A policy in the units of the form."""
    return {
        "maximum_epsilon": plain(Decimal(policy.maximum_epsilon_micro) / MICRO),
        "maximum_local_epsilon": plain_or_none(policy.maximum_local_epsilon),
        "reviewers": policy.reviewers,
        "retention_days": policy.retention_days,
        "require_second_factor": policy.require_second_factor,
        "replaces": policy.version,
    }


def plain_or_none(value: Decimal | None) -> str | None:
    """A bound, where there is one."""
    return None if value is None else plain(value)


def plain(value: Decimal) -> str:
    """A decimal without an exponent and without trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class RowForm(forms.Form):
    """One row: which figure of its measure, how much, of which releases. Shares are written in percent."""

    figure = forms.ChoiceField(help_text="Which way is better decides whether it is a least or a most.")
    bound = forms.DecimalField(max_digits=14, decimal_places=4, help_text="A share in %.")
    family = forms.ChoiceField(
        label="Of releases whose rows are",
        choices=[(one, one) for one in FAMILIES],
        help_text="The steps of a release decide it. Of any other release this row does not apply.",
    )
    excusable = forms.BooleanField(
        required=False,
        label="A stated reason excuses it",
        help_text="A release that misses this bound can be submitted with a reason that reviewers read.",
    )

    def __init__(self, *args: Any, contract: type[Measure], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.contract = contract
        self.fields["figure"].choices = [  # type: ignore[attr-defined]
            (address(figure, part), option(figure, part)) for figure, part in offered(contract)
        ]

    def clean(self) -> None:
        """The bound has to lie in the range of the figure."""
        super().clean()
        cleaned = self.cleaned_data
        figure = figure_named(self.contract, cleaned.get("figure", "").partition("/")[0])
        if figure is not None and cleaned.get("bound") is not None:
            try:
                cleaned["bound"] = checked_bound(figure, in_unit(figure, cleaned["bound"]))
            except Invalid as refused:
                self.add_error("bound", refused.reason)


def address(figure: Figure, part: str) -> str:
    """What a choice of figure says when it is sent."""
    return f"{figure.name}/{part}" if part else figure.name


def option(figure: Figure, part: str) -> str:
    """A figure in the list of those that can be demanded: Highest risk, in %, at most."""
    unit = ", in %" if figure.unit == "share" else ""
    return f"{title_of(figure, part)}{unit}, {DIRECTIONS[figure.better]}"


def in_unit(figure: Figure, typed: Decimal) -> Decimal:
    """A bound as it was typed, as it is kept."""
    return typed / HUNDRED if figure.unit == "share" else typed


def typed(figure: Figure | None, bound: Decimal) -> str:
    """A bound as it is kept, as it is typed."""
    return plain(bound * HUNDRED if figure is not None and figure.unit == "share" else bound)


@dataclass
class RowItem:
    """One row on the page; without forms when this installation does not know its measure."""

    slug: str
    key: str
    form: RowForm | None
    params: ParameterForm | None
    fresh: bool = False

    @property
    def token(self) -> str:
        """What the hidden input of the row says."""
        return f"{self.key}:{self.slug}"

    @property
    def title(self) -> str:
        """What is measured."""
        contract = demandable().get(self.slug)
        return contract.title if contract else self.slug

    @property
    def explanations(self) -> list[Figure]:
        """How to read each figure that the row can be about."""
        contract = demandable().get(self.slug)
        found = [figure for figure, _ in offered(contract)] if contract else []
        return list(dict.fromkeys(found))

    def is_valid(self) -> bool:
        """Whether the row can be kept; both forms are asked, so that all errors show at once."""
        judged = [form is not None and form.is_valid() for form in (self.form, self.params)]
        return all(judged)

    def demand(self) -> Demand:
        """The valid row."""
        if self.form is None or self.params is None:
            raise ValueError("the row is not known")
        said = self.form.cleaned_data
        figure, _, part = said["figure"].partition("/")
        told = self.params.as_params()
        params = {name: told[name] for name in self.params.fields}
        return Demand(
            self.slug, figure, said["bound"], part, params, said["family"], excusable=said["excusable"]
        )


@dataclass
class RowsForm:
    """All rows of a policy, in their order."""

    items: list[RowItem] = field(default_factory=list)
    failure: str = ""

    @classmethod
    def of(cls, policy: Policy) -> RowsForm:
        """The rows of the policy in force."""
        return cls.showing(demands_of(policy))

    @classmethod
    def showing(cls, demands: Iterable[Demand]) -> RowsForm:
        """Rows nobody has changed yet."""
        return cls([stored(demand) for demand in demands])

    @classmethod
    def sent(cls, data: QueryDict) -> RowsForm:
        """The rows somebody sent, in the order they were sent."""
        tokens = (token.partition(":") for token in data.getlist(ROW)[:MOST_ROWS])
        return cls([judged(key, slug, data) for key, _, slug in tokens if key.isalnum()])

    def is_valid(self) -> bool:
        """Whether every row is right."""
        found = [item.is_valid() for item in self.items]
        return all(found)

    def demands(self) -> list[Demand]:
        """The valid rows."""
        return [item.demand() for item in self.items]

    def rearranged(self, command: str) -> RowsForm:
        """The same values, unjudged, after `add:<measure>`, `remove:<key>`, `up:<key>` or `down:<key>`."""
        verb, _, rest = command.partition(":")
        items = [unjudged(item) for item in self.items]
        if verb == "add" and rest in demandable():
            return RowsForm([*items, blank(rest, new_key(), fresh=True)])
        return RowsForm(MOVES[verb](items, rest) if verb in MOVES else items)

    def refused(self, refusal: Invalid) -> None:
        """Show what an action said of the rows, beside the row it is about."""
        place, _, param = refusal.param.removeprefix("rows[").partition("].")
        number = whole_number(place)
        item = self.items[number] if number is not None else None
        if item is not None and item.form is not None:
            item.form.add_error(param if param in item.form.fields else None, refusal.reason)
        else:
            self.failure = refusal.reason


def params_form(slug: str) -> type[ParameterForm]:
    """The form of what a policy may say of a measure."""
    contract = demandable()[slug]
    drawn = {name: field_for(name, contract.model_fields[name], ()) for name in plain_parameters(contract)}
    return type(f"{contract.__name__}PolicyForm", (ParameterForm,), {**drawn, "contract": contract})


def blank(slug: str, key: str, *, fresh: bool = False) -> RowItem:
    """A row with the defaults of its measure, or one that nobody knows."""
    contract = demandable().get(slug)
    if contract is None:
        return RowItem(slug, key, None, None, fresh)
    return RowItem(slug, key, RowForm(contract=contract, prefix=key), params_form(slug)(prefix=key), fresh)


def judged(key: str, slug: str, data: QueryDict) -> RowItem:
    """A row somebody sent."""
    contract = demandable().get(slug)
    if contract is None:
        return RowItem(slug, key, None, None)
    row = RowForm(data, contract=contract, prefix=key)
    return RowItem(slug, key, row, params_form(slug)(data, prefix=key))


def stored(demand: Demand) -> RowItem:
    """A row of a policy."""
    item = blank(demand.measure, new_key())
    contract = demandable().get(demand.measure)
    if contract is None or item.form is None or item.params is None:
        return item
    item.form.initial = {
        "figure": f"{demand.figure}/{demand.part}" if demand.part else demand.figure,
        "bound": typed(figure_named(contract, demand.figure), demand.bound),
        "family": demand.family,
        "excusable": demand.excusable,
    }
    fields = item.params.fields
    known = {name: value for name, value in demand.params.items() if name in fields}
    item.params.initial = {name: fields[name].prepare_value(value) for name, value in known.items()}
    return item


def unjudged(item: RowItem) -> RowItem:
    """The row with the values as they were typed, without errors."""
    same = blank(item.slug, item.key)
    for old, new in ((item.form, same.form), (item.params, same.params)):
        if old is not None and new is not None:
            new.initial = {bound.name: bound.data for bound in old}
    return same


def removed(items: list[RowItem], key: str) -> list[RowItem]:
    """The rows without one."""
    return [item for item in items if item.key != key]


def moved_up(items: list[RowItem], key: str) -> list[RowItem]:
    """The rows with one exchanged with the one before it."""
    at = next((place for place, item in enumerate(items) if item.key == key), 0)
    if at:
        items[at - 1], items[at] = items[at], items[at - 1]
    return items


def moved_down(items: list[RowItem], key: str) -> list[RowItem]:
    """The rows with one exchanged with the one after it."""
    return moved_up(items[::-1], key)[::-1]


MOVES = {"remove": removed, "up": moved_up, "down": moved_down}


def choices() -> Sequence[tuple[str, str, str]]:
    """The measures that a row can be about, with a line about each."""
    return [(slug, one.title, one.in_short()) for slug, one in demandable().items()]
