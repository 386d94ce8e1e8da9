"""Recipe and table to released files: microdata with their records, or a table with its exact twin."""

from __future__ import annotations

from worker.engine.errors import EngineError
from worker.engine.execution import local
from worker.engine.execution.beside import Beside
from worker.engine.execution.earlier import Noted
from worker.engine.io.source import open_table
from worker.engine.recipes import codebook
from worker.engine.recipes.recipe import Recipe
from worker.engine.recipes.report import ReportJson
from worker.engine.reporting import Reporter
from worker.process.channel import Job, WrittenJson
from worker.process.drawn import marked
from worker.process.files import Files, published, room_to_plan
from worker.process.others import other_releases
from worker.process.outputs import BESIDE, FIRST, HELD_OUT, KEPT


def do(job: Job, reporter: Reporter) -> Job:
    """Recipe and table to released files: microdata with their records, or a table with its exact twin."""
    files, recipe = Files(job["files"]), Recipe.parse(job["recipe"])
    name, inside = ("table", "exact") if recipe.tabulates else ("release", "records")
    exact = files.writer("exact.csv") if recipe.tabulates else None
    records = None if recipe.tabulates else files.writer("records.csv")
    beside = None if recipe.tabulates else Beside(files.writer(BESIDE), files.writer(HELD_OUT))
    categories: dict[str, tuple[str, ...]] = {}
    memory = room_to_plan(job)
    noted = Noted(job.get("known", {}))
    with marked(job.get("publish")):
        report = local.anonymize(
            recipe,
            open_table(files.reader("table"), columns=recipe.read_columns(), memory=memory),
            [local.Output(kind, files.writer(f"{name}.{kind}")) for kind in FIRST],
            populations={one: open_table(files.reader(one)) for one in job.get("populations", ())},
            releases=other_releases(job, files, recipe, memory),
            key=bytes.fromhex(job["key"]),
            reporter=reporter,
            memory=memory,
            exact=exact,
            records=records,
            beside=beside,
            categories=categories,
            earlier=noted,
            input_sha256=job["input_sha256"],
            project_key=bytes.fromhex(job["project_key"]) if job.get("project_key") else None,
            version_key=bytes.fromhex(job["version_key"]) if job.get("version_key") else None,
        ).as_dict()
    report = codebook.with_lists(recipe, report, categories)
    told = codebook.written(recipe, report, job.get("labels") or {})
    files.writer("codebook.md").write(told.encode())
    written = with_rows(files.finish(), report, name)
    kept = {one: made for one in KEPT if (made := written.pop(one, None)) and made["size"]}
    counted = report["files"]["exact"] if recipe.tabulates else report["input"]
    written[f"{inside}.csv"]["rows"] = counted["rows"]
    answer = {"report": report, "files": written, "kept": kept, "microdata": not recipe.tabulates}
    answer["known"] = noted.fresh
    return published(job, files, answer)


def with_rows(written: dict[str, WrittenJson], report: ReportJson, name: str) -> dict[str, WrittenJson]:
    """Add the number of rows of each file; refuse when the bytes that were sealed are not those written."""
    for kind in FIRST:
        said = report["files"][kind]
        if said["sha256"] != written[f"{name}.{kind}"]["sha256"]:
            raise EngineError("verification", "The file that was stored is not the one that was written.")
        written[f"{name}.{kind}"]["rows"] = said["rows"]
    return written
