"""An action's refusal of its input, put on the field it is about."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms

from stewardapp.access.verdict import Invalid

R = TypeVar("R")


def attempt(form: forms.Form, action: Callable[..., R], **arguments: Any) -> R | None:
    """Do the action; when it refuses the input, say so on the form and answer None."""
    try:
        return action(**arguments)
    except Invalid as refusal:
        form.add_error(refusal.param if refusal.param in form.fields else None, refusal.reason)
        return None


def answer_status(form: forms.BaseForm | None) -> int:
    """The status of a page with a form: 422 when what was sent has errors."""
    return 422 if form is not None and form.is_bound and form.errors else 200
