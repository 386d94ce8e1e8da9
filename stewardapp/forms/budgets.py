"""Forms about privacy budgets."""

from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import QuerySet

from stewardapp.models import Population, Project, User
from worker.engine.contracts.privacy import DELTA_PLACES, EPSILON_PLACES, LARGEST_EPSILON, Spend

REASON = {"rows": 2}
FOR_OTHERS = "For those who have to agree."


class SpendForm(forms.Form):
    """A limit: ε, and δ where there is some."""

    epsilon = forms.DecimalField(
        label="ε",
        min_value=0,
        max_value=LARGEST_EPSILON,
        decimal_places=EPSILON_PLACES,
        help_text="Below 1 is strong; above 10 says little.",
    )
    delta = forms.DecimalField(
        label="δ",
        min_value=0,
        max_value=Decimal("0.999999999999999"),
        decimal_places=DELTA_PLACES,
        initial=0,
        required=False,
        help_text="Well below one in the number of people, for instance 0.000000001.",
    )

    def limit(self) -> Spend:
        """The amount in whole units."""
        return Spend.limit(self.cleaned_data["epsilon"], self.cleaned_data["delta"] or 0)


class LimitForm(SpendForm):
    """The limit of a population, and the project that what is added goes to."""

    project = forms.ModelChoiceField(
        Project.objects.none(), required=False, widget=forms.HiddenInput, label="Project"
    )
    reason = forms.CharField(max_length=4000, widget=forms.Textarea(attrs=REASON), help_text=FOR_OTHERS)

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["project"].queryset = projects  # type: ignore[attr-defined]


class AllotForm(SpendForm):
    """The part of a project."""

    project = forms.ModelChoiceField(Project.objects.none(), empty_label="Choose a project")
    reason = forms.CharField(
        required=False, max_length=4000, widget=forms.Textarea(attrs=REASON), help_text=FOR_OTHERS
    )
    field_order = ("project", "epsilon", "delta", "reason")

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["project"].queryset = projects  # type: ignore[attr-defined]


class AllowForm(SpendForm):
    """The part of a member."""

    user = forms.ModelChoiceField(User.objects.none(), label="Member", empty_label="Choose a member")
    field_order = ("user", "epsilon", "delta")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = User.objects.filter(memberships__project=project, is_active=True).distinct()
        self.fields["user"].queryset = members  # type: ignore[attr-defined]


class MoveForm(forms.Form):
    """The people a dataset is about after all."""

    target = forms.ModelChoiceField(
        Population.objects.none(), label="These are other people", empty_label="Choose their population"
    )
    reason = forms.CharField(
        max_length=4000,
        widget=forms.Textarea(attrs=REASON),
        help_text=FOR_OTHERS,
    )

    def __init__(self, *args: Any, populations: QuerySet[Population], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["target"].queryset = populations  # type: ignore[attr-defined]


class ReasonForm(forms.Form):
    """Why others should agree."""

    reason = forms.CharField(max_length=4000, widget=forms.Textarea(attrs=REASON), help_text=FOR_OTHERS)
