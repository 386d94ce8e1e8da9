"""An engine that does nothing, or whatever a test asks of it, in place of the engine's process."""

import hashlib
import os
from collections.abc import Callable, Mapping
from typing import Any, cast

from tests.factories import EXPLORED, PROFILE, RELEASED_CSV, REPLAYED, TRIED
from worker.process import files as opened_files
from worker.process.outputs import ANSWER
from worker.process.parent import Limits, Progress, Sealed, Watch
from worker.sealed import SealedReader, SealedWriter

GOAL = {
    "goal": "k-anonymity",
    "required": 5,
    "achieved": 6,
    "holds": True,
    "violating_rows": 0,
    "unit": "row",
}
ROWS = 6


class StandIn:
    """Remembers what it was asked; `before[job]` runs first and may raise, `change[job]` edits the answer.

    An answer that was paid for is left as the engine's process leaves it; `after[job]` runs then.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.before: dict[str, Callable[[], object]] = {}
        self.change: dict[str, Callable[[dict[str, Any]], object]] = {}
        self.after: dict[str, Callable[[], object]] = {}
        self.watched: list[bool] = []

    def execute(
        self,
        job: str,
        details: Mapping[str, Any],
        files: Mapping[str, Sealed],
        *,
        limits: Limits,
        scratch: Any,
        watch: Watch,
    ) -> dict[str, Any]:
        self.asked.append((job, details))
        self.before.get(job, lambda: None)()
        self.watched.append(watch(Progress(0.5, "Working", 10.0)))
        answer: dict[str, Any] = getattr(self, job)(files)
        self.change.get(job, lambda answer: None)(answer)
        if "publish" in details:
            leave(files, answer, details["publish"])
        self.after.get(job, lambda: None)()
        return answer

    def read(self, files: Mapping[str, Sealed]) -> dict[str, Any]:
        made = {"table": write(files["table"], b"a table"), "likeness": write(files["likeness"], b"")}
        made["values"] = write(files["values"], b"")
        return {"files": made, "profile": PROFILE}

    def anonymize(self, files: Mapping[str, Sealed]) -> dict[str, Any]:
        made = {
            "release.csv": write(files["release.csv"], RELEASED_CSV) | {"rows": ROWS},
            "records.csv": write(files["records.csv"], b"row\n") | {"rows": ROWS},
        }
        report = {"engine": {"version": "stand-in"}, "goals": [GOAL], "measures": []}
        return {"files": made, "report": report, "microdata": True}

    def preview(self, files: Mapping[str, Sealed]) -> dict[str, Any]:
        assert set(files) == {"table"}
        return {"preview": TRIED}

    def explore(self, files: Mapping[str, Sealed]) -> dict[str, Any]:
        assert set(files) == {"table"}
        return {"steps": [EXPLORED]}

    def replay(self, files: Mapping[str, Sealed]) -> dict[str, Any]:
        assert files == {}
        return {"replay": REPLAYED}

    def verify(self, files: Mapping[str, Sealed]) -> dict[str, Any]:
        released = files["release.csv"]
        content = SealedReader(cast(Any, released.file), released.key).read()
        found = {"goals": [GOAL], "sha256": hashlib.sha256(content).hexdigest(), "rows": ROWS}
        return {"files": {"release.csv": {**found, "unexpected": []}}}


def leave(files: Mapping[str, Sealed], answer: dict[str, Any], folder: str) -> None:
    """As worker.process.child does."""
    described = {name: one.described() | {"fd": os.dup(one.file.fileno())} for name, one in files.items()}
    opened = opened_files.Files(described)
    opened_files.published({"publish": folder}, opened, answer)
    opened.written[ANSWER]._raw.close()
    for name in described.keys() - {ANSWER}:
        os.close(described[name]["fd"])


def write(file: Sealed, content: bytes) -> dict[str, Any]:
    with SealedWriter(cast(Any, file.file), file.key) as writer:
        writer.write(content)
    return {"sha256": writer.sha256, "size": len(content)}
