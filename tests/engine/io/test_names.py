"""Names of columns: refused by position, never by what they say."""

from __future__ import annotations

import pytest

from worker.engine.errors import EngineError
from worker.engine.io.limits import Limits
from worker.engine.io.names import check_names, refuse_too_many

LIMITS = Limits(columns=3, name_characters=5)


def test_names_of_their_own() -> None:
    check_names(["age", "Age", "age "], LIMITS)


@pytest.mark.parametrize(
    ("names", "code", "positions"),
    [
        (["a", " "], "empty-header", "Column 2 "),
        (["a", "secret"], "long-header", "column 2 "),
        (["kim", "b", "kim"], "duplicate-header", "Columns 1 and 3 "),
    ],
)
def test_what_is_refused(names: list[str], code: str, positions: str) -> None:
    with pytest.raises(EngineError) as refused:
        check_names(names, LIMITS)
    assert refused.value.code == code
    assert positions in str(refused.value)
    assert not any(name.strip() and name in str(refused.value).split() for name in names if len(name) > 1)


def test_too_many() -> None:
    refuse_too_many(3, LIMITS)
    with pytest.raises(EngineError, match="4 columns; the limit is 3"):
        refuse_too_many(4, LIMITS)
