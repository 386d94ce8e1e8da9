"""How a text file is to be read: sniffed from its content, or said by the steward, never guessed twice."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Any, BinaryIO, TypedDict

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.io.structure import CR, LF, delimiters_between, last_row_end, row_starts

DELIMITERS = (",", ";", "\t", "|")
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "iso-8859-2",
    "iso-8859-15", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp437", "cp850", "koi8-r", "mac-roman",
    "gb18030", "big5", "shift-jis", "euc-kr",
)  # fmt: skip
MISSING_CODES = (
    "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "none", ".", "?", "-", "--",
    "-9", "-99", "-999", "-9999", "99999", "missing", "unknown",
)  # fmt: skip

_SAMPLE = 1 << 20
_COMPARED = 5_000
"""So many rows tell the delimiter."""
_PIECE = 4 << 20
_UNUSED_IN_CP1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")


class DialectJson(TypedDict, total=False):
    """A dialect as JSON spells it, as far as anybody says it."""

    format: str
    delimiter: str
    quote: str
    encoding: str
    missing: Sequence[str]
    suggested_missing: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True)
class Dialect:
    """How to read one file.

    `missing` are the texts that stand for "no value" (the empty text always does); the table keeps every text
    as it was written and only remembers the list, so that another list needs no second reading.
    `suggested_missing` are usual codes that were seen in the sample: a person decides (NA may be Namibia).
    """

    format: str = formats.CSV
    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ("",)
    suggested_missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> DialectJson:
        """Plain JSON values."""
        return {
            "format": self.format,
            "delimiter": self.delimiter,
            "quote": self.quote,
            "encoding": self.encoding,
            "missing": list(self.missing),
            "suggested_missing": list(self.suggested_missing),
            "notes": list(self.notes),
        }

    def given(self, said: DialectJson) -> Dialect:
        """This dialect with what somebody said about the file in place of what was sniffed."""
        known = {field.name for field in fields(self)}
        if unknown := set(said) - known:
            raise _wrong("unknown-setting", f"There is no setting named {sorted(unknown)[0]!r}.", "data")
        changes: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in said.items()
        }
        return _checked(replace(self, **changes))


def _checked(dialect: Dialect) -> Dialect:
    if not _is_mark(dialect.delimiter):
        raise _wrong(
            "delimiter", "The delimiter is one character: a comma, semicolon, tab or bar.", "delimiter"
        )
    if dialect.quote and (not _is_mark(dialect.quote) or dialect.quote == dialect.delimiter):
        raise _wrong("quote", "The quote is one character other than the delimiter, or nothing.", "quote")
    if dialect.encoding not in ENCODINGS:
        raise _wrong("encoding-name", f"The encoding is one of {', '.join(ENCODINGS)}.", "encoding")
    texts = dialect.missing
    if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
        raise _wrong("missing-codes", "The missing codes are a list of texts.", "missing")
    if dialect.format not in formats.READ:
        raise _wrong("format", f"The format is one of {', '.join(formats.READ)}.", "format")
    return dialect


def _is_mark(text: object) -> bool:
    """One byte in every encoding, and no line end."""
    return isinstance(text, str) and len(text) == 1 and text.isascii() and text not in "\r\n\0"


def _wrong(code: str, message: str, name: str) -> EngineError:
    param = name if name == "data" else f"data.{name}"
    return EngineError(f"dialect-{code}", message, param)


def sniff(raw: BinaryIO, said: DialectJson | None = None, suggesting: bool = True) -> Dialect:
    """Find out how to read a file; what is `said` wins over what is seen.

    `suggesting` looks for missing codes too, for those who ask a person about them.
    """
    said = said or {}
    if (kind := formats.detect(raw)) != formats.CSV:
        return Dialect(format=kind).given({"missing": said.get("missing", ())})
    encoding, notes = (said["encoding"], []) if "encoding" in said else _encoding(raw)
    start = Dialect(encoding=encoding, notes=tuple(notes)).given(said)
    sample = _sample(raw, encoding)
    found = _from_sample(start, sample, said)
    return _suggesting(found, sample) if suggesting else found


def _encoding(raw: BinaryIO) -> tuple[str, list[str]]:
    raw.seek(0)
    head = raw.read(4096)
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig", []
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", []
    if wide := _utf16_without_mark(head):
        return wide, [f"The file looks like UTF-16 without a mark; read as {wide}."]
    return _eight_bits(raw)


def _utf16_without_mark(head: bytes) -> str | None:
    """Mostly Latin text in UTF-16 has a NUL in every second byte."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) < 0.4 * len(head) / 2 or min(even, odd) > 0.1 * len(head) / 2:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _eight_bits(raw: BinaryIO) -> tuple[str, list[str]]:
    """UTF-8 when all of the file is; otherwise the Western code pages, and that is said."""
    raw.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, is_cp1252 = True, True
    while (is_utf8 or is_cp1252) and (piece := raw.read(_PIECE)):
        is_utf8 = is_utf8 and (piece.isascii() or _decodes(decoder, piece))
        is_cp1252 = is_cp1252 and not any(byte in piece for byte in _UNUSED_IN_CP1252)
    if is_utf8 and _decodes(decoder, b"", final=True):
        return "utf-8", []
    encoding = "cp1252" if is_cp1252 else "latin-1"
    name = "Windows-1252" if is_cp1252 else "Latin-1"
    return encoding, [f"The file is not UTF-8; it is read as {name}. Check the letters with accents."]


def _decodes(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


def _sample(raw: BinaryIO, encoding: str) -> bytes:
    """The beginning of the file as UTF-8; what does not decode is left to the reader's own refusal."""
    raw.seek(0)
    text = codecs.getincrementaldecoder(encoding)("replace").decode(raw.read(_SAMPLE))
    return text.encode("utf-8", "replace")


def _from_sample(dialect: Dialect, sample: bytes, said: DialectJson) -> Dialect:
    if "quote" not in said and not _quotes_begin_values(sample, said.get("delimiter")):
        dialect = replace(dialect, quote="")
    if "delimiter" not in said:
        dialect = replace(dialect, delimiter=_delimiter(sample, dialect.quote))
    return dialect


def _suggesting(dialect: Dialect, sample: bytes) -> Dialect:
    """With the usual codes that nobody has declared missing yet."""
    seen = _missing_codes(sample, dialect)
    return replace(dialect, suggested_missing=tuple(code for code in seen if code not in dialect.missing))


def _quotes_begin_values(sample: bytes, delimiter: str | None) -> bool:
    """Whether quotes are quotes: in 5'6" one is an inch. Without any, the usual one stands ready."""
    if b'"' not in sample:
        return True
    starts = sum(sample.count(f'{mark}"'.encode()) for mark in ([delimiter] if delimiter else DELIMITERS))
    return starts > 0 or sample.startswith(b'"') or b'\n"' in sample or b'\r"' in sample


def _delimiter(sample: bytes, quote: str) -> str:
    """The candidate that most rows hold equally often; of several, the one that gives more columns."""
    best, chosen = (0.0, 0), DELIMITERS[0]
    whole = sample[: last_row_end(sample, quote, final=len(sample) < _SAMPLE)] or sample
    starts = row_starts(whole, quote)
    if len(starts) > _COMPARED:
        whole, starts = whole[: starts[_COMPARED]], starts[:_COMPARED]
    for mark in DELIMITERS:
        counts = delimiters_between(starts, whole, mark, quote)
        if len(counts) and counts[0]:
            score = (round(float(np.mean(counts == counts[0])), 2), int(counts[0]))
            best, chosen = max((best, chosen), (score, mark))
    return chosen


def _missing_codes(sample: bytes, dialect: Dialect) -> list[str]:
    """Usual codes that stand alone between delimiters, quoted or not, somewhere after the header."""
    quote = dialect.quote.encode()
    spelled = {code: {code.encode(), quote + code.encode() + quote} for code in MISSING_CODES}
    body = sample.partition(b"\n")[2]
    seen = set(_cells_like(set().union(*spelled.values()), body, dialect.delimiter))
    return [code for code, forms in spelled.items() if forms & seen]


def _cells_like(texts: Set[bytes], body: bytes, delimiter: str) -> Iterator[bytes]:
    """The cells that are no longer than these texts and begin and end like one, in one scan."""
    framed = b"\n" + body + b"\n"
    array = np.frombuffer(framed, np.uint8)
    edges = np.flatnonzero((array == LF) | (array == CR) | (array == ord(delimiter)))
    starts, ends = edges[:-1] + 1, edges[1:]
    first, last = np.zeros((2, 256), bool)
    first[[text[0] for text in texts]] = last[[text[-1] for text in texts]] = True
    like = (starts < ends) & (ends - starts <= max(map(len, texts)))
    like[like] = first[array[starts[like]]] & last[array[ends[like] - 1]]
    return (framed[start:end] for start, end in zip(starts[like].tolist(), ends[like].tolist(), strict=True))
