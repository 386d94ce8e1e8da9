"""Forms of query desks: what may be asked about, and a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from stewardapp.actions.desks import MOST_ROWS
from stewardapp.forms import value_lists
from stewardapp.forms.sliders import LogSlider
from stewardapp.models import Desk
from worker.engine.dp.auditor import refusals
from worker.engine.dp.conditions import WORDS
from worker.engine.dp.questions import TITLES, Question

CONDITIONS = 3
DEFAULTS: dict[str, Any] = {name: info.default for name, info in Question.model_fields.items()}
ON = {"data": "The data", "sample": "A random sample of the rows", "perturbed": "A perturbed copy"}
CHOOSE = ("", "Choose a column")
UNDECLARED = "nothing is declared yet, so nothing can be asked"


def _closed(line: str) -> None:
    try:
        value_lists.split(line)
    except value_lists.Unquoted:
        raise ValidationError(OPEN_QUOTE) from None


OPEN_QUOTE = "A double quote is opened and not closed. Close it; a quote inside quotes is written twice."


class DeskForm(forms.Form):
    """Which columns analysts may ask about, and how many rows of one person count."""

    columns = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Columns that may be asked about",
        help_text="Counts need declared categories or bounds, sums and means need declared bounds.",
    )
    rows_per_person = forms.IntegerField(
        min_value=1,
        max_value=MOST_ROWS,
        initial=1,
        label="Rows of one person that count at most",
        help_text="More rows mean more noise. Without a column tagged as person key every row counts as a "
        "person, and this stays 1.",
    )

    def __init__(self, *args: Any, columns: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        """Names of columns with what is declared of each."""
        super().__init__(*args, **kwargs)
        choices = [(name, f"{name}: {declared or UNDECLARED}") for name, declared in columns]
        self.fields["columns"].choices = choices  # type: ignore[attr-defined]


def _share(name: str, label: str) -> forms.DecimalField:
    info = Question.model_fields[name]
    return forms.DecimalField(
        label=label,
        required=False,
        initial=info.default,
        min_value=0,
        max_value=1,
        decimal_places=4,
        help_text=info.description or "",
    )


class QuestionForm(forms.Form):
    """A question as somebody fills it in; once valid, `asked` is the engine's own object."""

    asked: Question | None = None

    ask = forms.ChoiceField(label="What do you want to know?", choices=list(TITLES.items()))
    column = forms.ChoiceField(
        label="Of which column?", required=False, help_text="How many rows needs none."
    )
    by = forms.MultipleChoiceField(
        label="For each",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="One answer per declared value. Groups do not overlap: together they cost what one costs.",
    )
    epsilon = forms.DecimalField(
        label="Privacy loss ε",
        initial=DEFAULTS["epsilon"],
        decimal_places=6,
        widget=LogSlider(-3, 1),
        help_text="What the answer takes from the budget. Larger is more exact.",
    )
    share = _share("share", "Share, for a quantile")
    extreme = _share("extreme", "Extreme share, for lowest and highest values")
    top = forms.IntegerField(
        label="How many, for the most common values", required=False, initial=DEFAULTS["top"], min_value=1
    )
    other_cell = forms.BooleanField(
        label="Count any other value too",
        required=False,
        help_text="Per cell or for each: rows whose value is none of those declared get a cell of their own.",
    )
    on = forms.ChoiceField(
        label="Asked of",
        choices=list(ON.items()),
        required=False,
        help_text="A sample and a perturbed copy are older remedies, here to compare: the price is the same.",
    )
    sample_share = _share("sample_share", "Share of the sample")
    disturbance = _share("disturbance", "Strength of the perturbation")

    def __init__(self, data: Mapping[str, Any] | None = None, *, desk: Desk, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.desk = desk
        columns = [(name, name) for name in desk.columns()]
        self.fields["column"].choices = [CHOOSE, *columns]  # type: ignore[attr-defined]
        self.fields["by"].choices = columns  # type: ignore[attr-defined]
        for number in range(1, CONDITIONS + 1):
            self._add_condition(number, columns)

    def _add_condition(self, number: int, columns: list[tuple[str, str]]) -> None:
        self.fields[f"where_{number}"] = forms.ChoiceField(
            label=f"Condition {number}: column", required=False, choices=[("", "No condition"), *columns]
        )
        self.fields[f"op_{number}"] = forms.ChoiceField(
            label="Comparison", required=False, choices=list(WORDS.items())
        )
        self.fields[f"values_{number}"] = forms.CharField(
            label="Value", required=False, max_length=4000, validators=[_closed], strip=False
        )
        for part in ("where", "op", "values"):
            self.fields[f"{part}_{number}"].one_of_several = True  # type: ignore[attr-defined]

    @property
    def main(self) -> list[forms.BoundField]:
        """What every question needs."""
        return [self[name] for name in ("ask", "column", "by", "epsilon")]

    @property
    def conditions(self) -> list[list[forms.BoundField]]:
        """Column, comparison and value of each condition."""
        numbers = range(1, CONDITIONS + 1)
        return [[self[f"{part}_{number}"] for part in ("where", "op", "values")] for number in numbers]

    @property
    def narrowed(self) -> bool:
        """Whether a condition is filled in."""
        return any(self[f"where_{number}"].value() for number in range(1, CONDITIONS + 1))

    @property
    def specialised(self) -> bool:
        """Whether something that only some questions need is filled in, or wrong."""
        asked = self["ask"].value() in ("quantile", "minimum", "maximum", "top-k")
        asked = asked or bool(self["other_cell"].value())
        return asked or self["on"].value() not in ("data", "", None) or any(f.errors for f in self.special)

    @property
    def special(self) -> list[forms.BoundField]:
        """What only some questions need."""
        names = ("other_cell", "share", "extreme", "top", "on", "sample_share", "disturbance")
        return [self[name] for name in names]

    def clean(self) -> None:
        """Let the engine judge the values, then its auditor the question; never the data."""
        super().clean()
        cleaned = self.cleaned_data
        if self.errors:
            return
        values = self._values(cleaned)
        for problem in Question.problems(values):
            self._complain(problem.param, problem.message)
        if not self.errors:
            question = Question.of(values)
            for refusal in refusals(question, self.desk.declarations(), self.desk.roles()):
                self._complain(refusal.param, refusal.reason)
            self.asked = None if self.errors else question

    def _values(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        plain = {name: cleaned[name] for name in DEFAULTS if cleaned.get(name) not in (None, "", [])}
        return {**plain, "where": _where(cleaned), "rows_per_person": self.desk.rows_per_person}

    def _complain(self, param: str, message: str) -> None:
        name = param.partition("[")[0].partition(".")[0]
        field = "values_1" if name == "where" else name
        self.add_error(field if field in self.fields else None, message[:1].upper() + message[1:])


def filled(question: Question) -> dict[str, object]:
    """A question as the form sends it; conditions beyond those the form has are left out."""
    told = {name: value for name, value in question.params().items() if value is not None}
    for number, one in enumerate(question.where[:CONDITIONS], start=1):
        told |= {f"where_{number}": one.column, f"op_{number}": one.op}
        told[f"values_{number}"] = value_lists.joined(one.values)
    return told


def fits(question: Question) -> bool:
    """Whether the form can say all of it."""
    return len(question.where) <= CONDITIONS


def _where(cleaned: Mapping[str, Any]) -> list[dict[str, object]]:
    found = []
    for number in range(1, CONDITIONS + 1):
        if column := cleaned.get(f"where_{number}"):
            values = value_lists.split(cleaned[f"values_{number}"])
            found.append({"column": column, "op": cleaned[f"op_{number}"] or "is", "values": values})
    return found
