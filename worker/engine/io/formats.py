"""What a file is, by its first bytes: names lie."""

from __future__ import annotations

import os
from typing import BinaryIO

from worker.engine.errors import EngineError

CSV = "csv"
PARQUET = "parquet"
XLSX, SAV, POR, DTA, SAS7BDAT = "xlsx", "sav", "por", "dta", "sas7bdat"
FURTHER = (XLSX, SAV, DTA)
"""What a release can be written as besides CSV and Parquet."""
WORKBOOK_ROWS = 1_048_575
"""Below the header."""
TOOLS = {XLSX: "Excel", SAV: "SPSS", DTA: "Stata"}
NAMES = {SAV: r"[A-Za-z@#$][A-Za-z0-9_.@#$]{0,63}", DTA: r"[A-Za-z_][A-Za-z0-9_]{0,31}"}
"""The names a column may have there; every other format takes any."""
READ = (CSV, PARQUET, XLSX, SAV, POR, DTA, SAS7BDAT)
TITLES = {
    XLSX: "The Excel workbook",
    SAV: "The SPSS file",
    POR: "The portable SPSS file",
    DTA: "The Stata file",
    SAS7BDAT: "The SAS file",
}

_SAS7BDAT = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
_SAVE_AS = "Save the table as CSV or Parquet and upload that."

_STATISTICAL = ((b"$FL2", SAV), (b"$FL3", SAV), (b"<stata_dta>", DTA), (_SAS7BDAT, SAS7BDAT))
_PORTABLE, _PORTABLE_AT, _PORTABLE_HEAD = b"SPSSPORT", 456, 1024
"""Behind five lines of greeting and a table of its signs; lines end after 80 of them."""
_OLD_STATA = (b"\x6e", b"\x6f", b"\x71", b"\x72", b"\x73")

_NOT_READ_YET = (
    (b"HEADER RECORD*******", "sas", "a SAS transport file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "xls", "an old Excel workbook"),
    (b"ARROW1\0\0", "arrow", "an Arrow file"),
    (b"ORC", "orc", "an ORC file"),
    (b"SQLite format 3\0", "sqlite", "an SQLite database"),
    (b"RDX2\n", "r-data", "an R data file"),
    (b"RDX3\n", "r-data", "an R data file"),
    (b"%PDF-", "pdf", "a PDF document"),
    (b"PARE", "encrypted-parquet", "an encrypted Parquet file"),
)

_COMPRESSED = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"Rar!\x1a\x07", "RAR"),
)


def no_rows() -> EngineError:
    """The refusal of data that are a header alone."""
    return EngineError(
        "no-rows", "The file holds a header and no rows. Export the table again with its rows."
    )


def detect(raw: BinaryIO) -> str:
    """One of `READ`; anything recognised that is none of them is refused with what to do about it."""
    raw.seek(0)
    head = raw.read(64)
    if not head:
        raise EngineError("empty-file", "The file is empty. Export the table again and upload that.")
    if head.startswith(b"PAR1"):
        return PARQUET
    if head.startswith(b"PK\x03\x04"):
        return _workbook(raw)
    if kind := _statistical(head):
        return kind
    if _is_portable(raw):
        return POR
    _refuse_compressed(head)
    _refuse_unread(head)
    return CSV


def _workbook(raw: BinaryIO) -> str:
    if _is_workbook(raw):
        return XLSX
    raise EngineError(
        "zip-archive", "This is a ZIP archive, whatever its name says. Unzip it and upload the table inside."
    )


def _statistical(head: bytes) -> str | None:
    if head[:1] in _OLD_STATA and head[1:4] in (b"\1\1\0", b"\2\1\0"):
        return DTA
    return next((kind for magic, kind in _STATISTICAL if head.startswith(magic)), None)


def _is_portable(raw: BinaryIO) -> bool:
    """Whether the signature stands where it belongs, however lines end."""
    raw.seek(0)
    signs = raw.read(_PORTABLE_HEAD).translate(None, b"\r\n")
    return signs[_PORTABLE_AT:].startswith(_PORTABLE)


def _is_workbook(raw: BinaryIO) -> bool:
    """Look for the parts of a workbook near both ends, without unpacking anything."""
    raw.seek(0)
    head = raw.read(65_536)
    end = raw.seek(0, os.SEEK_END)
    raw.seek(max(0, end - 65_536))
    return b"xl/workbook" in head or b"xl/workbook" in raw.read()


def _refuse_compressed(head: bytes) -> None:
    for magic, name in _COMPRESSED:
        if head.startswith(magic):
            raise EngineError(
                "compressed", f"This file is compressed ({name}). Decompress it and upload the table inside."
            )


def _refuse_unread(head: bytes) -> None:
    for magic, code, name in _NOT_READ_YET:
        if head.startswith(magic):
            raise _not_read_yet(code, name)


def _not_read_yet(code: str, name: str) -> EngineError:
    return EngineError(f"not-read-{code}", f"This is {name}, which is not yet read here. {_SAVE_AS}")
