"""The entry of the engine's own process: one job on stdin, JSON lines on stdout, then gone.

Nothing a library prints reaches the parent, and no text of an unforeseen exception does: both may
quote values. What is known of a failure is its type and the lines it passed.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, BinaryIO, TextIO

from worker.child_files import Files, Job
from worker.engine.errors import Cancelled, EngineError, LimitExceeded
from worker.engine.reporting import PipeReporter, Reporter
from worker.sealed import digest
from worker.short_lived import short_lived

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Do the one job and answer."""
    short_lived()
    answers = private_stdout()
    job: Job = json.load(sys.stdin)
    die_with_parent(job["parent"])
    limit_memory(job["limits"]["memory_bytes"])
    answers.write(outcome(job, answers) + "\n")
    answers.flush()


def private_stdout() -> TextIO:
    """Keep the pipe for ourselves; what libraries print goes where stderr goes."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(pipe, "w", encoding="utf-8", buffering=1)


def die_with_parent(parent: int) -> None:
    """Never outlive the worker: nobody would read the answer, and the lease is going to be taken over."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def limit_memory(size: int | None) -> None:
    """Turn running out of memory into an error inside this process."""
    if size is not None:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would be raw data in clear


def outcome(job: Job, answers: TextIO) -> str:
    """The last line: the answer to a job, or why there is none."""
    try:
        return json.dumps({"done": JOBS[job["job"]](job, PipeReporter(answers))}, allow_nan=False)
    except BaseException as error:  # noqa: BLE001 - nothing may leave this process with its own words
        return json.dumps({"error": refused(error, job)})


def refused(error: BaseException, job: Job) -> Job:
    """What may be told of an error."""
    if isinstance(error, EngineError):
        return coded(error)
    if isinstance(error, Cancelled):
        return {"code": "cancelled"}
    if is_out_of_memory(error):
        return coded(memory_error(job["limits"]["memory_bytes"] or 0))
    return unforeseen(error)


def unforeseen(error: BaseException) -> Job:
    """What may be told of an error nobody planned for: its type, its lines, the system's number."""
    number = error.errno if isinstance(error, OSError) else None
    return {"code": "internal", "type": type(error).__name__, "frames": frames(error), "number": number}


def coded(error: EngineError) -> Job:
    """A refusal as it crosses the pipe."""
    return {
        "type": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "param": error.param,
        "step": error.step,
        "mends": [asdict(mend) for mend in getattr(error, "mends", ())],
    }


def memory_error(limit: int) -> LimitExceeded:
    """The sentence for a job that needed more memory than it may have."""
    return LimitExceeded(
        "memory",
        f"The job needed more than the {limit / 2**30:.1f} GB of memory it may use. "
        "Use fewer columns or rows, or ask for a larger limit.",
    )


def is_out_of_memory(error: BaseException) -> bool:
    """A thread whose stack found no room says so in its own way, and so does the system."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't start new thread" in str(error)


def frames(error: BaseException) -> list[str]:
    """Where an exception passed, without what it said."""
    return [f"{one.filename}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)]


def read(job: Job, reporter: Reporter) -> Job:
    """Raw bytes to the table that every run reads, and its profile."""
    from worker.engine.io.ingest import ingest
    from worker.engine.io.limits import Limits

    files, limits = Files(job["files"]), job["limits"]
    said = {name: limits[name] for name in ("columns", "rows") if limits[name]}
    profile = ingest(files.reader("raw"), files.writer("table"), job["dialect"], Limits(**said), reporter)
    return {"profile": profile.as_json(), "files": files.finish()}


def anonymize(job: Job, reporter: Reporter) -> Job:
    """Recipe and table to released files: microdata with their records, or a table with its exact twin."""
    from worker.drawn import marked
    from worker.engine import codebook
    from worker.engine.execution import local
    from worker.engine.io.source import open_table
    from worker.engine.recipe import Recipe

    files, recipe = Files(job["files"]), Recipe.parse(job["recipe"])
    name, inside = ("table", "exact") if recipe.tabulates else ("release", "records")
    beside: dict[str, Any] = {inside: files.writer(f"{inside}.csv")}
    categories: dict[str, tuple[str, ...]] = {}
    memory = half(job["limits"]["memory_bytes"])
    with marked(job.get("publish")):
        report = local.anonymize(
            recipe,
            open_table(files.reader("table"), columns=recipe.read_columns(), memory=memory),
            [local.Output(kind, files.writer(f"{name}.{kind}")) for kind in KINDS],
            populations={one: open_table(files.reader(one)) for one in job.get("populations", ())},
            key=bytes.fromhex(job["key"]),
            reporter=reporter,
            memory=memory,
            **beside,
            categories=categories,
            input_sha256=job["input_sha256"],
            project_key=bytes.fromhex(job["project_key"]) if job.get("project_key") else None,
            version_key=bytes.fromhex(job["version_key"]) if job.get("version_key") else None,
        ).as_dict()
    told = codebook.written(recipe, report, job.get("labels") or {}, categories)
    files.writer("codebook.md").write(told.encode())
    written = with_rows(files.finish(), report, name)
    counted = report["files"]["exact"] if recipe.tabulates else report["input"]
    written[f"{inside}.csv"]["rows"] = counted["rows"]
    answer = {"report": report, "files": written, "microdata": not recipe.tabulates}
    return published(job, files, answer)


def published(job: Job, files: Files, answer: Job) -> Job:
    """An answer that was paid for can be found from now on, whoever dies before it is stored."""
    if "publish" in job:
        with files.writer(ANSWER) as sealed:
            sealed.write(json.dumps(answer, allow_nan=False).encode())
        files.publish([*answer["files"], ANSWER], job["publish"])
    return answer


def half(size: int | None) -> int | None:
    """What the engine may plan with: the interpreter and its libraries need address space too."""
    return None if size is None else size // 2


def with_rows(written: dict[str, Job], report: Job, name: str) -> dict[str, Job]:
    """Add the number of rows of each file; refuse when the bytes that were sealed are not those written."""
    for kind in KINDS:
        said = report["files"][kind]
        if said["sha256"] != written[f"{name}.{kind}"]["sha256"]:
            raise EngineError("verification", "The file that was stored is not the one that was written.")
        written[f"{name}.{kind}"]["rows"] = said["rows"]
    return written


def convert(job: Job, reporter: Reporter) -> Job:
    """A released Parquet file in further formats."""
    from worker.engine.execution import converting
    from worker.engine.execution.output import Output
    from worker.engine.io.source import open_table
    from worker.engine.recipe import Recipe

    files = Files(job["files"])
    [released] = files.names("r")
    source = open_table(files.reader(released))
    outputs = [Output(name.rpartition(".")[2], files.writer(name)) for name in files.names("w")]
    kinds = {name: part.kind for name, part in Recipe.parse(job["recipe"]).columns.items()}
    rows = converting.convert(source, outputs, kinds, reporter)
    return {"files": {name: {**facts, "rows": rows} for name, facts in files.finish().items()}}


def verify(job: Job, reporter: Reporter) -> Job:
    """Recompute every goal from each released file."""
    files = Files(job["files"])
    populations = {name: files.reader(name) for name in job.get("populations", ())}
    names = [name for name in files.names("r") if name not in populations]
    found = {}
    for number, name in enumerate(names):
        with reporter.span(number / len(names), (number + 1) / len(names)):
            found[name] = examined(job["recipe"], files.reader(name), reporter, populations)
            reporter.progress(1.0)
    return {"files": found}


def examined(recipe: Job, released: BinaryIO, reporter: Reporter, populations: Mapping[str, BinaryIO]) -> Job:
    """What the bytes of one file say; hierarchies stand in the recipe itself."""
    from worker.engine import verification

    found = verification.examine(recipe, released, reporter, populations=populations)
    goals = [
        result.as_dict()
        | {"unit": found.unit, "suppressed_rows": found.suppressed_rows, "suppressed_hold": holds}
        for result, holds in zip(found.results, found.suppressed_hold, strict=True)
    ]
    unexpected = list(found.unexpected)
    return {"goals": goals, "rows": found.rows, "unexpected": unexpected, "sha256": digest(released)}


def preview(job: Job, reporter: Reporter) -> Job:
    """One step tried on a part of the table, with a key that is drawn here and never told."""
    from worker.engine.execution import previewing
    from worker.engine.io.source import open_table
    from worker.engine.recipe import Recipe

    files, recipe = Files(job["files"]), Recipe.parse(job["recipe"])
    found = previewing.preview(
        recipe,
        open_table(files.reader("table")),
        job["column"],
        reporter=reporter,
        memory=half(job["limits"]["memory_bytes"]),
        populations={name: open_table(files.reader(name)) for name in job["populations"]},
    )
    return {"preview": found}


def warm(_job: Job, _reporter: Reporter) -> Job:
    """Compile ahead of the first run, giving way to everything else on the machine."""
    from worker.engine import warming

    os.nice(BACKGROUND)
    return {"compiled": warming.warm()}


BACKGROUND = 10


def replay(job: Job, reporter: Reporter) -> Job:
    """Attacks on people who do not exist."""
    from worker.engine.attacks.replay import replayed
    from worker.engine.attacks.settings import AttackSettings

    return {"replay": replayed(AttackSettings.of(job["settings"]), reporter)}


ANSWER = "answer"
KINDS = ("csv", "parquet")
JOBS: dict[str, Callable[[Job, Reporter], Job]] = {
    "read": read,
    "anonymize": anonymize,
    "convert": convert,
    "verify": verify,
    "preview": preview,
    "replay": replay,
    "warm": warm,
}

if __name__ == "__main__":
    main()
