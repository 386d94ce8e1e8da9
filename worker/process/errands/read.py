"""Raw bytes to the table that every run reads, its profile, and what pages may know of its values."""

from __future__ import annotations

from worker.engine.io.ingest import Likeness, ingest
from worker.engine.io.limits import Limits
from worker.engine.reporting import Reporter
from worker.process.channel import Job
from worker.process.files import Files


def do(job: Job, reporter: Reporter) -> Job:
    """The table, its profile and, where they are kept, the values of its columns and what its people can be
    recognised by."""
    files, limits = Files(job["files"]), job["limits"]
    said = {name: limits[name] for name in ("columns", "rows") if limits[name]}
    likeness, values = None, None
    if "likeness" in job["files"]:
        likeness = Likeness(files.writer("likeness"), bytes.fromhex(job["likeness_key"]))
    if "values" in job["files"]:
        values = files.writer("values")
    raw, table = files.reader("raw"), files.writer("table")
    profile = ingest(raw, table, job["dialect"], Limits(**said), reporter, likeness, values)
    return {"profile": profile.as_json(), "files": files.finish()}
