"""Is a recipe complete enough to run? Asked of the engine, which alone knows its methods."""

from __future__ import annotations

import json
from typing import Any

from stewardapp.access.verdict import Invalid
from worker.engine.errors import EngineError


def checked(recipe: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The recipe as the engine spells it and its hash, or Invalid with the place and how to mend it."""
    from worker.engine.recipe import Recipe

    try:
        parsed = Recipe.parse(recipe)
    except EngineError as error:
        raise Invalid(error.code, error.message, error.param or "recipe") from None
    spelled: dict[str, Any] = json.loads(parsed.canonical_json())
    return spelled, parsed.sha256()


def needs_project_key(recipe: dict[str, Any]) -> bool:
    """Whether a step of a checked recipe computes under the key of the project."""
    from worker.engine.recipe import Recipe

    return any(step.needs_project_key() for step in Recipe.parse(recipe).steps)
