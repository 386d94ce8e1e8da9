"""A table as a file of SPSS or Stata: numbers as numbers, categories as codes with their labels.

The library writes to a path and notes the time: the path is a nameless file in memory, and the time is taken
out again, so that the same rows give the same bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import NUMERIC
from worker.engine.tables.table import Chunk
from worker.engine.wording import thousands

if TYPE_CHECKING:
    import pandas as pd

MOST_CATEGORIES, LONGEST_LABEL, LONGEST_TEXT = 1_000, 120, 2_045
NUMBER = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,14})?$"
_NO_DATE, _NO_TIME, _NO_STAMP = b"01 Jan 70", b"00:00:00", b"01 Jan 1970 00:00"
_SAV_DATE = 92


class StatisticalTable:
    """All rows are held until the end: the labels of a column stand before its first value."""

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        for position, name in enumerate(names, start=1):
            if not re.fullmatch(formats.NAMES[kind], name):
                text = (
                    f"{formats.TOOLS[kind]} cannot hold the name of column {thousands(position)}: it "
                    "takes short names of letters, digits and underscores. Rename the column or write CSV."
                )
                raise EngineError("name-unwritable", text, "out")
        self._kind, self._names, self.rows = kind, tuple(names), 0
        self._pieces: dict[str, list[pa.Array]] = {name: [] for name in names}
        self._numeric: set[str] = set()

    def write(self, chunk: Chunk) -> None:
        """Take some rows."""
        self.rows += chunk.rows
        for name in self._names:
            self._pieces[name].append(_texts(chunk[name]))
            if chunk[name].kind in NUMERIC:
                self._numeric.add(name)

    def close(self) -> bytes:
        """The file."""
        import pandas as pd
        import pyreadstat

        labels: dict[str, dict[int, str]] = {}
        columns = {name: self._column(name, labels) for name in self._names}
        frame = pd.DataFrame(columns)
        write = pyreadstat.write_sav if self._kind == formats.SAV else pyreadstat.write_dta
        return _without_time(_made(write, frame, labels), self._kind)

    def _column(self, name: str, labels: dict[str, dict[int, str]]) -> pd.Series[Any]:
        """Numbers, codes with labels, or texts."""
        import pandas as pd

        texts = pa.chunked_array(self._pieces[name] or [pa.array([], pa.string())])
        if name in self._numeric and pc.all(pc.match_substring_regex(texts, NUMBER)).as_py() is not False:
            return pd.Series(pc.cast(texts, pa.float64()).to_numpy(), dtype="float64")
        listed = sorted(pc.unique(texts).drop_null().to_pylist())
        longest = max((len(text.encode()) for text in listed), default=0)
        if len(listed) <= MOST_CATEGORIES and longest <= LONGEST_LABEL:
            labels[name] = dict(enumerate(listed, start=1))
            codes = pc.index_in(texts, pa.array(listed, pa.string()))
            return pd.Series(pc.add(pc.cast(codes, pa.float64()), 1.0).to_numpy(), dtype="float64")
        if longest > LONGEST_TEXT:
            text = (
                f"A value is longer than {thousands(LONGEST_TEXT)} bytes, which such a file cannot hold. "
                "Write CSV."
            )
            raise EngineError("cell-too-large", text, "out")
        return pd.Series(texts.fill_null("").to_pylist(), dtype=object)


def _texts(column: Column) -> pa.Array:
    """The text of each row; nothing where there is no value."""
    texts = pa.array(column.texts(), pa.string())
    return pc.if_else(pa.array(column.missing_rows), pa.scalar(None, pa.string()), texts)


def _made(write: Callable[..., Any], frame: Any, labels: dict[str, dict[int, str]]) -> bytes:
    memory = os.memfd_create("statistical", os.MFD_CLOEXEC)
    try:
        write(frame, f"/proc/self/fd/{memory}", variable_value_labels=labels)
        with open(f"/proc/self/fd/{memory}", "rb") as file:  # noqa: PTH123 - no path of a file system
            return file.read()
    finally:
        os.close(memory)


def _without_time(made: bytes, kind: str) -> bytes:
    if kind == formats.SAV:
        stamp = _NO_DATE + _NO_TIME
        return made[:_SAV_DATE] + stamp + made[_SAV_DATE + len(stamp) :]
    head, mark, rest = made.partition(b"<timestamp>")
    return head + mark + rest[:1] + _NO_STAMP[: rest[0]] + rest[1 + rest[0] :]
