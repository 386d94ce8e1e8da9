"""A question to its answer, as values; the true figures go into a sealed file and nowhere else."""

from __future__ import annotations

import json

from worker.engine.execution import local
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import Reporter
from worker.engine.version import VERSION
from worker.process.channel import Job
from worker.process.drawn import marked
from worker.process.files import Files, published, room_to_plan
from worker.process.outputs import TRUE


def do(job: Job, reporter: Reporter) -> Job:
    """A question to its answer, as values; the true figures go into a sealed file and nowhere else."""
    files, recipe = Files(job["files"]), Recipe.parse(job["recipe"])
    memory = room_to_plan(job)
    with marked(job.get("publish")):
        found = local.answer(
            recipe,
            open_table(files.reader("table"), columns=recipe.read_columns(), memory=memory),
            key=bytes.fromhex(job["key"]),
            reporter=reporter,
            memory=memory,
        )
    files.writer(TRUE).write(json.dumps(found.exact).encode())
    told = {**found.table, "facts": found.facts}
    return published(job, files, {"answer": told, "engine_version": VERSION, "files": files.finish()})
