"""What an assessment hands to the engine: the files it was given, under the names that measures know."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from worker.engine.errors import EngineError
from worker.engine.execution import assessing
from worker.engine.execution.beside import marked
from worker.engine.recipes.report import Report
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Mask
from worker.process.errands import assess
from worker.process.outputs import BESIDE, HELD_OUT, REPORT, REREAD

RECIPE = {
    "version": 1,
    "columns": {"age": {"role": "other", "kind": "text"}, "who": {"role": "person-key", "kind": "text"}},
    "steps": [],
    "measures": ["*"],
}


class Given:
    """Files as they are, in place of sealed ones."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def reader(self, name: str) -> io.BytesIO:
        return io.BytesIO(self._files[name])

    def writer(self, name: str) -> io.BytesIO:
        return io.BytesIO()

    def finish(self) -> dict[str, Any]:
        return {REPORT: {}}


def parquet(**columns: list[str]) -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), out)
    return bytes(out.getvalue())


def job_of(**files: bytes) -> dict[str, Any]:
    """A job on a table of three rows, released without one of them."""
    released = parquet(age=["3", "4"])
    return {
        "files": {"table": parquet(age=["3", "4", "5"], who=["a", "b", "b"]), REREAD: released, **files},
        "recipe": RECIPE,
        "key": "00" * 32,
        "known": {},
        "populations": [],
        "releases": {name: f"Release {name}" for name in files if name.startswith("other")},
        "input_sha256": "ab" * 32,
        "output_sha256": hashlib.sha256(released).hexdigest(),
        "limits": {"memory_bytes": None},
    }


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the engine was given to look at."""
    seen: dict[str, Any] = {}

    def look(recipe: Any, original: Any, released: Any, **given: Any) -> Report:
        seen.update(given, released=released)
        return Report(engine={"version": "test"})

    monkeypatch.setattr(assessing, "look_again", look)
    monkeypatch.setattr(assess, "Files", Given)
    return seen


def test_what_was_kept_beside_the_release_is_read_with_it(handed: dict[str, Any]) -> None:
    held_out: Mask = np.array([False, True, False])
    other = parquet(age=["3"])
    files = {BESIDE: parquet(who=["a", "b"]), HELD_OUT: marked(held_out), "other": other}
    assess.do(job_of(**files), NullReporter())
    (chunk,) = handed["released"].chunks(("age", "who"))
    assert [column.texts() for column in chunk.columns] == [["3", "4"], ["a", "b"]]
    assert handed["held_out"].tolist() == [False, True, False]
    assert [(name, one.rows) for name, one in handed["releases"].items()] == [("Release other", 1)]


def test_without_anything_kept_the_release_stands_alone(handed: dict[str, Any]) -> None:
    assess.do(job_of(), NullReporter())
    assert handed["released"].schema.names == ("age",)
    assert (handed["held_out"], handed["releases"]) == (None, {})


def test_what_was_kept_of_other_rows_is_refused(handed: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="same rows"):
        assess.do(job_of(**{BESIDE: parquet(who=["a"])}), NullReporter())
    assert not handed
