"""An Excel workbook of one sheet: numbers as numbers, every other value as an inline string, nothing else.

No author, no time, no shared list of texts, no style: the same rows give the same bytes, and no formula can
come of a text.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
from io import RawIOBase
from typing import cast
from xml.sax.saxutils import escape

from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io.formats import WORKBOOK_ROWS
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import NUMERIC
from worker.engine.tables.table import Chunk
from worker.engine.wording import thousands

MOST_COLUMNS, LONGEST_CELL = 16_384, 32_767
ROWS_AT_ONCE = 4_096
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,14})?")
_MOST_DIGITS = 15  # a workbook keeps no more of a number
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\r|_(?=x[0-9A-Fa-f]{4}_)")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


class Sheet:
    """The sheet of a new workbook, written from its first row to its last."""

    def __init__(self, out: RawIOBase, names: Sequence[str]) -> None:
        if len(names) > MOST_COLUMNS:
            raise LimitExceeded(
                "columns", f"A workbook holds at most {thousands(MOST_COLUMNS)} columns. Write CSV."
            )
        self._archive = zipfile.ZipFile(cast("zipfile._SupportsReadSeekTell", out), "w")  # type: ignore[call-overload]
        for name, text in _PARTS.items():
            self._archive.writestr(_part(name), _HEAD + text)
        self._names, self.rows = tuple(names), 0
        self._sheet = self._archive.open(_part("xl/worksheets/sheet1.xml"), "w", force_zip64=True)
        self._sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
        self._sheet.write(_row([_text(name) for name in names]))

    def write(self, chunk: Chunk) -> None:
        """Append rows."""
        self.rows += chunk.rows
        if self.rows > WORKBOOK_ROWS:
            text = (
                f"A workbook holds at most {thousands(WORKBOOK_ROWS)} rows below its header. Write CSV or "
                "Parquet."
            )
            raise LimitExceeded("rows", text)
        columns = [_cells(chunk[name]) for name in self._names]
        for first in range(0, chunk.rows, ROWS_AT_ONCE):
            pieces = [column[first : first + ROWS_AT_ONCE] for column in columns]
            self._sheet.write(b"".join(map(_row, zip(*pieces, strict=True))))

    def close(self) -> None:
        """Finish the sheet and the workbook."""
        self._sheet.write(b"</sheetData></worksheet>")
        self._sheet.close()
        self._archive.close()


def _part(name: str) -> zipfile.ZipInfo:
    """A part without a time of its own."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _cells(column: Column) -> list[str]:
    """Each label that occurs is laid out once, however many rows hold it."""
    numeric, texts, codes = column.kind in NUMERIC, column.label_texts, column.codes.tolist()
    laid = {code: "<c/>" if column.missing[code] else _cell(texts[code], numeric) for code in set(codes)}
    return [laid[code] for code in codes]


def _cell(text: str, numeric: bool) -> str:
    if numeric and _NUMBER.fullmatch(text) and sum(map(str.isdigit, text)) <= _MOST_DIGITS:
        return f"<c><v>{text}</v></c>"
    return _text(text)


def _text(text: str) -> str:
    if len(text) > LONGEST_CELL:
        where = (
            f"A value is longer than {thousands(LONGEST_CELL)} characters, which a workbook cannot hold. "
            "Write CSV."
        )
        raise EngineError("cell-too-large", where)
    safe = escape(_UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", text))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{safe}</t></is></c>' if safe else "<c/>"


def _row(cells: Iterable[str]) -> bytes:
    return f"<row>{''.join(cells)}</row>".encode()
