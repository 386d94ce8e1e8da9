"""A file is read once, by several threads even when it is small."""

import io

from worker.engine.io import source
from worker.engine.io.dialect import sniff
from worker.engine.io.lines import LEAST_PIECE, PIECE, piece_of
from worker.engine.io.source import open_table

TEXT = b"a,b\n" + b"one,two\n" * 200_000


class Watched(io.BytesIO):
    """Counts the bytes that are read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.taken += len(found)
        return found


def test_names_and_rows_come_from_one_reading() -> None:
    file = Watched(TEXT)
    dialect = sniff(file)
    file.taken = 0
    assert open_table(file, dialect).rows == 200_000
    assert len(TEXT) <= file.taken < 1.1 * len(TEXT)


def test_a_small_file_is_parsed_in_several_pieces() -> None:
    assert piece_of(io.BytesIO(b"a")) == LEAST_PIECE
    assert LEAST_PIECE < piece_of(io.BytesIO(TEXT)) < len(TEXT) // 3
    assert piece_of(io.BytesIO(bytes(64 * PIECE))) == PIECE


def test_a_table_that_may_not_depend_on_its_rows_is_read_in_equal_pieces(monkeypatch) -> None:
    monkeypatch.setattr(source, "piece_of", None)
    said = {"delimiter": ",", "encoding": "utf-8"}
    assert open_table(io.BytesIO(TEXT), said, lenient=True).rows == 200_000
