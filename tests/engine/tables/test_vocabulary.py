"""One code per text of a column: labels that were foreseen cost nothing per row."""

from __future__ import annotations

import pytest

from worker.engine.tables import vocabulary
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.vocabulary import Vocabulary


def column(*texts: str) -> Column:
    return Column.of_texts("town", texts, Kind.CATEGORICAL)


def test_foreseen_labels_are_not_looked_for_in_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    words, rows = Vocabulary(), column("b", "a", "b", "c")
    words.foresee(rows)
    monkeypatch.delattr(vocabulary, "tally")
    assert words.encode(rows).tolist() == [1, 0, 1, 2]
    assert words.texts == ["a", "b", "c"]


def test_labels_that_nobody_foresaw_enter_when_a_row_holds_them() -> None:
    words, first, second = Vocabulary(), column("b", "a"), column("d", "b", "x").take(slice(0, 2))
    words.foresee(first)
    assert words.encode(first).tolist() == [1, 0]
    assert words.encode(second).tolist() == [2, 1]
    assert words.texts == ["a", "b", "d"]
