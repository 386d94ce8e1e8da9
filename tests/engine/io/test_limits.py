"""A limit holds up to itself, and says what to do beyond."""

from __future__ import annotations

import pytest

from worker.engine.errors import LimitExceeded
from worker.engine.io.limits import MEBIBYTE, Limits


def test_rows() -> None:
    limits = Limits(rows=1_000)
    limits.check_rows(1_000)
    with pytest.raises(LimitExceeded, match=r"more than 1.000 rows.*Split it"):
        limits.check_rows(1_001)


def test_what_a_file_unfolds_into() -> None:
    limits = Limits(decoded_bytes=5 * MEBIBYTE)
    limits.check_decoded(5 * MEBIBYTE)
    with pytest.raises(LimitExceeded, match=r"5.MiB"):
        limits.check_decoded(5 * MEBIBYTE + 1)
