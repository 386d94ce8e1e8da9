"""Other releases about the same people, and files that leaked, as an errand opens them."""

from __future__ import annotations

from collections.abc import Mapping

from worker.engine.execution.beside import place_among
from worker.engine.io.source import open_side_by_side, open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.table import TableSource
from worker.process.channel import Job
from worker.process.files import Files


def other_releases(job: Job, files: Files, recipe: Recipe, memory: int | None) -> Mapping[str, TableSource]:
    """By their titles: each with where its rows stood, as far as that is known."""
    names, places = [*recipe.columns, place_among(recipe.columns)], job.get("places", {})
    found = {}
    for one, title in job.get("releases", {}).items():
        behind = [files.reader(places[one])] if one in places else []
        found[title] = open_side_by_side([files.reader(one), *behind], names, memory)
    for one, title in job.get("leaks", {}).items():
        found[title] = open_table(files.reader(one), memory=memory)
    return found
