"""A profile is the same however the file is cut and however many threads look at it."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest

from worker.engine.io import csv_reader, identifying, value_counts
from worker.engine.io.ahead import ahead
from worker.engine.io.csv_reader import CsvReader
from worker.engine.io.dialect import Dialect, sniff
from worker.engine.io.ingest import Likeness, ingest
from worker.engine.io.limits import Limits
from worker.engine.io.profile import Profile, Profiler
from worker.engine.io.value_counts import ColumnCounts

ROWS = 40_000


@pytest.fixture(scope="module")
def data() -> bytes:
    """Names, dates, codes, decimals, missing values and texts in other letters, some of each column first."""
    draw = np.random.default_rng(11)
    dates = draw.integers((40, 1, 0), (90, 10, 10), (ROWS, 3))
    columns = (
        [f"P{row}" for row in range(ROWS)],
        [f"19{year}-0{month}-1{day}" for year, month, day in dates],
        [("F", "M", "", "NA")[which] for which in draw.integers(0, 4, ROWS)],
        [f"1{place:03}" for place in draw.integers(0, 900, ROWS)],
        [f"{amount:.2f}" for amount in draw.lognormal(9, 1, ROWS)],
        [("Zoë", "Ørsted", "x y", "asthma")[which] for which in draw.integers(0, 4, ROWS)],
    )
    head = "person,birth,sex,zip,income,illness"
    return "\n".join([head, *map(",".join, zip(*columns, strict=True))]).encode()


def profile_of(data: bytes, piece: int) -> Profile:
    """Read in pieces of so many bytes."""
    raw = io.BytesIO(data)
    dialect = sniff(raw)
    reader = CsvReader(raw, dialect, Limits(), piece)
    profiler = Profiler(reader.names, dialect)
    for batch in reader.batches():
        profiler.see(batch)
    return profiler.result()


@pytest.mark.parametrize("pieces", [2, 9])
def test_a_file_in_pieces_has_the_profile_of_the_whole(data: bytes, pieces: int) -> None:
    whole, cut = profile_of(data, len(data) + 1), profile_of(data, len(data) // pieces)
    assert whole.rows == ROWS
    assert whole.as_json() == cut.as_json()


def kept(data: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """All that a reading keeps: profile, table, likeness and values."""
    table, likeness, values = io.BytesIO(), io.BytesIO(), io.BytesIO()
    profile = ingest(io.BytesIO(data), table, likeness=Likeness(likeness, bytes(range(16))), values=values)
    return json.dumps(profile.as_json()).encode(), table.getvalue(), likeness.getvalue(), values.getvalue()


def everything(data: bytes) -> str:
    """A digest of it."""
    return hashlib.sha256(b"".join(kept(data))).hexdigest()


def test_any_number_of_threads_finds_the_same(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    long = data + 4 * (b"\n" + data.partition(b"\n")[2])
    found = set()
    for threads in (1, 2, 5):
        monkeypatch.setattr(csv_reader, "ahead", partial(ahead, threads=threads))
        monkeypatch.setattr(identifying, "ahead", partial(ahead, threads=threads))
        monkeypatch.setattr(identifying, "THREADS", threads)
        found |= {everything(long) for _ in range(2)}
    assert len(found) == 1


def test_columns_in_which_nearly_all_rows_differ_come_without_a_list(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything that is kept is the same as with one."""
    raw = io.BytesIO(data)
    reader = CsvReader(raw, sniff(raw), Limits())
    assert reader.mostly_different() == {"person", "income"}
    (first, *_) = reader.batches(dense=reader.mostly_different())
    assert [str(column.type) for column in first.columns].count("string") == 2
    *found, values = kept(data)
    monkeypatch.setattr(CsvReader, "mostly_different", lambda _: frozenset())
    *listed, others = kept(data)
    assert found == listed
    for name in reader.names:
        assert value_counts.read(io.BytesIO(values), name) == value_counts.read(io.BytesIO(others), name)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a,b", "a,b\n1\n2,3\n", 'a,b\n"1,2\n', "a\n\n\n"])
def test_of_few_rows_or_unreadable_ones_nothing_is_said(text: str) -> None:
    raw = io.BytesIO(text.encode())
    reader = CsvReader(raw, Dialect(delimiter=",", quote='"'), Limits(), piece=1 << 10)
    assert reader.mostly_different() == frozenset()


def test_columns_are_looked_at_where_they_are_read(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever gathers the profile only puts together what the reading threads found."""
    import threading

    seen: set[str] = set()
    parts = Profiler.parts

    def noted(self: Profiler, batch: Any) -> Any:
        seen.add(threading.current_thread().name)
        return parts(self, batch)

    monkeypatch.setattr(Profiler, "parts", noted)
    ingest(io.BytesIO(data), io.BytesIO())
    assert seen
    assert threading.main_thread().name not in seen


def test_values_are_gathered_in_the_order_of_the_rows(data: bytes) -> None:
    raw = io.BytesIO(data)
    dialect = sniff(raw)
    reader = CsvReader(raw, dialect, Limits(), len(data) // 7)
    counts = {name: ColumnCounts(len(reader.names)) for name in reader.names}
    profiler = Profiler(reader.names, dialect, counts)
    for batch in reader.batches():
        profiler.see(batch)
    values, rows = json.loads(counts["sex"].as_json())
    lines = data.decode().split("\n")[1:]
    assert dict(zip(values, rows, strict=True)) == Counter(
        word for line in lines if (word := line.split(",")[2])
    )
