"""The builders of hierarchies as forms: a few settings become a spec the engine builds from."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django import forms

from worker.engine.fields import NUMERIC, Kind

UNITS = ("day", "week", "month", "quarter", "year", "decade")


class BuilderForm(forms.Form):
    """One builder; `spec()` is what the engine reads."""

    builder: ClassVar[str]
    title: ClassVar[str]
    lead: ClassVar[str]

    def spec(self) -> dict[str, Any]:
        """The settings that were given, under the engine's names."""
        said = {name: value for name, value in self.settings().items() if value not in (None, "", [])}
        return {"builder": self.builder, **said}

    def settings(self) -> dict[str, Any]:
        """The settings, some perhaps empty."""
        return {name: number(value) for name, value in self.cleaned_data.items()}

    @classmethod
    def showing(cls, spec: Mapping[str, Any]) -> BuilderForm:
        """The form filled in with a spec of this builder."""
        return cls(initial=cls.initial_of(spec), prefix=cls.builder)

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, Any]:
        """How a spec looks in the fields."""
        return dict(spec)


class IntervalForm(BuilderForm):
    """Intervals of one width, then wider ones; what lies outside the bounds becomes one group."""

    builder, title = "interval", "Intervals"
    lead = "Half-open intervals [a, b[; each level joins a few of the level before."

    width = forms.DecimalField(
        min_value=Decimal("0.000001"), initial=10, help_text="Of the finest intervals."
    )
    origin = forms.DecimalField(initial=0, label="Starts at", help_text="Intervals snap to this number.")
    fan_out = forms.IntegerField(
        min_value=2, max_value=1000, initial=2, label="Fan-out", help_text="Intervals joined at each level."
    )
    low = forms.DecimalField(
        required=False, label="Bottom", help_text="Everything below becomes one group, such as <18."
    )
    high = forms.DecimalField(
        required=False, label="Top", help_text="This and everything above becomes one group, such as >=90."
    )

    def clean(self) -> dict[str, Any]:
        """Both bounds or none, the lower one first."""
        cleaned: dict[str, Any] = super().clean() or {}
        low, high = cleaned.get("low"), cleaned.get("high")
        if (low is None) is not (high is None):
            self.add_error("low" if low is None else "high", "Give bottom and top, or neither.")
        elif low is not None and high is not None and low >= high:
            self.add_error("high", "The top must be above the bottom.")
        return cleaned

    def settings(self) -> dict[str, Any]:
        said = super().settings()
        bounds = [said.pop("low"), said.pop("high")]
        return said | ({} if None in bounds else {"bounds": bounds})

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, Any]:
        low, high = spec.get("bounds") or (None, None)
        return {**spec, "low": low, "high": high}


class OrderForm(BuilderForm):
    """Neighbours of an order joined."""

    builder, title = "order", "Order"
    lead = "Neighbours are joined, in the natural order or in one you write."

    fan_out = forms.IntegerField(
        min_value=2, max_value=1000, initial=2, label="Fan-out", help_text="Neighbours joined at each level."
    )
    values = forms.CharField(
        required=False,
        strip=False,
        label="Values in order",
        help_text="One per line; left empty, numbers go by size and words by the alphabet.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    def settings(self) -> dict[str, Any]:
        lines = [line for line in self.cleaned_data["values"].splitlines() if line.strip()]
        return {"fan_out": self.cleaned_data["fan_out"], "values": lines}

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, Any]:
        return {**spec, "values": "\n".join(map(str, spec.get("values") or ()))}


class MaskForm(BuilderForm):
    """Characters hidden one by one."""

    builder, title = "mask", "Mask"
    lead = "One more character is hidden at each level: for codes such as postcodes."

    side = forms.ChoiceField(choices=[("right", "from the right"), ("left", "from the left")], label="Hide")
    character = forms.CharField(max_length=1, initial="*", help_text="Stands for a hidden character.")
    pad = forms.CharField(
        required=False,
        max_length=1,
        strip=False,
        label="Padding",
        help_text="Makes codes of unequal length equally long before they are hidden.",
    )

    def settings(self) -> dict[str, Any]:
        return dict(self.cleaned_data)


class DateForm(BuilderForm):
    """Calendar units."""

    builder, title = "date", "Calendar"
    lead = "Days become months, years, decades."

    levels = forms.MultipleChoiceField(
        choices=[(unit, unit) for unit in UNITS],
        initial=["month", "year", "decade"],
        widget=forms.CheckboxSelectMultiple,
        help_text="A week crosses months and years: nothing but * can follow it.",
    )
    format = forms.CharField(
        required=False,
        max_length=40,
        label="How dates are written",
        help_text="%Y-%m-%d unless you say otherwise; %d.%m.%Y reads 31.12.1990.",
    )


class TreeForm(BuilderForm):
    """Groups of groups, written with indents."""

    builder, title = "tree", "Tree"
    lead = "Write groups with their values indented below them."

    tree = forms.CharField(
        strip=False,
        label="Groups and values",
        help_text="One per line; two spaces deeper for each step inwards. Innermost are the values.",
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
    )

    def clean_tree(self) -> Any:
        """The lines as nested objects."""
        nested: dict[str, Any] = {}
        path: list[tuple[int, dict[str, Any]]] = [(-1, nested)]
        for number_, line in enumerate(self.cleaned_data["tree"].replace("\t", "  ").splitlines(), 1):
            if not line.strip():
                continue
            depth, name = len(line) - len(line.lstrip(" ")), line.strip()
            while path[-1][0] >= depth:
                path.pop()
            if name in path[-1][1]:
                raise forms.ValidationError(f"Line {number_} repeats a line of its group.")
            path[-1][1][name] = {}
            path.append((depth, path[-1][1][name]))
        if not nested:
            raise forms.ValidationError("Write at least one group.")
        return nested

    def settings(self) -> dict[str, Any]:
        return {"tree": self.cleaned_data["tree"]}

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, Any]:
        return {"tree": "\n".join(indented(spec.get("tree", spec.get("children")) or {}, 0))}


FORMS: dict[str, type[BuilderForm]] = {
    form.builder: form for form in (IntervalForm, OrderForm, MaskForm, DateForm, TreeForm)
}


def first_choice(kind: str) -> str:
    """The builder that fits a kind of column."""
    if kind in NUMERIC:
        return IntervalForm.builder
    if kind == Kind.DATE:
        return DateForm.builder
    return OrderForm.builder if kind == Kind.ORDINAL else MaskForm.builder


def indented(node: Any, depth: int) -> list[str]:
    """A nested object as indented lines."""
    pairs = node.items() if isinstance(node, Mapping) else ((one, None) for one in node or ())
    return [line for name, below in pairs for line in ("  " * depth + str(name), *indented(below, depth + 1))]


def number(value: Any) -> Any:
    """A decimal as JSON writes it; anything else as it is."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)
