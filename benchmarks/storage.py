"""Sealed files against plain copies; our ingest against Arrow's own conversion."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from benchmarks.table import Result
from benchmarks.timing import best_of
from worker.engine.io.ingest import Likeness
from worker.engine.io.ingest import ingest as read_into_table
from worker.sealed import SealedReader, SealedWriter, new_key

if TYPE_CHECKING:
    from benchmarks.suite import Setting

COPY_BUFFER = 1 << 20


def sealed_files(setting: Setting) -> list[Result]:
    """Sealing counts the hash of the plaintext as well, which a copy does not."""
    source, stored, copy = setting.csv(), setting.folder / "sealed", setting.folder / "copy"
    key = new_key()

    def seal() -> None:
        with (
            source.open("rb") as plain,
            stored.open("wb") as raw,
            SealedWriter(cast(BinaryIO, raw), key) as writer,
        ):
            shutil.copyfileobj(plain, writer, COPY_BUFFER)

    def unseal() -> None:
        with stored.open("rb") as raw:
            _read_through(SealedReader(cast(BinaryIO, raw), key))

    written, read = best_of(setting.repeat, seal), best_of(setting.repeat, unseal)
    plain_write = best_of(setting.repeat, lambda: _copy(source, copy))
    plain_read = best_of(setting.repeat, lambda: _read_file(copy))
    stored.unlink()
    copy.unlink()
    return [
        Result("sealed file: write, with sha256", written, plain_write, "plain copy"),
        Result("sealed file: read", read, plain_read, "plain read"),
    ]


def ingest(setting: Setting) -> list[Result]:
    """A whole reading: the table, its profile, values of its columns, what its people are recognised by."""
    source, ours, theirs = setting.csv(), setting.folder / "ours.parquet", setting.folder / "theirs.parquet"

    def read() -> None:
        kept = Likeness(io.BytesIO(), bytes(16))
        with source.open("rb") as raw, ours.open("wb") as table:
            read_into_table(raw, cast(BinaryIO, table), likeness=kept, values=io.BytesIO())

    def convert() -> None:
        pq.write_table(arrow_csv.read_csv(source), theirs)

    read()  # compiles, or loads what was compiled
    rounds = [(best_of(1, read), best_of(1, convert)) for _ in range(max(setting.repeat, 1))]
    seconds, reference = map(min, zip(*rounds, strict=True))
    ours.unlink()
    theirs.unlink()
    return [Result("upload: a whole reading", seconds, reference, "pyarrow CSV to Parquet")]


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as plain, target.open("wb") as copy:
        while piece := plain.read(COPY_BUFFER):
            copy.write(piece)


def _read_file(path: Path) -> None:
    with path.open("rb") as file:
        _read_through(file)


def _read_through(file: io.RawIOBase | io.BufferedReader) -> None:
    while file.read(COPY_BUFFER):
        pass
