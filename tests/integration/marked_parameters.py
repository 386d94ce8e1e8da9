"""Parameters found by their annotation: no test needs the name of the method that has one."""

from __future__ import annotations

from stewardapp.forms.parameter_fields import marker
from worker.engine import catalogue
from worker.engine.contracts.annotations import Transition


def transition_parameter() -> tuple[str, str, Transition]:
    """The slug of a method with a matrix, the parameter, its mark."""
    return next(
        (slug, name, mark)
        for slug, method in catalogue.methods().items()
        for name, info in method.model_fields.items()
        if (mark := marker(info, Transition)) is not None
    )
