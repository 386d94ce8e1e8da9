"""How much of a file somebody else made we are willing to take in."""

from __future__ import annotations

from dataclasses import dataclass

from worker.engine.errors import LimitExceeded
from worker.engine.wording import measured, thousands

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Counted while reading; what a file claims of itself is not believed."""

    columns: int = 2_000
    rows: int = 200_000_000
    cell_bytes: int = MEBIBYTE
    row_bytes: int = 16 * MEBIBYTE
    name_characters: int = 200
    decoded_bytes: int = 64 * 1024 * MEBIBYTE
    seconds: float = 600.0

    def check_rows(self, rows: int) -> None:
        """Refuse to go on when there are too many rows."""
        if rows > self.rows:
            raise LimitExceeded(
                "rows",
                f"The file holds more than {thousands(self.rows)} rows, which is the limit. Split it "
                "into parts.",
            )

    def check_decoded(self, size: int) -> None:
        """Refuse to go on when the file unfolds into too much."""
        if size > self.decoded_bytes:
            raise LimitExceeded(
                "memory",
                f"The file unfolds to more than {measured(self.decoded_bytes // MEBIBYTE, 'MiB')}, "
                "which is the limit. "
                "Split it into parts or leave out columns that the release does not need.",
            )
