"""Parquet -> the same batches of text as from CSV. Such a file may be made to hurt: no claim is believed.

Each column is a stream of its own, so that a projection costs only what it asks for, and pieces have the
same borders whatever else is read. Numbers and dates take their plain text; a NaN is a missing value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.io.csv_reader import TEXT
from worker.engine.io.limits import Limits
from worker.engine.io.names import check_names, refuse_too_many
from worker.engine.io.strict_json import BadJson, loads
from worker.engine.tables.dense import plain_texts
from worker.engine.wording import measured, thousands

if TYPE_CHECKING:
    import pyarrow.parquet as pq

PIECE_ROWS = 4 * 65_536
METADATA_KEY = b"table"
_THRIFT_BYTES = 64 << 20


class ParquetReader:
    """Flat columns of texts, numbers, truth values and dates; anything else is refused by its position."""

    def __init__(self, raw: BinaryIO, limits: Limits) -> None:
        self._limits, self._raw = limits, raw
        with _explained():
            schema = self._open(()).schema_arrow
            refuse_too_many(len(schema), limits)
            self.names: tuple[str, ...] = tuple(schema.names)
            check_names(self.names, limits)
            _check_types(schema)
            self._file = self._open([field.name for field in schema if _is_text(field.type)])
        self.rows = int(self._file.metadata.num_rows)
        limits.check_rows(self.rows)

    def _open(self, dictionaries: Sequence[str]) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(
            pa.PythonFile(self._raw, mode="r"),
            read_dictionary=list(dictionaries),
            buffer_size=1 << 20,
            pre_buffer=False,
            thrift_string_size_limit=_THRIFT_BYTES,
            thrift_container_size_limit=1_000_000,
        )

    @property
    def metadata(self) -> dict[str, Any]:
        """What our own writer noted in the file: kinds and missing codes. Empty for any other file."""
        noted = (self._file.metadata.metadata or {}).get(METADATA_KEY)
        try:
            known = loads(noted) if noted else {}
        except BadJson:
            return {}
        return known if isinstance(known, dict) else {}

    def column(self, name: str, dense: Set[str] = frozenset()) -> Iterator[pa.Array]:
        """One column from its first row to its last, in pieces: dictionaries, or numbers and texts as they
        are while it is in `dense`."""
        position, rows, decoded = self.names.index(name) + 1, 0, 0
        with _explained(position):
            for piece in self._pieces(name):
                rows, decoded = rows + len(piece), decoded + piece.nbytes
                self._limits.check_rows(rows)
                self._limits.check_decoded(decoded)
                yield self._as_text(piece, position, name in dense)
        if rows != self.rows:
            raise _damaged(position)

    def _pieces(self, name: str) -> Iterator[pa.Array]:
        for group in range(self._file.num_row_groups):
            for batch in self._file.iter_batches(PIECE_ROWS, [group], [name], use_threads=False):
                yield batch.column(batch.schema.get_field_index(name))

    def _as_text(self, piece: pa.Array, position: int, dense: bool) -> pa.Array:
        if dense and (pa.types.is_int64(piece.type) or pa.types.is_float64(piece.type)):
            return piece
        if dense:
            piece = plain_texts(piece)
        elif not pa.types.is_dictionary(piece.type):
            piece = _dictionary_of_text(piece)
        elif piece.type != TEXT:
            values = pc.cast(piece.dictionary, pa.string())
            piece = pa.DictionaryArray.from_arrays(pc.cast(piece.indices, pa.int32()), values)
        longest = pc.max(pc.binary_length(getattr(piece, "dictionary", piece))).as_py() or 0
        if longest > self._limits.cell_bytes:
            raise EngineError(
                "cell-too-large",
                f"Column {thousands(position)} holds a value longer than "
                f"{measured(self._limits.cell_bytes // 1024, 'KiB')}, "
                "which is the limit. Shorten it or leave the column out.",
            )
        return piece

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The columns side by side, in the order asked for."""
        chosen = list(self.names if names is None else names)
        streams = [self.column(name) for name in chosen]
        held: list[pa.Array] = [_next(stream) for stream in streams]
        while rows := min(len(piece) for piece in held):
            yield pa.RecordBatch.from_arrays([piece.slice(0, rows) for piece in held], chosen)
            held = [
                piece.slice(rows) if len(piece) > rows else _next(stream)
                for piece, stream in zip(held, streams, strict=True)
            ]


def _next(stream: Iterator[pa.Array]) -> pa.Array:
    """The next piece that has rows; an empty one at the end."""
    return next((piece for piece in stream if len(piece)), pa.array([], TEXT))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _check_types(schema: pa.Schema) -> None:
    for position, field in enumerate(schema, start=1):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_nested(kind):
            raise EngineError(
                "nested-column",
                f"Column {thousands(position)} holds lists or records inside its values. "
                "Spread them over plain columns.",
            )
        if not _is_plain(kind):
            raise EngineError(
                "unsupported-type",
                f"Column {thousands(position)} has the type {kind}, which is not read here. "
                "Convert it to text or numbers.",
            )


def _is_plain(kind: pa.DataType) -> bool:
    """Types whose values have one plain text."""
    known = pa.types
    return bool(
        _is_text(kind)
        or known.is_integer(kind)
        or known.is_float32(kind)
        or known.is_float64(kind)
        or known.is_decimal(kind)
        or known.is_boolean(kind)
        or known.is_date(kind)
        or known.is_timestamp(kind)
        or known.is_time(kind)
        or known.is_null(kind)
    )


def _dictionary_of_text(values: pa.Array) -> pa.DictionaryArray:
    """Distinct values first: few of them have to be turned into text."""
    if not pa.types.is_integer(values.type):  # 0.0 and -0.0, and every NaN, are told apart by their text
        return _null_or_text(values).dictionary_encode()
    distinct = values.dictionary_encode()
    texts = _null_or_text(distinct.dictionary)
    return pa.DictionaryArray.from_arrays(pc.cast(distinct.indices, pa.int32()), texts)


def _null_or_text(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return pc.cast(values, pa.string())


@contextmanager
def _explained(position: int | None = None) -> Iterator[None]:
    """Arrow's messages may hold values or nonsense; ours say where and what to do."""
    try:
        yield
    except MemoryError:
        raise LimitExceeded(
            "memory", "The file unfolds to more than the memory allowed for it. Split it into parts."
        ) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if getattr(error, "errno", None):  # the system's own words: disk or memory, not the file's content
            raise
        raise _damaged(position) from None


def _damaged(position: int | None) -> EngineError:
    where = "The Parquet file" if position is None else f"Column {thousands(position)} of the Parquet file"
    return EngineError("parquet-unreadable", f"{where} is damaged or cut short. Export the table again.")
