"""How a file is to be read is found in its bytes, and what a person says wins."""

import io
from dataclasses import replace
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.io.dialect import Dialect, sniff

TABLE = "name,age,city\nÅsa,34,Malmö\nJosé,61,Cádiz\n"


def of(data: bytes, **said: Any) -> Dialect:
    return sniff(io.BytesIO(data), said)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters(mark: str, line_end: str) -> None:
    text = TABLE.replace(",", mark).replace("\n", line_end)
    assert of(text.encode()).delimiter == mark


def test_a_delimiter_inside_quotes_does_not_count() -> None:
    assert of(b'a;b\n"x,y,z";1\n"p,q,r";2\n').delimiter == ";"


def test_the_delimiter_that_all_rows_share_wins() -> None:
    assert of(b"a;b\n1,5;2\n1,7;3\n").delimiter == ";"
    assert of(b"a,b\nx;y;z,2\nx,3\n").delimiter == ","


def test_a_single_column_needs_none() -> None:
    assert of(b"a\n1\n2\n").delimiter == ","


@pytest.mark.parametrize(
    ("codec", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings(codec: str, found: str) -> None:
    dialect = of(TABLE.encode(codec))
    assert (dialect.encoding, dialect.delimiter) == (found, ",")
    assert bool(dialect.notes) == (found in ("utf-16-le", "utf-16-be", "cp1252"))


def test_a_byte_that_cp1252_does_not_know_means_latin_1() -> None:
    assert of(b"a,b\n\xe9\x81,1\n").encoding == "latin-1"


def test_the_whole_file_is_looked_at_for_its_encoding() -> None:
    assert of(b"a,b\n" + b"x,1\n" * 400_000 + b"\xe9,2\n").encoding == "cp1252"


def test_an_unfinished_character_is_not_utf_8() -> None:
    assert of(b"a,b\nx,1\xc3").encoding == "cp1252"


def test_inches_are_no_quotes() -> None:
    assert of(b"size,n\n5'6\",1\n").quote == ""
    assert of(b'size,n\n"5",1\n').quote == '"'
    assert of(b"size,n\n5,1\n").quote == '"'


def test_missing_codes_are_suggested_not_decided() -> None:
    dialect = of(b'country,age\nNA,34\n"?",-9\nDE,\n')
    assert dialect.missing == ("",)
    assert set(dialect.suggested_missing) == {"NA", "?", "-9"}
    assert of(b"country,age\nNA,34\n", missing=["", "NA"]).suggested_missing == ()


def test_nothing_is_suggested_to_whoever_asks_nobody() -> None:
    data = b"country,age\nNA,34\n"
    assert sniff(io.BytesIO(data), suggesting=False) == replace(of(data), suggested_missing=())


def test_a_code_inside_a_value_is_no_code() -> None:
    assert of(b"country,age\nNAMIBIA,34\nx-9,a.b\n").suggested_missing == ()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_codes_are_found_wherever_a_value_may_stand(end: str) -> None:
    rows = ["a;b;c", "NA;x;y", 'x;"missing";y', "x;y;--", "-9999;unknownx;xnull", "n;y;9"]
    assert of(end.join(rows).encode()).suggested_missing == ("NA", "--", "-9999", "missing")


def test_what_is_said_wins_and_survives_json() -> None:
    dialect = of(b"a;b\n1;2\n", delimiter=",", missing=["-"])
    assert (dialect.delimiter, dialect.missing) == (",", ("-",))
    assert Dialect().given(dialect.as_json()) == dialect


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"delimiter": ",,"}, "data.delimiter"),
        ({"delimiter": "\n"}, "data.delimiter"),
        ({"delimiter": "§"}, "data.delimiter"),
        ({"quote": ","}, "data.quote"),
        ({"encoding": "utf-7"}, "data.encoding"),
        ({"encoding": "no-such"}, "data.encoding"),
        ({"missing": [1]}, "data.missing"),
        ({"format": "docx"}, "data.format"),
        ({"sheet": 1}, "data"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(said: dict[str, Any], param: str) -> None:
    with pytest.raises(EngineError) as caught:
        of(b"a,b\n1,2\n", **said)
    assert caught.value.param == param


def zipped(name: str) -> bytes:
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "a,b\n1,2\n" * 20_000)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (zipped("data.csv"), "zip-archive", "Unzip"),
        (b"\x1f\x8b\x08aaaa", "compressed", "gzip"),
        (b"\x28\xb5\x2f\xfdaaa", "compressed", "zstandard"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not-read-xls", "Excel"),
        (b"%PDF-1.7", "not-read-pdf", "PDF"),
        (b"PARE", "not-read-encrypted-parquet", "encrypted"),
    ],
)
def test_other_formats_are_named_whatever_the_file_is_called(data: bytes, code: str, word: str) -> None:
    with pytest.raises(EngineError) as caught:
        of(data)
    assert caught.value.code == code
    assert word in caught.value.message
