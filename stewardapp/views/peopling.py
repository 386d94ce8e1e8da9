"""A form that names a new population makes it before anything else."""

from typing import Any

from stewardapp.actions import populations
from stewardapp.forms.datasets import PeopleForm
from stewardapp.forms.refusals import attempt
from stewardapp.models import Population, User


def with_population(form: PeopleForm, user: User) -> dict[str, Any] | None:
    """The values of a valid form with its population; None when a new one could not be made."""
    values = dict(form.cleaned_data)
    name = values.pop("new_population")
    if name:
        values["population"] = attempt(form, _new_population, new_population=name, by=user)
    return values if values["population"] is not None else None


def _new_population(*, new_population: str, by: User) -> Population:
    return populations.create(name=new_population, by=by)
