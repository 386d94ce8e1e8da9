"""Measures of a release that was made before, read back from its bytes."""

from __future__ import annotations

from worker.engine.errors import EngineError
from worker.engine.execution import assessing
from worker.engine.execution.beside import place_among, unmarked
from worker.engine.execution.earlier import Noted
from worker.engine.io.source import open_side_by_side, open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.recipes.report import Report
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Mask
from worker.engine.tables.table import TableSource
from worker.process.channel import Job
from worker.process.files import Files, room_to_plan
from worker.process.others import other_releases
from worker.process.outputs import BESIDE, HELD_OUT, REPORT, REREAD
from worker.sealed import digest


def do(job: Job, reporter: Reporter) -> Job:
    """Measure the release again; of a table with noise nothing is read."""
    files, recipe = Files(job["files"]), Recipe.parse(job["recipe"])
    noted = Noted(job["known"])
    measured = (
        assessing.look_at_table(recipe) if recipe.tabulates else looked(job, files, recipe, noted, reporter)
    )
    files.writer(REPORT).write(measured.to_json().encode())
    answer = {"report": measured.as_dict(), "known": noted.fresh, "file": files.finish()[REPORT]}
    return {**answer, "engine_version": measured.engine["version"]}


def looked(job: Job, files: Files, recipe: Recipe, noted: Noted, reporter: Reporter) -> Report:
    """What the measures find in the very bytes that were recorded; other bytes are refused."""
    memory, released = room_to_plan(job), files.reader(REREAD)
    sha256 = digest(released)
    if sha256 != job["output_sha256"]:
        raise EngineError("verification", "The stored file is not the one that the run made.")
    names = recipe.read_columns()
    table = open_table(files.reader("table"), columns=names, memory=memory)
    behind = [files.reader(BESIDE)] if BESIDE in job["files"] else []
    return assessing.look_again(
        recipe,
        table,
        open_side_by_side([released, *behind], [*names, place_among(recipe.columns)], memory),
        key=bytes.fromhex(job["key"]),
        reporter=reporter,
        memory=memory,
        populations={one: open_table(files.reader(one)) for one in job["populations"]},
        releases=other_releases(job, files, recipe, memory),
        earlier=noted,
        held_out=held_out(job, files, table),
        by_record=True,
        input_sha256=job["input_sha256"],
        output_sha256=sha256,
    )


def held_out(job: Job, files: Files, table: TableSource) -> Mask | None:
    """The rows from which no step of the run learnt anything, where one set some aside."""
    return unmarked(files.reader(HELD_OUT).read(), table.rows) if HELD_OUT in job["files"] else None
