"""A field for every number and choice of a recipe: whatever is filled in is varied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from operator import attrgetter

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from stewardapp.access.verdict import Invalid
from stewardapp.domain.sweeping import MOST_RUNS, Dial, Value, Varied, insist_on_size
from stewardapp.forms.method_form import capital
from stewardapp.forms.parameter_fields import Common

NUMBER = r"-?\d{1,20}(?:\.\d{1,20})?(?:[eE]-?\d{1,2})?"
LISTED = re.compile(r"[\s,;]+")
RANGE = re.compile(
    rf"(?P<low>{NUMBER})\s*(?:to|–|\.\.)\s*(?P<high>{NUMBER})(?:\s*(?:step|by)\s*(?P<step>{NUMBER}))?"
)
HOW = "Write numbers such as 3, 5, 10 or a range such as 2 to 10 step 2."
LONGEST = 400


class SweepForm(forms.Form):
    """Once valid, `entries` are the parameters to vary and `runs` says how many runs that makes."""

    counted = forms.CharField(required=False, max_length=4, widget=forms.HiddenInput)
    entries: Sequence[Varied] = ()
    runs = 0

    def __init__(self, data: QueryDict | None = None, *, dials: Sequence[Dial]) -> None:
        super().__init__(data)
        self.dials = {dial.key: dial for dial in dials}
        self.fields |= {key: field_of(dial) for key, dial in self.dials.items()}

    @property
    def agreed(self) -> bool:
        """Whether this very number of runs was shown to whoever sent the form."""
        return bool(self.runs) and self.cleaned_data.get("counted") == str(self.runs)

    def clean(self) -> Common:
        cleaned: Common = super().clean() or {}
        filled = [self.dials[key] for key in self.dials if cleaned.get(key)]
        entries = [self._varied(dial, cleaned[dial.key]) for dial in filled]
        if not self.errors:
            self.entries = entries
            try:
                self.runs = insist_on_size(entries)
            except Invalid as refused:
                self.add_error(None, refused.reason)
        return cleaned

    def _varied(self, dial: Dial, given: str | Sequence[str]) -> Varied:
        """What was given for one parameter; each complaint stands on its field."""
        values: list[Value] = []
        try:
            listed = numbers(given) if isinstance(given, str) else given
            values = [dial.spelled(typed(one, dial)) for one in listed]
        except Invalid as refused:
            self.add_error(dial.key, capital(refused.reason))
        return Varied(dial.part, dial.number, dial.parameter.name, tuple(dict.fromkeys(values)))

    def grouped(self) -> Iterator[tuple[str, list[BoundField]]]:
        """The fields under the goal or step that each belongs to."""
        for (part, number), some in groupby(self.dials.values(), key=attrgetter("part", "number")):
            found = list(some)
            noun = "Goal" if part == "goals" else "Step"
            yield f"{noun} {number + 1}: {found[0].contract.title}", [self[dial.key] for dial in found]


def field_of(dial: Dial) -> forms.Field:
    """Boxes to tick for a choice, a line of text for numbers; empty means: leave it as it is."""
    parameter, now = dial.parameter, "" if dial.now is None else f", now {dial.now}"
    unit = f" ({parameter.unit})" if parameter.unit else ""
    common: Common = {"required": False, "label": f"{parameter.title}{unit}{now}"}
    if parameter.choices:
        return forms.MultipleChoiceField(
            choices=parameter.choices, widget=forms.CheckboxSelectMultiple, help_text=parameter.help, **common
        )
    return forms.CharField(max_length=LONGEST, help_text=parameter.help, **common)


def numbers(text: str) -> list[Decimal]:
    """The numbers of a list or a range, each once; Invalid when it is neither."""
    if (found := RANGE.fullmatch(text.strip())) is not None:
        low, high, step = (Decimal(found[name] or 1) for name in ("low", "high", "step"))
        return stepped(low, high, step)
    listed = [one for one in LISTED.split(text) if one]
    if not all(re.fullmatch(NUMBER, one) for one in listed):
        raise Invalid("no-numbers", HOW)
    return list(dict.fromkeys(map(Decimal, listed)))


def stepped(low: Decimal, high: Decimal, step: Decimal) -> list[Decimal]:
    """Every number from one to another; Invalid when there is none, or when there are too many."""
    if high < low or step <= 0:
        raise Invalid("empty-range", "A range goes upwards, by steps larger than nothing.")
    if high - low > step * (MOST_RUNS - 1):
        raise Invalid("long-range", f"This range has more than {MOST_RUNS} numbers; take larger steps.")
    return [low + step * at for at in range(int((high - low) / step) + 1)]


def typed(value: Decimal | str, dial: Dial) -> Value:
    """A number as the parameter takes it: whole where it is, in digits where every digit counts."""
    if isinstance(value, str):
        return value
    if dial.parameter.type == "decimal":
        return f"{value:f}"
    return int(value) if value == value.to_integral_value() else float(value)
