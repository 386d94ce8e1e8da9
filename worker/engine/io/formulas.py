"""Texts that a spreadsheet would run: `=1+1`, `@x`, `+49`, and their full-width twins.

In CSV such a text leaves with an apostrophe in front, which spreadsheets show as text; the number of cells
is counted for the manifest. A number in a numeric column (-5, +1.2) stays as it is. Parquet is typed and
opened by programs: there the texts leave untouched, and are counted all the same.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.io.kinds import DECIMAL
from worker.engine.tables.column import Column

PREFIX = "'"
_RISKY = "^[=+\\-@\t\r\n＝＋－＠]"


def risky(texts: pa.Array, numeric: bool) -> pa.Array:
    """Which texts a spreadsheet may take for a formula."""
    found = pc.match_substring_regex(texts, _RISKY)
    if numeric:
        found = pc.and_(found, pc.invert(pc.match_substring_regex(texts, DECIMAL)))
    return found


def risky_labels(column: Column) -> pa.Array:
    """The same, for each label of a column."""
    return risky(column.labels, column.is_numeric)


def defused(texts: pa.Array, found: pa.Array) -> pa.Array:
    """The texts with an apostrophe in front of the risky ones."""
    prefix, nothing = (pa.scalar(text, texts.type) for text in (PREFIX, ""))
    return pc.if_else(found, pc.binary_join_element_wise(prefix, texts, nothing), texts)


def defused_name(name: str) -> str:
    """A column's name as it stands in a CSV header."""
    return str(defused(pa.array([name]), risky(pa.array([name]), numeric=False))[0])
