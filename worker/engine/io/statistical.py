"""Files of SPSS, Stata and SAS: values take their labels, and the labels are the declared categories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from worker.engine.errors import LimitExceeded
from worker.engine.io import formats
from worker.engine.io.limits import MEBIBYTE, Limits
from worker.engine.io.workbook import text_of
from worker.engine.tables.kinds import Kind

if TYPE_CHECKING:
    from worker.engine.io.foreign import OfFile

ROWS_PER_PIECE = 262_144
MOST_BYTES = 4 * 1024 * MEBIBYTE
COPIED = 4 * MEBIBYTE


class Statistical:
    """One file; the library reads from a path, so the bytes lie in memory under a path of this process."""

    def __init__(self, raw: BinaryIO, kind: str, _limits: Limits) -> None:
        import pyreadstat

        readers: dict[str, Callable[..., Any]] = {
            formats.SAV: pyreadstat.read_sav,
            formats.POR: pyreadstat.read_por,
            formats.DTA: pyreadstat.read_dta,
            formats.SAS7BDAT: pyreadstat.read_sas7bdat,
        }
        self._read = readers[kind]
        self._memory = _in_memory(raw)
        self._path = f"/proc/self/fd/{self._memory}"
        _, about = self._read(self._path, metadataonly=True)
        self.names = tuple(about.column_names)
        self._words = {name: _words(labels) for name, labels in about.variable_value_labels.items()}
        texts = dict(zip(about.column_names, about.column_labels, strict=True))
        scales = about.variable_measure
        self.labels: Mapping[str, OfFile] = {
            name: _described(texts.get(name), self._words.get(name), scales.get(name)) for name in self.names
        }

    def __del__(self) -> None:
        if hasattr(self, "_memory"):
            os.close(self._memory)

    def pieces(self) -> Iterator[list[list[str | None]]]:
        """Some rows at a time; the library decodes them from the beginning of the file."""
        first = 0
        while True:
            more: dict[str, Any] = {"row_offset": first, "row_limit": ROWS_PER_PIECE, "output_format": "dict"}
            columns, _ = self._read(self._path, **more)
            piece = [self._texts(name, columns[name]) for name in self.names]
            rows = len(piece[0]) if piece else 0
            if rows:
                yield piece
            if rows < ROWS_PER_PIECE:
                return
            first += rows

    def _texts(self, name: str, values: Any) -> list[str | None]:
        plain = [text_of(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]
        words = self._words.get(name)
        return [words.get(text, text) if text else text for text in plain] if words else plain


def _words(labels: Mapping[Any, str]) -> dict[str, str]:
    """The label of each code; codes stay codes where two of them have the same label."""
    told = {text_of(code) or "": str(label).strip() for code, label in sorted(labels.items(), key=_by_code)}
    return told if len(set(told.values())) == len(told) and all(told.values()) else {}


def _by_code(pair: tuple[Any, str]) -> tuple[bool, Any]:
    return isinstance(pair[0], str), pair[0]


def _described(text: str | None, words: Mapping[str, str] | None, scale: str | None) -> OfFile:
    said: OfFile = {"label": text.strip()} if text and text.strip() else {}
    if not words:
        return said
    kind = Kind.ORDINAL if scale == "ordinal" else Kind.CATEGORICAL
    return {**said, "categories": list(words.values()), "kind": kind.value}


def _in_memory(raw: BinaryIO) -> int:
    """A nameless file that never touches the disk."""
    raw.seek(0)
    memory, size = os.memfd_create("statistical", os.MFD_CLOEXEC), 0
    try:
        while piece := raw.read(COPIED):
            size += len(piece)
            if size > MOST_BYTES:
                text = "The file is larger than 4 GiB, which is not read in this format. Save it as CSV."
                raise LimitExceeded("memory", text)
            view = memoryview(piece)
            while view:
                view = view[os.write(memory, view) :]
    except BaseException:
        os.close(memory)
        raise
    return memory
