"""Forms about surveys: what is said, when it is open, and each question with its probabilities."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from django import forms

from stewardapp.forms.datasets import PeopleForm
from stewardapp.models import Survey, SurveyQuestion

CHOICE, RANGES = "choice", "ranges"
LEAST = Decimal("0.000001")
OPEN, INVITED = "open", "invited"


class SurveyText(forms.Form):
    """What respondents read first, and who can take part."""

    title = forms.CharField(max_length=120, help_text="Respondents read it.")
    introduction = forms.CharField(
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Who asks, and what for. How answers are protected is explained on the page by itself.",
    )
    access = forms.ChoiceField(
        label="Who can answer",
        choices=[
            (INVITED, "Invited people: every personal link counts once"),
            (OPEN, "Everybody who has the link; one person could answer from several browsers"),
        ],
        widget=forms.RadioSelect,
        initial=INVITED,
    )

    def said(self) -> dict[str, Any]:
        """The arguments of the action, without the population."""
        values = dict(self.cleaned_data)
        values["invited"] = values.pop("access") == INVITED
        return values


class NewSurveyForm(PeopleForm, SurveyText):
    """A new survey and the people it asks."""

    field_order = ("title", "introduction", "access", "population", "new_population")


class SurveyForm(SurveyText):
    """A draft: its text and its dates."""

    opens_on = forms.DateField(
        label="First day", required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    closes_on = forms.DateField(
        label="Last day",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Answers are erased some time after it, as the policy of the project says.",
    )

    @classmethod
    def of(cls, survey: Survey) -> SurveyForm:
        """The form showing a draft."""
        shown = {name: getattr(survey, name) for name in ("title", "introduction", "opens_on", "closes_on")}
        return cls(initial={**shown, "access": INVITED if survey.invited else OPEN})


class QuestionForm(forms.Form):
    """One question: its text, every possible answer, and how strongly the answers are randomized."""

    text = forms.CharField(
        max_length=1000,
        label="Question",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Where several answers may be true at once, ask one yes-or-no question for each.",
    )
    name = forms.CharField(
        max_length=40,
        label="Name of the column",
        help_text="Short: letters, digits and _. The answers are collected under it.",
    )
    kind = forms.ChoiceField(
        label="Answers",
        choices=[(CHOICE, "One of these answers"), (RANGES, "A number, as one of these ranges")],
        widget=forms.RadioSelect,
        initial=CHOICE,
    )
    answers = forms.CharField(
        strip=False,
        label="Answers or limits",
        widget=forms.Textarea(attrs={"rows": 4}),
        initial="yes\nno",
        help_text="One per line. For ranges the numbers where one range ends and the next begins, such as "
        "18, 40 and 65.",
    )
    keep = forms.DecimalField(
        max_digits=7,
        decimal_places=6,
        min_value=LEAST,
        max_value=1 - LEAST,
        required=False,
        label="Probability of sending the true answer",
        initial=Decimal("0.75"),
        help_text="Smaller protects more. With two answers 0.75 is ε = 1.1: the truth, or a coin.",
    )
    epsilon = forms.DecimalField(
        max_digits=8,
        decimal_places=6,
        min_value=LEAST,
        max_value=20,
        required=False,
        label="Or ε of one answer",
        help_text="Instead of a probability. Smaller protects more; 1 is a usual choice.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("keep", "epsilon"):
            self.fields[name].one_of_several = True  # type: ignore[attr-defined]

    @classmethod
    def of(cls, question: SurveyQuestion) -> QuestionForm:
        """The form showing a question."""
        shown = {"text": question.text, "name": question.name, "answers": "\n".join(question.answers)}
        strength = {"keep": plain(question.keep), "epsilon": plain(question.epsilon)}
        return cls(initial={**shown, **strength, "kind": CHOICE})

    def clean(self) -> None:
        """Ranges become answers."""
        super().clean()
        cleaned = self.cleaned_data
        lines = [line.strip() for line in cleaned.get("answers", "").splitlines() if line.strip()]
        try:
            cleaned["answers"] = ranges(lines) if cleaned.get("kind") == RANGES else lines
        except ValueError as wrong:
            self.add_error("answers", str(wrong))

    def said(self) -> dict[str, Any]:
        """The arguments of the action."""
        return {name: self.cleaned_data[name] for name in ("name", "text", "answers", "keep", "epsilon")}


def plain(number: Decimal | None) -> str:
    """A number without needless zeros."""
    return "" if number is None else f"{number.normalize():f}"


def ranges(lines: list[str]) -> list[str]:
    """Answers for a number that is known only by its range."""
    try:
        limits = [Decimal(line) for line in lines]
    except InvalidOperation:
        raise ValueError("Write one number per line.") from None
    if not limits or any(not one.is_finite() or abs(one.adjusted()) > 30 for one in limits):
        raise ValueError("Write one number of at most 30 digits per line.")
    if any(low >= high for low, high in pairwise(limits)):
        raise ValueError("Write the numbers from the smallest to the largest.")
    between = [f"{low} to under {high}" for low, high in pairwise(lines)]
    return [f"under {lines[0]}", *between, f"{lines[-1]} or more"]
