"""Draws a Django form from the parameters of any method, goal or measure of the engine.

Nothing here knows the name of a method: the annotation of each parameter decides its input, the
engine's own validation decides what is right, and each of its complaints lands on its field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from pydantic import BaseModel

from stewardapp.forms.parameter_fields import ColumnChoice, field_for
from worker.engine.contracts.parameters import Params, problems_of

FIRST_NAME = re.compile(r"[.\[]")


class ParameterForm(forms.Form):
    """The parameters of one step or goal; once valid, `parameters` holds the engine's own object."""

    contract: type[BaseModel]
    parameters: BaseModel | None = None

    def clean(self) -> None:
        """Let the engine judge the values and put each complaint on the field it is about."""
        super().clean()
        cleaned = self.cleaned_data
        if self.errors:
            return
        values = given(cleaned, self.contract)
        problems = problems_of(self.contract, values)
        for problem in problems:
            where = FIRST_NAME.split(problem.param, maxsplit=1)[0]
            self.add_error(where if where in self.fields else None, capital(problem.message))
        if not problems:
            self.parameters = self.contract.model_validate(values)

    def mark(self, param: str | None, message: str) -> None:
        """Show what a run said about one parameter beside that parameter's field."""
        if self.is_bound and self.errors is not None:  # asking for the errors makes Django clean first
            self.add_error(param if param in self.fields else None, message)

    def as_params(self) -> Params:
        """The validated parameters as they stand in a recipe."""
        if self.parameters is None:
            raise ValueError("the form is not valid")
        return self.parameters.model_dump(mode="json")


def form_class(contract: type[BaseModel], columns: Sequence[ColumnChoice]) -> type[ParameterForm]:
    """The form of a method, goal or measure, offering only the columns that suit it."""
    drawn = {name: field_for(name, info, columns) for name, info in contract.model_fields.items()}
    return type(f"{contract.__name__}Form", (ParameterForm,), {**drawn, "contract": contract})


def bound_form(
    contract: type[BaseModel], columns: Sequence[ColumnChoice], data: Mapping[str, Any], prefix: str
) -> ParameterForm:
    """The form holding what somebody sent."""
    return form_class(contract, columns)(data=data, prefix=prefix)


def filled_form(
    contract: type[BaseModel], columns: Sequence[ColumnChoice], params: Params, prefix: str
) -> ParameterForm:
    """The form showing the parameters of a stored recipe."""
    form = form_class(contract, columns)(prefix=prefix)
    for name, value in params.items():
        if name in form.fields:
            form.initial[name] = form.fields[name].prepare_value(value)
    return form


def given(cleaned: Params, contract: type[BaseModel]) -> Params:
    """What the person filled in; an empty answer means the parameter's own default."""
    empty: Iterable[Any] = (None, "", [], {})
    optional = {name for name, info in contract.model_fields.items() if not info.is_required()}
    return {name: value for name, value in cleaned.items() if not (name in optional and value in empty)}


def capital(message: str) -> str:
    """The engine's complaint as a sentence for people."""
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?")) else ".")
