"""What goes out holds the released values and nothing else."""

import csv
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io.source import open_table
from worker.engine.io.writers import Written, open_writer
from worker.engine.tables.column import Column
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Texts, codes_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

CELLS = st.text(
    st.one_of(st.sampled_from('ab,"\n\r;\t '), st.characters(exclude_categories=("Cs",))), max_size=5
).filter(lambda text: not defused(text))  # such a text cannot be told from one that got the apostrophe here


def written(kind: str, *tables: Table, names: tuple[str, ...] | None = None) -> tuple[bytes, Written]:
    file = io.BytesIO()
    writer = open_writer(kind, file, names or tables[0].names)
    for table in tables:
        writer.write(table)
    return file.getvalue() if kind == "csv" else _closed(file, writer), writer.close()


def _closed(file: io.BytesIO, writer: Any) -> bytes:
    found = writer.close()
    writer.close = lambda: found
    return file.getvalue()


def table(**columns: list[str]) -> Table:
    return Table([Column.of_texts(name, texts) for name, texts in columns.items()])


@given(st.lists(st.tuples(CELLS, CELLS), max_size=20))
@settings(deadline=None)
def test_any_reader_reads_the_values(rows: list[tuple[str, str]]) -> None:
    data, facts = written("csv", table(**{"a,b": [r[0] for r in rows], 'c"': [r[1] for r in rows]}))
    found = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    assert found[0] == ["a,b", 'c"']
    plain = [tuple(cell.removeprefix("'") if defused(cell) else cell for cell in row) for row in found[1:]]
    assert plain == rows
    assert facts.rows == len(rows)
    assert (facts.sha256, facts.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert facts.formula_cells == sum(defused(cell) for row in found[1:] for cell in row)


def defused(cell: str) -> bool:
    return cell[:1] == "'" and cell[1:2] in tuple("=+-@\t\r\n＝＋－＠")


@pytest.mark.parametrize("text", ["=1+1", "+49", "-x", "@x", "\tx", "\rx", "＝1", "＋1", "－1", "＠x", "-2"])
def test_formulas_are_defused_in_text_columns(text: str) -> None:
    data, facts = written("csv", table(a=["ok", text, text]))
    values = [row[0] for row in csv.reader(io.StringIO(data.decode(), newline=""))]
    assert values == ["a", "ok", "'" + text, "'" + text]
    assert facts.formula_cells == 2
    _, counted = written("parquet", table(a=["ok", text, text]))
    assert counted.formula_cells == 2


def test_numbers_and_missing_values_are_not_formulas() -> None:
    numbers = Column.of_texts("n", ["-5", "+1.5", "-1e-5", "=1", ""], Kind.DECIMAL)
    data, facts = written("csv", Table([numbers]))
    assert data == b'n\n-5\n+1.5\n-1e-5\n\'=1\n""\n'
    assert facts.formula_cells == 1
    missing = Column.of_texts("m", ["-", "x"]).described(missing_texts=frozenset({"-"}))
    data, facts = written("csv", Table([missing, Column.of_texts("n", ["1", "2"])]))
    assert (data, facts.formula_cells) == (b"m,n\n,1\nx,2\n", 0)


def test_a_name_may_be_a_formula_too() -> None:
    assert written("csv", table(**{"=cmd": ["1"], "b": ["2"]}))[0] == b"'=cmd,b\n1,2\n"


def test_missing_is_null_in_parquet() -> None:
    column = Column.of_texts("m", ["-", "x", ""]).described(missing_texts=frozenset({"-"}))
    data, _ = written("parquet", Table([column]))
    assert pq.read_table(io.BytesIO(data)).to_pydict() == {"m": [None, "x", None]}


def test_a_table_without_rows_has_its_header() -> None:
    assert written("csv", table(a=[], b=[]))[0] == b"a,b\n"
    data, facts = written("parquet", table(a=[], b=[]))
    assert pq.read_table(io.BytesIO(data)).column_names == ["a", "b"]
    assert facts.rows == 0


def test_columns_stand_in_the_order_asked_for_across_chunks() -> None:
    chunks = [table(a=["1"], b=["x"]), table(b=["y", "z"], a=["2", "3"])]
    assert written("csv", *chunks, names=("b", "a"))[0] == b"b,a\nx,1\ny,2\nz,3\n"
    data, facts = written("parquet", *chunks, names=("b", "a"))
    assert pq.read_table(io.BytesIO(data)).to_pydict() == {"b": ["x", "y", "z"], "a": ["1", "2", "3"]}
    assert facts.rows == 3


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_labels_that_no_row_holds_stay_in(kind: str) -> None:
    """A dictionary written whole would carry every value that was generalized away."""
    labels = pa.array(["CANARY-unused", "kept", "CANARY-missing"])
    column = Column("a", Kind.TEXT, np.array([1, 1, 2], np.int32), labels, np.array([False, False, True]))
    data, _ = written(kind, Table([column, column.take(slice(0, 3)).relabelled(labels)]))
    only, _ = written(kind, Table([column]))
    assert b"CANARY-unused" not in data
    assert b"CANARY" not in only


def test_what_was_made_equal_is_equal_in_the_file_as_well() -> None:
    """Two labels of one text would tell apart the values behind them."""
    column = Column(
        "a", Kind.TEXT, np.arange(4, dtype=np.int32), pa.array(["30-39", "20-29", "30-39", "20-29"])
    )
    data, _ = written("parquet", Table([column]))
    other = Column.of_texts("a", ["30-39", "20-29", "30-39", "20-29"])
    assert data == written("parquet", Table([other]))[0]


def test_parquet_carries_no_notes_and_no_statistics() -> None:
    data, _ = written("parquet", table(a=["b", "a"], n=["1", "2"]))
    file = pq.ParquetFile(io.BytesIO(data))
    assert file.metadata.metadata is None
    assert file.schema_arrow.metadata is None
    for column in range(2):
        chunk = file.metadata.row_group(0).column(column)
        assert not chunk.is_stats_set
        assert not chunk.has_column_index
    assert b"pandas" not in data
    assert b"ARROW:schema" not in data


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(EngineError) as caught:
        open_writer("docx", io.BytesIO(), ["a"])
    assert caught.value.code == "output-format"


def test_a_file_that_takes_little_at_a_time_gets_everything() -> None:
    class Slow(io.BytesIO):
        def write(self, data: Any, /) -> int:
            return super().write(bytes(data)[:1000])

    file = Slow()
    writer = open_writer("csv", file, ["a"])
    writer.write(table(a=["x" * 100] * 1000))
    assert writer.close().size == len(file.getvalue()) == 2 + 101 * 1000


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["", "-0", "+1", "-2.50", "3", "=x", "1e5", 'a"b', "0.1"]), min_size=1, max_size=30
    )
)
def test_numbers_and_plain_texts_are_written_like_labels(cells: list[str]) -> None:
    plain = pa.array(cells, pa.string())
    others = pa.array(["", "-0", "+1", "=x", "1e5", 'a"b'], pa.string())
    values = codes_of(plain)
    places = {text: number for number, text in enumerate(others.to_pylist())}
    for row in np.flatnonzero(values == FIRST_OTHER):
        values[row] += places[cells[row]]
    for kind in (Kind.TEXT, Kind.DECIMAL):
        forms = (
            Numbers("x", kind, values, others),
            Texts("x", kind, plain),
            Column.of_texts("x", cells, kind),
        )
        for name in ("csv", "parquet"):
            files = [written(name, Table([form])) for form in forms]
            if name == "csv":
                assert len({data for data, _ in files}) == 1
            else:
                tables = [
                    pq.read_table(io.BytesIO(data))["x"].cast(pa.string()).to_pylist() for data, _ in files
                ]
                assert tables[0] == tables[1] == tables[2] == [cell or None for cell in cells]
            assert len({facts.formula_cells for _, facts in files}) == 1


WORKBOOK = {
    "name": ["=1+1", "Ada\x00 & <b>", "", " x_x0041_\r\n"],
    "age": ["36", "007", "", "12345678901234567"],
}


def test_a_workbook_holds_the_values_and_is_the_same_every_time() -> None:
    import openpyxl

    columns = [
        Column.of_texts("name", WORKBOOK["name"]),
        Column.of_texts("age", WORKBOOK["age"]).relabelled(
            Column.of_texts("age", WORKBOOK["age"]).labels, Kind.INTEGER
        ),
    ]
    first, facts = written("xlsx", Table(columns))
    assert (facts.rows, facts.formula_cells, facts.sha256) == (4, 1, hashlib.sha256(first).hexdigest())
    assert written("xlsx", Table(columns))[0] == first
    book = openpyxl.load_workbook(io.BytesIO(first))
    rows = list(book.worksheets[0].values)
    assert rows[0] == ("name", "age")
    assert [row[1] for row in rows[1:]] == [36, "007", None, "12345678901234567"]
    assert book.worksheets[0]["A2"].data_type == "s"  # a text, no formula
    names = [openpyxl.utils.escape.unescape(row[0] or "") for row in rows[1:]]
    assert names == WORKBOOK["name"]
    assert not [part for part in zipfile.ZipFile(io.BytesIO(first)).namelist() if "docProps" in part]
    assert texts_read(first) == [["=1+1", "36"], ["Ada\x00 & <b>", "007"]]


def texts_read(content: bytes) -> list[list[str]]:
    """The first rows as our own reader sees them."""
    (chunk,) = open_table(io.BytesIO(content)).chunks()
    columns = [chunk[name].texts() for name in ("name", "age")]
    return [list(row) for row in zip(*columns, strict=True)][:2]


def test_more_rows_than_a_workbook_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.engine.io.workbook_writer.WORKBOOK_ROWS", 3)
    with pytest.raises(LimitExceeded, match="at most 3 rows"):
        written("xlsx", table(a=list("wxyz")))
    monkeypatch.setattr("worker.engine.io.workbook_writer.LONGEST_CELL", 2)
    with pytest.raises(EngineError, match="longer than 2"):
        written("xlsx", table(a=["wxyz"]))


NUMBERS = ["1", "2.5", "", "-7"]


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_a_statistical_file_holds_numbers_and_labelled_codes(kind: str, tmp_path: Path) -> None:
    import pyreadstat

    numbers = Column.of_texts("n", NUMBERS)
    columns = [
        numbers.relabelled(numbers.labels, Kind.DECIMAL),
        Column.of_texts("sex", ["male", "", "=f", "male"]),
        Column.of_texts("told", [121 * "x", "é", "", "z"]),
    ]
    made, facts = written(kind, Table(columns))
    assert (facts.rows, facts.formula_cells, facts.sha256) == (4, 1, hashlib.sha256(made).hexdigest())
    assert (b"01 Jan 1970 00:00" if kind == "dta" else b"01 Jan 7000:00:00") in made[:300]
    path = tmp_path / "out"
    path.write_bytes(made)
    frame, about = getattr(pyreadstat, f"read_{kind}")(path)
    assert frame["n"].tolist()[:2] == [1.0, 2.5]
    assert about.variable_value_labels == {"sex": {1.0: "=f", 2.0: "male"}}
    (chunk,) = open_table(io.BytesIO(made)).chunks()
    assert chunk["n"].texts() == NUMBERS
    assert chunk["sex"].texts() == ["male", "", "=f", "male"]
    assert chunk["told"].texts() == [121 * "x", "é", "", "z"]


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_what_such_a_file_cannot_hold_is_refused_by_position(kind: str) -> None:
    with pytest.raises(EngineError, match="the name of column 2"):
        written(kind, table(a=["x"], **{"b c": ["x"]}))
    with pytest.raises(EngineError, match="longer than"):
        written(kind, table(a=[3_000 * "x"]))
    assert written(kind, table(a=[]))[1].rows == 0
