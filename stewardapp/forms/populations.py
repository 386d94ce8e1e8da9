"""Forms about populations."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from stewardapp.forms.budgets import FOR_OTHERS, REASON
from stewardapp.models import Population


class PopulationForm(forms.Form):
    """Who the people are."""

    name = forms.CharField(max_length=120, help_text="For example: adults of a region, 2025.")
    description = forms.CharField(
        required=False,
        max_length=4000,
        widget=forms.Textarea,
        help_text="Who belongs to it, where, when; how it was sampled.",
    )


class OverlapForm(forms.Form):
    """Another population that shares people with this one."""

    other = forms.ModelChoiceField(
        Population.objects.none(),
        label="Shares people with",
        empty_label="Choose",
        help_text="What was bought about one, before and from now on, counts against the limits of both.",
    )

    reason = forms.CharField(max_length=4000, widget=forms.Textarea(attrs=REASON), help_text=FOR_OTHERS)

    def __init__(self, *args: Any, choices: QuerySet[Population], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].queryset = choices  # type: ignore[attr-defined]


class SeparationForm(OverlapForm):
    """Another population that was said to share people with this one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        other = self.fields["other"]
        other.label, other.help_text = "Shares nobody with", "What both have paid so far stays paid."
