"""What a person declares of one column: kind, meaning, bounds, categories, consent, weight."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms

from stewardapp.models import Column
from worker.engine.tables.kinds import NUMERIC, Kind, Role
from worker.engine.wording import thousands

KIND_LABELS = {
    Kind.INTEGER: "Integer: whole numbers",
    Kind.DECIMAL: "Decimal: numbers with a fraction",
    Kind.CATEGORICAL: "Categorical: names without an order",
    Kind.ORDINAL: "Ordinal: names in an order",
    Kind.DATE: "Date",
    Kind.BOOLEAN: "Boolean: two values",
    Kind.TEXT: "Text: anything else",
}
MOST_CATEGORIES = 10_000
BOUNDS = ("lower", "upper")


class ColumnSettingsForm(forms.Form):
    """Everything about a column that is not its role; nothing here is taken from the data."""

    kind = forms.ChoiceField(
        choices=list(KIND_LABELS.items()),
        help_text="What was found is a guess, on which no promise of privacy may rest: saving confirms it.",
    )
    label = forms.CharField(
        required=False,
        max_length=1000,
        label="Description",
        help_text="One sentence for the codebook of the release.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    lower = forms.CharField(
        required=False,
        max_length=40,
        label="Lowest possible value",
        help_text="What can be, not what was seen: bounds taken from the data would tell about them.",
    )
    upper = forms.CharField(required=False, max_length=40, label="Highest possible value")
    bin_width = forms.CharField(
        required=False, max_length=40, label="Width of a bin", help_text="For counts of a numeric column."
    )
    categories = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Every value that can occur, one per line, in their order if they have one.",
    )
    provenance = forms.CharField(
        required=False,
        max_length=200,
        label="Where this is known from",
        help_text="The source of bounds or categories, such as the questionnaire. Published with counts.",
    )
    granted = forms.CharField(
        required=False,
        max_length=400,
        label="Values that mean yes",
        help_text="Exactly as in the file, with commas between. Rows with another value never enter a run.",
    )
    release_weight = forms.BooleanField(
        required=False,
        label="Release the weight",
        help_text="Otherwise the survey weight is used in the run and stays out of the file.",
    )

    def __init__(self, *args: Any, column: Column, **kwargs: Any) -> None:
        kwargs.setdefault("initial", stored(column))
        super().__init__(*args, **kwargs)
        if column.role != Role.CONSENT:
            del self.fields["granted"]
        if column.role != Role.WEIGHT:
            del self.fields["release_weight"]
        self.column = column

    def clean_categories(self) -> list[str]:
        """One value per line; none twice."""
        words = [line for line in self.cleaned_data["categories"].splitlines() if line.strip()]
        if len(set(words)) != len(words):
            raise forms.ValidationError("A value is written twice; keep one of the lines.")
        if len(words) > MOST_CATEGORIES:
            raise forms.ValidationError(f"At most {thousands(MOST_CATEGORIES)} values can be declared.")
        return words

    def clean_granted(self) -> list[str]:
        """At least one word, or nobody would have agreed."""
        words = [word.strip() for word in self.cleaned_data["granted"].split(",") if word.strip()]
        if not words:
            raise forms.ValidationError("Write which of its values mean that consent was given.")
        return words

    def clean(self) -> None:
        """Bounds of the kind of the column, both or none, in order."""
        super().clean()
        cleaned = self.cleaned_data
        kind = cleaned.get("kind", "")
        for name in (*BOUNDS, "bin_width"):
            if cleaned.get(name):
                self._read(name, kind, cleaned)
        low, high = (cleaned.get(name) for name in BOUNDS)
        if not self.errors and (low in ("", None)) is not (high in ("", None)):
            missing = BOUNDS[0] if low in ("", None) else BOUNDS[1]
            self.add_error(missing, "Give both bounds, or none.")
        elif not self.errors and low not in ("", None) and low >= high:
            self.add_error("upper", "The highest value must be above the lowest.")

    def _read(self, name: str, kind: str, cleaned: dict[str, Any]) -> None:
        try:
            cleaned[name] = typed(cleaned[name], kind, width=name == "bin_width")
        except ValueError as problem:
            self.add_error(name, str(problem))

    def changes(self) -> dict[str, Any]:
        """The arguments of the action that stores all this."""
        said = self.cleaned_data
        settings = {key: value for key, value in self.column.settings.items() if key == "granted"}
        if said["lower"] != "":
            settings["bounds"] = [said["lower"], said["upper"]]
        if said["bin_width"] != "":
            settings["bin_width"] = said["bin_width"]
        if said["categories"]:
            settings["categories"] = said["categories"]
        if said["provenance"]:
            settings["provenance"] = said["provenance"]
        if "granted" in said:
            settings["granted"] = said["granted"]
        weight = said.get("release_weight", self.column.release_weight)
        kind, label = said["kind"], said["label"]
        return {"kind": kind, "label": label, "release_weight": weight, "settings": settings}


def stored(column: Column) -> dict[str, Any]:
    """The settings of a column as the fields show them."""
    settings: Mapping[str, Any] = column.settings
    lower, upper = settings.get("bounds") or ("", "")
    return {
        "kind": column.kind,
        "label": column.label,
        "lower": lower,
        "upper": upper,
        "bin_width": settings.get("bin_width", ""),
        "categories": "\n".join(map(str, settings.get("categories", ()))),
        "provenance": settings.get("provenance", ""),
        "granted": ", ".join(settings.get("granted", ())),
        "release_weight": column.release_weight,
    }


def typed(text: str, kind: str, *, width: bool) -> int | float | str:
    """A bound as the kind of the column writes it; a width is a number above 0."""
    if kind == Kind.DATE and not width:
        return _day(text)
    if kind not in NUMERIC:
        raise ValueError("Only numbers and dates have bounds; leave this empty or change the kind.")
    number = _number(text)
    if kind == Kind.INTEGER and number != number.to_integral_value():
        raise ValueError("Write a whole number, or change the kind to decimal.")
    if width and number <= 0:
        raise ValueError("Write a number above 0.")
    return int(number) if number == number.to_integral_value() else float(number)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("Write the date as year-month-day, such as 1990-12-31.") from None


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError("Write a number, with a point before the fraction.") from None
    if not number.is_finite() or abs(number.adjusted()) > 30:
        raise ValueError("Write a number of at most 30 digits.")
    return number
