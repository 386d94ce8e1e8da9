"""Forms about projects and their members."""

from typing import Any

from django import forms

from stewardapp.access.roles import Role
from stewardapp.models import User


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
