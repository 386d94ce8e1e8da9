"""A file that is brought along for one assessment: what measures call it, and whether one looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stewardapp.access.verdict import Invalid

if TYPE_CHECKING:
    from stewardapp.models.assessment import Assessment
    from worker.engine.recipes.document import RecipeJson

UPLOADED = "uploaded"
"""In place of the id of a version, where a parameter names a file."""
FIELD = "brought"
NO_FILE = "Choose the file to upload, or a dataset of this project."


def check_used(recipe: RecipeJson) -> None:
    """Refuse a file at which nothing that is asked looks."""
    asked = (one for one in recipe["measures"] if not isinstance(one, str))
    if not any(UPLOADED in one.get("params", {}).values() for one in asked):
        text = "No measure looks at the file that was uploaded: choose it where a measure asks for a file."
        raise Invalid("file-unused", text, FIELD)


def names(assessment: Assessment) -> dict[str, str]:
    """What people call it."""
    return {UPLOADED: "a file uploaded for it"} if assessment.brought_id else {}
