"""What is kept of the values of columns while a table is read."""

from __future__ import annotations

import io
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.io import value_counts
from worker.engine.io.ingest import ingest
from worker.engine.io.source import open_table


def kept(text: str) -> tuple[io.BytesIO, io.BytesIO]:
    """The values and the table that one reading makes."""
    values, table = io.BytesIO(), io.BytesIO()
    ingest(io.BytesIO(text.encode()), table, {"missing": ["NA"]}, values=values)
    return values, table


def counted(file: io.BytesIO, column: str) -> Counter[str] | None:
    file.seek(0)
    return value_counts.read(file, column)


def from_table(table: io.BytesIO, column: str) -> Counter[str]:
    """The same, counted in the table."""
    found: Counter[str] = Counter()
    for chunk in open_table(table).chunks([column]):
        one = chunk[column]
        found.update(
            text for text, missing in zip(one.texts(), one.missing[one.codes], strict=True) if not missing
        )
    return found


@pytest.fixture
def many() -> str:
    rows = (f"{n % 7},Zürich \U0001f40d {n % 70_001},{n},{'NA' if n % 3 else ''}" for n in range(150_000))
    return "few,more,all,none\n" + "\n".join(rows) + "\n"


def test_the_values_kept_are_those_of_the_table(many: str) -> None:
    values, table = kept(many)
    for column in ("few", "more"):
        found = counted(values, column)
        assert found == from_table(table, column)
        assert found is not None
        assert found.total() == 150_000


def test_a_column_of_too_many_values_is_not_kept_and_one_without_any_is_empty(many: str) -> None:
    values, _ = kept(many)
    assert counted(values, "all") is None
    assert counted(values, "none") == Counter()
    assert counted(values, "elsewhere") is None


def test_exactly_as_many_as_may_be_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_counts, "MOST_VALUES", 3)
    values, _ = kept("a,b\n1,1\n2,2\n3,3\n3,4\n")
    assert counted(values, "a") == {"1": 1, "2": 1, "3": 2}
    assert counted(values, "b") is None


def test_long_texts_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_counts, "_MOST_BYTES", 1000)
    values, _ = kept("a,b\n" + "".join(f"{'x' * 400}{n},{n}\n" for n in range(5)))
    assert counted(values, "a") is None
    assert counted(values, "b") == dict.fromkeys("01234", 1)


def test_what_is_held_is_bounded() -> None:
    column = value_counts.ColumnCounts(columns=1000)
    before = pa.total_allocated_bytes()
    for batch in range(50):
        texts = pa.array([f"{batch}-{n}" + "x" * 100 for n in range(2000)])
        column.add(texts, np.ones(2000, np.int64))
    assert not column.kept
    assert column.as_json() == b""
    assert pa.total_allocated_bytes() - before < value_counts._ALL_BYTES / 1000 + 4 * texts.nbytes


def test_an_empty_file_holds_nothing() -> None:
    assert counted(io.BytesIO(), "a") is None
