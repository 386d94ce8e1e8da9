"""The builders of hierarchies as forms: a few settings become a spec the engine builds from."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any, ClassVar

from django import forms

from worker.engine.io.sent_text import whole_number
from worker.engine.tables.kinds import NUMERIC, Kind

UNITS = ("day", "week", "month", "quarter", "year", "decade")


class BuilderForm(forms.Form):
    """One builder; `spec()` is what the engine reads."""

    builder: ClassVar[str]
    title: ClassVar[str]
    lead: ClassVar[str]

    def spec(self) -> dict[str, object]:
        """The settings that were given, under the engine's names."""
        said = {name: value for name, value in self.settings().items() if value not in (None, "", [])}
        return {"builder": self.builder, **said}

    def settings(self) -> dict[str, object]:
        """The settings, some perhaps empty."""
        return {name: number(value) for name, value in self.cleaned_data.items()}

    @classmethod
    def showing(cls, spec: Mapping[str, Any]) -> BuilderForm:
        """The form filled in with a spec of this builder."""
        return cls(initial=cls.initial_of(spec), prefix=cls.builder)

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, object]:
        """How a spec looks in the fields."""
        return dict(spec)


class FanOutField(forms.Field):
    """One whole number for every level, or one for each with commas between them."""

    def __init__(self, help_text: str) -> None:
        super().__init__(initial="2", label="Fan-out", help_text=help_text)

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        parts = [part.strip() for part in str(value or "").split(",") if part.strip()]
        numbers = [whole_number(part) or 0 for part in parts]
        if any(number < 2 for number in numbers):
            raise forms.ValidationError("Write whole numbers of at least 2, with commas between them.")
        return numbers[0] if len(numbers) == 1 else numbers or None


class IntervalForm(BuilderForm):
    """Intervals of one width, then wider ones; at either end they snap to a bound or are coded."""

    builder, title = "interval", "Intervals"
    lead = "Half-open intervals [a, b[; each level joins a few of the level before."
    ENDS: ClassVar = ("low", "snap_low", "snap_high", "high")

    width = forms.DecimalField(
        min_value=Decimal("0.000001"), initial=10, help_text="Of the finest intervals."
    )
    origin = forms.DecimalField(
        initial=0, label="Starts at", help_text="Intervals are laid from this number."
    )
    fan_out = FanOutField("Intervals joined at each level: 2, or 2, 5, 2 for one level each.")
    low = forms.DecimalField(
        required=False, label="Bottom coding below", help_text="Everything below is one group, such as <18."
    )
    high = forms.DecimalField(
        required=False,
        label="Top coding from",
        help_text="This and everything above is one group, such as >=90.",
    )
    snap_low = forms.DecimalField(
        required=False,
        label="Snap below",
        help_text="The interval from this number reaches down to the bottom, or has no lower end.",
    )
    snap_high = forms.DecimalField(
        required=False,
        label="Snap above",
        help_text="The interval up to this number reaches on to the top, or has no upper end.",
    )

    def clean(self) -> None:
        """Bottom, snaps and top in their order; both ends of a pair differ."""
        super().clean()
        cleaned = self.cleaned_data
        ends = [(name, cleaned[name]) for name in self.ENDS if cleaned.get(name) is not None]
        for (_, below), (name, above) in pairwise(ends):
            if above < below:
                self.add_error(name, "Bottom, snaps and top go from low to high.")
        for lower, upper in (("low", "high"), ("snap_low", "snap_high")):
            if cleaned.get(lower) is not None and cleaned.get(lower) == cleaned.get(upper):
                self.add_error(upper, "This must be above the lower one.")

    def settings(self) -> dict[str, object]:
        said = super().settings()
        ends = {"bounds": ["low", "high"], "snap": ["snap_low", "snap_high"]}
        pairs = {name: [said.pop(one) for one in both] for name, both in ends.items()}
        return said | {name: pair for name, pair in pairs.items() if pair != [None, None]}

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, object]:
        low, high = spec.get("bounds") or (None, None)
        snap_low, snap_high = spec.get("snap") or (None, None)
        return {**spec, "low": low, "high": high, "snap_low": snap_low, "snap_high": snap_high}


class OrderForm(BuilderForm):
    """Neighbours of an order joined."""

    builder, title = "order", "Order"
    lead = "Neighbours are joined, in the natural order or in one you write."

    fan_out = FanOutField("Neighbours joined at each level: 2, or 3, 2 for one level each.")
    values = forms.CharField(
        required=False,
        strip=False,
        label="Values in order",
        help_text="One per line; left empty, numbers go by size and words by the alphabet.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    def settings(self) -> dict[str, object]:
        lines = [line for line in self.cleaned_data["values"].splitlines() if line.strip()]
        return {"fan_out": self.cleaned_data["fan_out"], "values": lines}

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, object]:
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

    def settings(self) -> dict[str, object]:
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
        help_text="%Y-%m-%d unless you say otherwise; %d.%m.%Y reads 31.12.1990, %m/%d/%y 12/31/90.",
    )
    pivot = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=99,
        label="Short years of 20… up to",
        help_text="Two-digit years up to this one are 20…, the others 19…. Empty: 68.",
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

    def settings(self) -> dict[str, object]:
        return {"tree": self.cleaned_data["tree"]}

    @classmethod
    def initial_of(cls, spec: Mapping[str, Any]) -> dict[str, object]:
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
