"""One step tried on a part of the table, with a key that is drawn here and never told."""

from __future__ import annotations

from worker.engine.execution import previewing
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import Reporter
from worker.process.channel import Job
from worker.process.files import Files, room_to_plan


def do(job: Job, reporter: Reporter) -> Job:
    """One step tried on a part of the table, with a key that is drawn here and never told."""
    files, recipe = Files(job["files"]), Recipe.parse(job["recipe"])
    found = previewing.preview(
        recipe,
        open_table(files.reader("table")),
        job["column"],
        reporter=reporter,
        memory=room_to_plan(job),
        populations={name: open_table(files.reader(name)) for name in job["populations"]},
    )
    return {"preview": found}
