"""Workbooks and statistical files: what they hold comes out as texts; what was made to hurt is refused."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io import formats
from worker.engine.io.dialect import sniff
from worker.engine.io.foreign import readable
from worker.engine.io.ingest import ingest
from worker.engine.io.limits import Limits
from worker.engine.io.source import open_table
from worker.engine.verification import examine

SECRET = "s3cret"
ROWS = [
    ["name", "age", "height", "born", "seen", "well"],
    ["Ada", 36, 1.5, dt.date(1990, 1, 2), dt.datetime(2020, 5, 1, 8, 30), True],
    ['Bo; "B"', 41, 2.0, dt.date(1985, 12, 31), None, False],
    [None, None, None, None, None, None],
    ["Cy", 7, None, None, None, None],
]
TEXTS = [
    ["Ada", "36", "1.5", "1990-01-02", "2020-05-01 08:30:00", "true"],
    ['Bo; "B"', "41", "2", "1985-12-31", "", "false"],
    ["", "", "", "", "", ""],
    ["Cy", "7", "", "", "", ""],
]


def workbook(rows: list[list[Any]], *more: tuple[str, list[list[Any]]], hidden: bool = False) -> io.BytesIO:
    book, made = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for title, others in more:
        other = book.create_sheet(title)
        for row in others:
            other.append(row)
    if hidden:
        sheet.sheet_state = "hidden"
    book.save(made)
    return made


def texts(file: io.BytesIO) -> tuple[list[str], list[list[str]]]:
    source = open_table(file)
    names = list(source.schema.names)
    rows: list[list[str]] = []
    for chunk in source.chunks():
        columns = [[chunk[name].label_texts[code] for code in chunk[name].codes] for name in names]
        rows += [list(row) for row in zip(*columns, strict=True)]
    return names, rows


def test_a_workbook_is_read_as_it_would_be_saved_as_csv() -> None:
    assert texts(workbook(ROWS)) == (ROWS[0], TEXTS)
    assert sniff(workbook(ROWS)).format == formats.XLSX


def test_the_first_sheet_that_is_shown_counts() -> None:
    book = workbook([["x"], [SECRET]], ("data", [["a", "b"], [1, 2]]), hidden=True)
    assert texts(book) == (["a", "b"], [["1", "2"]])


@pytest.mark.parametrize(
    ("rows", "code", "words"),
    [
        ([["a", "b"], [1, 2, SECRET]], "ragged-row", "Row 2"),
        ([["a", "a"], [1, 2]], "duplicate-header", "Columns 1 and 2"),
        ([["a", None, "c"], [1, 2, 3]], "empty-header", "Column 2"),
        ([], "empty-header", "first sheet is empty"),
    ],
)
def test_a_workbook_that_is_no_table_is_refused_by_position(
    rows: list[list[Any]], code: str, words: str
) -> None:
    with pytest.raises(EngineError, match=words) as refused:
        open_table(workbook(rows))
    assert refused.value.code == code
    assert SECRET not in refused.value.message


def repacked(parts: dict[str, bytes]) -> io.BytesIO:
    """A workbook with some parts replaced."""
    made = io.BytesIO()
    with zipfile.ZipFile(workbook(ROWS)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(part.filename, parts.get(part.filename, old.read(part)))
    return made


SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'


def test_a_workbook_that_unfolds_too_far_is_refused_before_it_is_unfolded() -> None:
    with pytest.raises(LimitExceeded, match="unfolds to far more"):
        readable(repacked({SHEET: b"<worksheet>" + bytes(20 << 20)}))


@pytest.mark.parametrize("content", [LAUGHS, b"<worksheet", b""])
def test_a_workbook_that_is_damaged_or_wants_entities_is_refused_in_our_words(content: bytes) -> None:
    with pytest.raises(EngineError, match="Excel workbook is damaged") as refused:
        readable(repacked({SHEET: content}))
    assert refused.value.code == "file-unreadable"


def test_rows_and_time_are_counted_while_reading() -> None:
    with pytest.raises(LimitExceeded, match="more than 2 rows"):
        readable(workbook(ROWS), Limits(rows=2))
    with pytest.raises(LimitExceeded, match="took longer than"):
        readable(workbook(ROWS), Limits(seconds=-1))
    with pytest.raises(EngineError, match="6 columns; the limit is 5"):
        readable(workbook(ROWS), Limits(columns=5))


FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, None],
        "size": [3.0, 1.0, 9.0, 2.0],
        "name": ["Ada", "Bo", "", "Cy"],
        "share": [0.25, 1.0, 2.5, None],
    }
)
WORDS = {"sex": {1: "male", 2: "female"}, "size": {1: "small", 2: "middle", 3: "large"}}
LABELLED = [
    ["male", "large", "Ada", "0.25"],
    ["female", "small", "Bo", "1"],
    ["male", "9", "", "2.5"],
    ["", "middle", "Cy", ""],
]


def statistical(folder: Path, kind: str) -> io.BytesIO:
    path = folder / f"file.{kind}"
    said: dict[str, Any] = {"column_labels": ["Sex at birth", "Size", "", ""], "variable_value_labels": WORDS}
    if kind == "sav":
        pyreadstat.write_sav(FRAME, path, variable_measure={"size": "ordinal"}, **said)
    else:
        pyreadstat.write_dta(FRAME, path, **said)
    return io.BytesIO(path.read_bytes())


@pytest.mark.parametrize("ending", [b"\r\n", b"\n", b""])
def test_a_portable_file_is_known_by_its_signature(tmp_path: Path, ending: bytes) -> None:
    path = tmp_path / "file.csv"
    rows = {"town": ["Ulm", "", "Bath"], "size": [1.5, None, 3.0]}
    pyreadstat.write_por(pd.DataFrame(rows), path)
    file = io.BytesIO(path.read_bytes().replace(b"\r\n", ending))
    assert sniff(file).format == "por"
    assert texts(file) == (["TOWN", "SIZE"], [["Ulm", "1.5"], ["", ""], ["Bath", "3"]])


@pytest.mark.parametrize("place", [0, 455, 457])
def test_the_signature_elsewhere_is_text(place: int) -> None:
    assert formats.detect(io.BytesIO(b"x" * place + b"SPSSPORT,age\n1,2\n")) == formats.CSV


def test_a_portable_file_that_was_cut_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "file.por"
    pyreadstat.write_por(pd.DataFrame({"town": [SECRET] * 200}), path)
    with pytest.raises(EngineError) as refusal:
        texts(io.BytesIO(path.read_bytes()[:900]))
    assert "portable SPSS file" in refusal.value.sentence
    assert SECRET not in refusal.value.sentence


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_values_take_their_labels_and_codes_without_one_stay(tmp_path: Path, kind: str) -> None:
    file = statistical(tmp_path, kind)
    assert sniff(file).format == kind
    assert texts(file) == (list(FRAME), LABELLED)


def test_more_rows_than_one_piece_are_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.engine.io.statistical.ROWS_PER_PIECE", 2)
    monkeypatch.setattr("worker.engine.io.workbook.ROWS_PER_PIECE", 2)
    assert texts(statistical(tmp_path, "sav"))[1] == LABELLED
    assert texts(workbook(ROWS))[1] == TEXTS


def test_labels_are_the_declared_categories_of_the_profile(tmp_path: Path) -> None:
    table = io.BytesIO()
    profile = ingest(statistical(tmp_path, "sav"), table).as_json()
    columns = {column["name"]: column for column in profile["columns"]}
    assert (columns["sex"]["label"], columns["sex"]["kind"]) == ("Sex at birth", "categorical")
    assert columns["sex"]["categories"] == ["male", "female"]
    assert columns["size"]["categories"] == ["small", "middle", "large"]
    assert columns["size"]["kind"] == "ordinal"
    assert "categories" not in columns["share"]
    assert texts(table)[1] == LABELLED


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b"$FL2@(#) SPSS DATA FILE" + bytes(300), "SPSS"),
        (b"<stata_dta><header>", "Stata"),
        (b"\x72\x02\x01\x00abc", "Stata"),
        (bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + bytes(900), "SAS"),
    ],
)
def test_a_damaged_statistical_file_is_refused_in_our_words(content: bytes, title: str) -> None:
    with pytest.raises(EngineError, match=f"The {title} file is damaged") as refused:
        readable(io.BytesIO(content))
    assert refused.value.code == "file-unreadable"


def test_a_workbook_any_tool_released_is_verified() -> None:
    recipe = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "goals": [{"goal": "k-anonymity", "params": {"k": 2}}],
    }
    book = workbook([["a"], [1], [1], [2]])
    (found,) = examine(recipe, book).results
    assert (found.achieved, found.violating_rows) == (1, 1)
