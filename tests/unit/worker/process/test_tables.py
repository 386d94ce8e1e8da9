"""A recipe that makes a table, in the engine's own process: sealed data in, sealed tables out."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from worker.engine.errors import EngineError
from worker.process import parent as process
from worker.process.outputs import KEPT
from worker.sealed import SealedReader, SealedWriter, new_key

RECIPE: dict[str, Any] = {
    "version": 1,
    "columns": {"sex": {"role": "other", "categories": ["f", "m", "x"]}},
    "steps": [{"method": "dp-histogram", "params": {"columns": ["sex"], "epsilon": 1_000_000}}],
}
LIMITS = process.Limits(memory_bytes=4 * 2**30, seconds=60)
TABLES = ("table.csv", "table.parquet", "exact.csv")
OUTPUTS = (*TABLES, "release.csv", "release.parquet", "records.csv", "codebook.md", *KEPT)


class Desk:
    """Sealed files by name, and the jobs that use them."""

    def __init__(self, folder: Path, files: ExitStack) -> None:
        self.folder, self.key, self._files = folder, new_key(), files
        self.opened: dict[str, BinaryIO] = {}

    def file(self, name: str, mode: str = "w") -> process.Sealed:
        if name not in self.opened:
            self.opened[name] = self._files.enter_context((self.folder / name).open("w+b"))
        return process.Sealed(self.opened[name], self.key, mode)

    def run(self, job: str, files: dict[str, process.Sealed], **details: Any) -> dict[str, Any]:
        return process.execute(job, details, files, limits=LIMITS, scratch=self.folder, watch=lambda _: True)

    def read(self, name: str) -> bytes:
        return SealedReader(self.opened[name], self.key).read()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as files:
        made = Desk(tmp_path, files)
        with SealedWriter(made.file("raw").file, made.key) as writer:  # type: ignore[arg-type]
            writer.write(b"sex,name\n" + b"m,secret\n" * 30 + b"f,secret\n" * 20)
        files_read = {"raw": made.file("raw", "r"), "table": made.file("data"), "likeness": made.file("like")}
        files_read["values"] = made.file("values")
        made.run("read", files_read, dialect=None, likeness_key="00" * 16)
        yield made


def test_only_a_table_leaves(desk: Desk) -> None:
    files = {"table": desk.file("data", "r"), **{name: desk.file(name) for name in OUTPUTS}}
    answer = desk.run("anonymize", files, recipe=RECIPE, key="00" * 32, input_sha256="ab" * 32)
    assert answer["microdata"] is False
    assert set(answer["files"]) == {*TABLES, "codebook.md"}
    assert {answer["files"][name]["rows"] for name in TABLES} == {3}
    assert desk.read("table.csv") == b"sex,count,error95\nf,20,0\nm,30,0\nx,0,0\n"
    assert desk.read("exact.csv") == b"sex,exact,count,error95\nf,20,20,0\nm,30,30,0\nx,0,0,0\n"
    assert "ab" * 32 not in str(answer["report"]["public"])


def paid(desk: Desk, **recipe: Any) -> dict[str, Any]:
    """A run that was charged: it leaves its answer in a folder."""
    folder = desk.folder / "left"
    folder.mkdir(exist_ok=True)
    files = {"table": desk.file("data", "r"), **{name: desk.file(name) for name in (*OUTPUTS, "answer")}}
    details = {"key": "00" * 32, "input_sha256": "ab" * 32, "publish": str(folder)}
    return desk.run("anonymize", files, recipe=RECIPE | recipe, **details)


def test_noise_for_one_charge_is_drawn_by_one_process(desk: Desk) -> None:
    """The mark is there before the answer, and whoever finds it draws nothing."""
    paid(desk)
    left = desk.folder / "left"
    assert {path.name for path in left.iterdir()} == {*TABLES, "codebook.md", "answer", "drawn"}
    for path in left.iterdir():
        if path.name != "drawn":
            path.unlink()
    with pytest.raises(EngineError) as refusal:
        paid(desk)
    assert refusal.value.code == "charged-unanswered"
    assert {path.name for path in left.iterdir()} == {"drawn"}


def test_what_fails_before_the_noise_leaves_no_mark(desk: Desk) -> None:
    unknown = {"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 1}}
    with pytest.raises(EngineError):
        paid(desk, steps=[unknown])
    assert list((desk.folder / "left").iterdir()) == []


def test_nodes_are_listed_for_whoever_asks_and_by_no_run(desk: Desk) -> None:
    columns = {"sex": {"role": "quasi-identifier"}}
    goals = [{"goal": "k-anonymity", "params": {"k": 5}}]
    recipe = {"version": 1, "columns": columns, "goals": goals, "steps": [{"method": "generalization"}]}
    files = {"table": desk.file("data", "r"), **{name: desk.file(name) for name in OUTPUTS}}
    answer = desk.run("anonymize", files, recipe=recipe, key="00" * 32, input_sha256="ab" * 32)
    (step,) = answer["report"]["steps"]
    assert (step["minimal_nodes"], step["explored"]) == ([], [])
    keys = {"key": "00" * 32, "version_key": "11" * 32}
    asked = desk.run("explore", {"table": desk.file("data", "r")}, recipe=recipe, populations=[], **keys)
    (listed,) = asked["steps"]
    assert listed["minimal_nodes"] == [{"sex": 0}]
    assert listed["explored"]
    assert listed["not_listed"] is None
