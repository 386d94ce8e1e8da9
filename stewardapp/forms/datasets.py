"""The form of a new dataset, and the choice of the people that data are about."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from stewardapp.models import Population, Project


class PeopleForm(forms.Form):
    """One population: a known one, or a new name."""

    population = forms.ModelChoiceField(
        Population.objects.none(),
        required=False,
        empty_label="A new population, named below",
        help_text="The people the data are about.",
    )
    new_population = forms.CharField(
        max_length=120,
        required=False,
        label="Name of the new population",
        help_text="Only if it is not listed.",
    )

    def __init__(self, *args: Any, populations: QuerySet[Population], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["population"].queryset = populations  # type: ignore[attr-defined]
        for name in ("population", "new_population"):
            self.fields[name].one_of_several = True  # type: ignore[attr-defined]

    def clean(self) -> None:
        """One population: either a known one or a new name."""
        super().clean()
        values = self.cleaned_data
        if not values.get("population") and not values.get("new_population"):
            self.add_error("population", "Choose the population, or name a new one below.")
        if values.get("population") and values.get("new_population"):
            self.add_error("new_population", "Leave this empty when a population is chosen above.")


class DatasetForm(PeopleForm):
    """A name, whose data it is, and which people it is about."""

    project = forms.ModelChoiceField(Project.objects.none(), empty_label=None)
    name = forms.CharField(max_length=120, help_text="For example: Health survey 2025.")
    description = forms.CharField(required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 3}))
    field_order = ("project", "name", "description", "population", "new_population")

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["project"].queryset = projects  # type: ignore[attr-defined]
