"""Excel workbooks: the first sheet that is not hidden, its first row the names."""

from __future__ import annotations

import datetime as dt
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io.limits import MEBIBYTE, Limits
from worker.engine.wording import thousands

if TYPE_CHECKING:
    from worker.engine.io.foreign import OfFile

ROWS_PER_PIECE = 16_384
MOST_PARTS = 10_000
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
MOST_UNPACKED = 2 * 1024 * MEBIBYTE
SMALL_PART, MOST_TIMES = 8 * MEBIBYTE, 200
"""Sheets shrink to a tenth or a thirtieth; a part that unfolds two hundredfold was made to hurt."""


class Workbook:
    """A workbook; formulas count by the values that were last computed."""

    def __init__(self, raw: BinaryIO, _kind: str, limits: Limits) -> None:
        _check_archive(raw)
        self._limits = limits
        self._rows = _rows_of(raw)
        names = [text_of(value) or "" for value in next(self._rows, ())]
        while names and not names[-1].strip():
            names.pop()
        if not names:
            raise EngineError("empty-header", "The first sheet is empty. Put the table on the first sheet.")
        self.names = tuple(names)
        self.labels: Mapping[str, OfFile] = {}

    def pieces(self) -> Iterator[list[list[str | None]]]:
        """Rows as columns of texts; rows without any value below the last one are not rows."""
        width, blank = len(self.names), 0
        held: list[list[str | None]] = []
        for number, row in enumerate(self._rows, start=2):
            texts = [text_of(value) for value in row]
            if not any(texts):
                blank += 1
                self._limits.check_rows(blank)
                continue
            held += [[None] * width] * blank
            held.append(_fitting(texts, width, number))
            blank = 0
            if len(held) >= ROWS_PER_PIECE:
                yield _turned(held)
                held = []
        if held:
            yield _turned(held)


def _turned(rows: Sequence[Sequence[str | None]]) -> list[list[str | None]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _fitting(texts: list[str | None], width: int, number: int) -> list[str | None]:
    if any(texts[width:]):
        text = (
            f"Row {thousands(number)} has values beyond the {thousands(width)} columns that have names. "
            "Name every column."
        )
        raise EngineError("ragged-row", text)
    return (texts + [None] * width)[:width]


def _rows_of(raw: BinaryIO) -> Iterator[Iterable[Any]]:
    import defusedxml  # noqa: F401 - openpyxl reads through it when it is there, and it has to be there
    import openpyxl

    assert openpyxl.DEFUSEDXML
    raw.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about decoration that is not read anyway
        book = openpyxl.load_workbook(raw, read_only=True, data_only=True, keep_links=False)
        sheet = next((one for one in book.worksheets if one.sheet_state == "visible"), None)
        if sheet is None:
            raise EngineError("no-sheet", "The workbook shows no sheet with a table. Save the table as CSV.")
        sheet.reset_dimensions()  # what it claims of its size is not believed
        for row in sheet.iter_rows(values_only=True):
            yield [_unescaped(value) for value in row]


def _unescaped(value: Any) -> Any:
    """`_x000D_` stands for a sign that XML cannot hold."""
    if not isinstance(value, str) or "_x" not in value:
        return value
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


def _check_archive(raw: BinaryIO) -> None:
    """Count what the parts would unfold to before one of them is unfolded."""
    raw.seek(0)
    with zipfile.ZipFile(raw) as archive:
        parts = archive.infolist()
    large = [part for part in parts if part.file_size > SMALL_PART]
    bomb = any(part.file_size > MOST_TIMES * max(part.compress_size, 1) for part in large)
    if bomb or len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        text = "The workbook unfolds to far more than it should. Save the table as CSV and upload that."
        raise LimitExceeded("memory", text)


def text_of(value: Any) -> str | None:
    """One cell as CSV would hold it; nothing for a cell without a value."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return None if value != value else str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, dt.datetime):
        day = value.time() == dt.time() and value.tzinfo is None
        return value.date().isoformat() if day else value.isoformat(" ")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
