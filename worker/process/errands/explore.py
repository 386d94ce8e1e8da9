"""The searches of a recipe once more, for the list of all that they look at; no file is made."""

from __future__ import annotations

from worker.engine.execution import local
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import Reporter
from worker.process.channel import Job
from worker.process.files import Files, room_to_plan


def do(job: Job, reporter: Reporter) -> Job:
    """The searches of a recipe once more, for the list of all that they look at; no file is made."""
    files, recipe, memory = Files(job["files"]), Recipe.parse(job["recipe"]), room_to_plan(job)
    steps = local.explore(
        recipe,
        open_table(files.reader("table"), columns=recipe.read_columns(), memory=memory),
        key=bytes.fromhex(job["key"]),
        reporter=reporter,
        memory=memory,
        populations={one: open_table(files.reader(one)) for one in job["populations"]},
        project_key=bytes.fromhex(job["project_key"]) if job.get("project_key") else None,
        version_key=bytes.fromhex(job["version_key"]),
    )
    return {"steps": list(steps)}
