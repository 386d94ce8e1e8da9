"""Parquet of unknown origin: plain columns come in as texts, bombs and tricks are refused."""

import datetime
import io
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.io.reading import taken_in, texts
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io.ingest import ingest
from worker.engine.io.limits import Limits
from worker.engine.io.source import open_table


def parquet(table: pa.Table | dict[str, Any], **how: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), buffer, **how)
    return buffer.getvalue()


def refusal(data: bytes, limits: Limits | None = None) -> EngineError:
    with pytest.raises(EngineError) as caught:
        ingest(io.BytesIO(data), io.BytesIO(), None, limits)
    return caught.value


def test_every_plain_type_takes_its_plain_text() -> None:
    day = datetime.date(2024, 2, 29)
    columns = {
        "int": (pa.array([9007199254740993, None]), ["9007199254740993", ""]),
        "float": (pa.array([0.1, float("nan")]), ["0.1", ""]),
        "bool": (pa.array([True, False]), ["true", "false"]),
        "date": (pa.array([day, None]), ["2024-02-29", ""]),
        "decimal": (pa.array([Decimal("1.10"), Decimal("2.00")]), ["1.10", "2.00"]),
        "text": (pa.array(["01234", "NA"]), ["01234", "NA"]),
        "large": (pa.array(["é", None], pa.large_string()), ["é", ""]),
        "coded": (pa.array(["x", "x"]).dictionary_encode(), ["x", "x"]),
        "coded number": (pa.array([7, 8]).dictionary_encode(), ["7", "8"]),
        "nothing": (pa.nulls(2), ["", ""]),
        "with.dots": (pa.array(["p", "q"]), ["p", "q"]),
        "with": (pa.array(["r", "s"]), ["r", "s"]),
    }
    data = parquet({name: array for name, (array, _) in columns.items()})
    expected = [found for _, found in columns.values()]
    profile, source = taken_in(data)
    assert texts(source) == expected
    assert texts(open_table(io.BytesIO(data))) == expected
    assert texts(open_table(io.BytesIO(data)), ["with", "int"]) == [["r", "s"], expected[0]]
    assert profile.dialect.format == "parquet"
    kinds = [column["kind"] for column in profile.columns]
    assert kinds[:5] == ["integer", "decimal", "boolean", "date", "decimal"]


@pytest.mark.parametrize("group", [1, 3, 1000])
def test_row_groups_and_encodings_make_no_difference(group: int) -> None:
    values = [f"v{i % 7}" if i % 5 else None for i in range(1000)]
    for dictionary in (True, False):
        data = parquet({"a": values, "b": list(range(1000))}, row_group_size=group, use_dictionary=dictionary)
        assert texts(open_table(io.BytesIO(data))) == [
            [v or "" for v in values],
            [str(i) for i in range(1000)],
        ]


def test_nested_and_odd_columns_are_refused_by_position() -> None:
    for kind, code in (
        (pa.list_(pa.int8()), "nested-column"),
        (pa.struct([("secret", pa.int8())]), "nested-column"),
        (pa.map_(pa.string(), pa.int8()), "nested-column"),
        (pa.binary(), "unsupported-type"),
        (pa.float16(), "unsupported-type"),
        (pa.duration("s"), "unsupported-type"),
    ):
        error = refusal(parquet({"a": [1], "secret": pa.nulls(1, kind)}))
        assert error.code == code
        assert "Column 2" in error.message
        assert "secret" not in error.message


def test_names_are_checked() -> None:
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert refusal(parquet(twice)).code == "duplicate-header"
    assert refusal(parquet({"a": [1], " ": [2]})).code == "empty-header"
    assert refusal(parquet({f"c{i}": [1] for i in range(30)}), Limits(columns=29)).code == "too-many-columns"


def test_a_bomb_of_equal_values_ends_at_the_limit() -> None:
    """Three megabytes that unfold to thirty gigabytes."""
    rows = 30_000_000
    bomb = parquet(
        pa.table(
            {"a": pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), ["x" * 1000])}
        ),
        row_group_size=rows,
    )
    assert len(bomb) < 4_000_000
    error = refusal(bomb, Limits(decoded_bytes=10_000_000))
    assert isinstance(error, LimitExceeded)
    assert error.code == "memory"
    assert refusal(bomb, Limits(rows=1_000_000)).code == "rows"


def test_the_footer_is_not_believed() -> None:
    """Each place where it says 1000 rows is made to say 1001: refused, or the 1000 that there are."""
    data, thousand = parquet({"a": pa.array(["x"] * 1000)}), b"\xd0\x0f"
    places = [at for at in range(len(data)) if data.startswith(thousand, at)]
    found = [found_or_refused(data[:at] + b"\xd2\x0f" + data[at + 2 :]) for at in places]
    assert "parquet-unreadable" in found
    assert all(one in ("parquet-unreadable", [["x"] * 1000]) for one in found)


def found_or_refused(data: bytes) -> list[list[str]] | str:
    try:
        return texts(open_table(io.BytesIO(data)))
    except EngineError as error:
        return error.code


def test_a_huge_cell_is_refused_by_position() -> None:
    error = refusal(parquet({"a": ["x"], "b": ["y" * 2_000_000]}))
    assert error.code == "cell-too-large"
    assert "Column 2" in error.message


@pytest.mark.parametrize("cut", [5, 100, 900])
def test_damaged_files_are_refused_without_their_words(cut: int) -> None:
    data = parquet({"a": [f"ZEBRA{i}" for i in range(300)]})
    for broken in (data[:cut], data[:-cut], data[: len(data) // 2] + bytes(20) + data[len(data) // 2 + 20 :]):
        error = refusal(broken)
        assert error.code == "parquet-unreadable"
        assert "ZEBRA" not in repr(error)


def test_no_rows_are_refused_when_taken_in() -> None:
    assert refusal(parquet({"a": pa.array([], pa.string())})).code == "no-rows"


def test_empty_row_groups_do_not_end_a_column() -> None:
    buffer = io.BytesIO()
    table = pa.table({"a": ["x"], "b": [1]})
    with pq.ParquetWriter(buffer, table.schema) as writer:
        for piece in (table, table.slice(0, 0), table):
            writer.write_table(piece)
    _, source = taken_in(buffer.getvalue())
    assert texts(source) == [["x", "x"], ["1", "1"]]


def test_notes_of_somebody_else_do_no_harm() -> None:
    for note in ("not json", "[1]", '{"kinds": {"a": "secret"}, "missing": ["x"]}'):
        table = pa.table({"a": ["x"]}).replace_schema_metadata({"table": note})
        assert texts(open_table(io.BytesIO(parquet(table)))) == [["x"]]


def test_a_tampered_sealed_file_and_a_failing_disk_keep_their_own_errors() -> None:
    from worker.sealed import SealedError, SealedReader, SealedWriter

    raw, key = io.BytesIO(), bytes(32)
    with SealedWriter(raw, key) as sealed:
        sealed.write(
            parquet({"a": [str(i) for i in range(300_000)]}, compression="none", use_dictionary=False)
        )
    broken = bytearray(raw.getvalue())
    broken[500_000] ^= 1
    with pytest.raises(SealedError):
        texts(open_table(SealedReader(io.BytesIO(bytes(broken)), key)))  # type: ignore[arg-type]

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if size != 64:  # the look at the first bytes works
                raise OSError(5, "Input/output error")
            return super().read(size)

    with pytest.raises(OSError, match="Input/output"):
        open_table(Failing(parquet({"a": ["x"] * 1000})))
