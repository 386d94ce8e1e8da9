"""What an exploration hands to the engine, and what comes back: lists for the steps that search."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from worker.engine.reporting import NullReporter
from worker.process.errands import explore

RECIPE = {
    "version": 1,
    "columns": {"sex": {"role": "quasi-identifier"}, "note": {"role": "dropped"}},
    "goals": [{"goal": "k-anonymity", "params": {"k": 2}}],
    "steps": [{"method": "generalization"}],
}


class Given:
    """A file as it is, in place of a sealed one."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def reader(self, name: str) -> io.BytesIO:
        return io.BytesIO(self._files[name])


def test_lists_come_back_for_the_steps_that_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "Files", Given)
    monkeypatch.setattr(explore, "room_to_plan", lambda job: None)
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"sex": ["f", "f", "m"], "note": ["a", "b", "c"]}), out)
    job: dict[str, Any] = {
        "files": {"table": bytes(out.getvalue())},
        "recipe": RECIPE,
        "key": "00" * 32,
        "version_key": "11" * 32,
        "populations": [],
    }
    (listed,) = explore.do(job, NullReporter())["steps"]
    assert listed["minimal_nodes"] == [{"sex": 1}]
    assert {tuple(one["levels"].values()) for one in listed["explored"]} == {(0,), (1,)}
