"""A file is what its first bytes say; what is not read is refused with what to do."""

from __future__ import annotations

import io
import zipfile

import pytest

from worker.engine.errors import EngineError
from worker.engine.io.formats import CSV, DTA, PARQUET, POR, SAS7BDAT, SAV, XLSX, detect, no_rows


def zipped(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 10)
    return made.getvalue()


PORTABLE = b"A" * 200 + b"B" * 256 + b"SPSSPORT"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"age,sex\n1,2\n", CSV),
        (b"PAR1....", PARQUET),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), XLSX),
        (b"$FL2@(#) SPSS", SAV),
        (b"$FL3@(#) SPSS", SAV),
        (b"<stata_dta><header>", DTA),
        (b"\x72\x02\x01\x00" + b"\0" * 60, DTA),
        (bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011") + b"\0", SAS7BDAT),
        (PORTABLE, POR),
        (b"\r\n".join(PORTABLE[at : at + 80] for at in range(0, len(PORTABLE), 80)), POR),
        (b"rows of text that speak of SPSSPORT", CSV),
    ],
)
def test_what_is_read(data: bytes, kind: str) -> None:
    assert detect(io.BytesIO(data)) == kind


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (zipped("table.csv"), "zip-archive"),
        (b"\x1f\x8b\x08", "compressed"),
        (b"7z\xbc\xaf\x27\x1c", "compressed"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not-read-xls"),
        (b"SQLite format 3\0", "not-read-sqlite"),
        (b"%PDF-1.7", "not-read-pdf"),
        (b"PARE....", "not-read-encrypted-parquet"),
    ],
)
def test_what_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(EngineError) as refused:
        detect(io.BytesIO(data))
    assert refused.value.code == code
    assert any(word in str(refused.value) for word in ("Save", "Unzip", "Decompress", "Export"))


def test_a_header_alone_is_no_table() -> None:
    assert no_rows().code == "no-rows"
