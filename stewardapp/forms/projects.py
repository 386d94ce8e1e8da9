"""Forms about projects, their members and their policy."""

from decimal import Decimal
from typing import Any

from django import forms

from stewardapp.access.roles import Role
from stewardapp.models import Policy, User

MICRO = 1_000_000


class ProjectForm(forms.Form):
    """A name and what the project is for."""

    name = forms.CharField(max_length=120, strip=True)
    description = forms.CharField(
        required=False,
        max_length=4000,
        widget=forms.Textarea,
        help_text="What the team works on, for members.",
    )


class MemberForm(forms.Form):
    """One person, one role."""

    user = forms.ModelChoiceField(User.objects.none(), label="Person", empty_label="Choose a person")
    role = forms.ChoiceField(choices=[(role.value, role.value.capitalize()) for role in Role])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["user"].queryset = User.objects.filter(is_active=True)  # type: ignore[attr-defined]


class PolicyForm(forms.Form):
    """The thresholds; the defaults are the policy in force."""

    minimum_k = forms.IntegerField(
        label="Smallest class",
        min_value=1,
        max_value=100_000,
        help_text="Rows (or persons) that must look alike.",
    )
    maximum_risk = forms.DecimalField(
        label="Highest risk in %",
        min_value=Decimal("0.01"),
        max_value=100,
        decimal_places=2,
        help_text="Chance to find the right person in the worst class.",
    )
    maximum_unique = forms.DecimalField(
        label="Rows that stand alone in %",
        min_value=0,
        max_value=100,
        decimal_places=2,
        help_text="Single in all columns that leave, tagged or kept. More than this needs a stated reason.",
    )
    maximum_epsilon = forms.DecimalField(
        label="Largest ε of a release",
        min_value=0,
        max_value=1000,
        decimal_places=6,
        help_text="Privacy loss of differentially private steps.",
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
    def of(cls, policy: Policy) -> "PolicyForm":
        """A form that shows the policy in force."""
        return cls(initial=shown(policy))

    def revision(self) -> dict[str, Any]:
        """The typed values in the units of the record, and the version the form was filled from."""
        values = dict(self.cleaned_data)
        for share in ("maximum_risk", "maximum_unique"):
            values[share] /= 100
        values["maximum_epsilon_micro"] = int(values.pop("maximum_epsilon") * MICRO)
        return values


def shown(policy: Policy) -> dict[str, Any]:
    """A policy in the units of the form."""
    return {
        "minimum_k": policy.minimum_k,
        "maximum_risk": plain(policy.maximum_risk * 100),
        "maximum_unique": plain(policy.maximum_unique * 100),
        "maximum_epsilon": plain(Decimal(policy.maximum_epsilon_micro) / MICRO),
        "reviewers": policy.reviewers,
        "retention_days": policy.retention_days,
        "require_second_factor": policy.require_second_factor,
        "replaces": policy.version,
    }


def plain(value: Decimal) -> str:
    """A decimal without an exponent and without trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
