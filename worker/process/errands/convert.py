"""A released Parquet file in further formats."""

from __future__ import annotations

from worker.engine.execution import converting
from worker.engine.execution.output import Output
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import Reporter
from worker.process.channel import Job
from worker.process.files import Files


def do(job: Job, reporter: Reporter) -> Job:
    """A released Parquet file in further formats."""
    files = Files(job["files"])
    [released] = files.names("r")
    source = open_table(files.reader(released))
    outputs = [Output(name.rpartition(".")[2], files.writer(name)) for name in files.names("w")]
    kinds = {name: part.kind for name, part in Recipe.parse(job["recipe"]).columns.items()}
    rows = converting.convert(source, outputs, kinds, reporter)
    return {"files": {name: {**facts, "rows": rows} for name, facts in files.finish().items()}}
