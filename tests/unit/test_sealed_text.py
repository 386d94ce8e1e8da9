"""Sealed texts: another each time, opened for their purpose alone."""

from __future__ import annotations

import pytest

from stewardapp.sealed_text import MARK, NotSealed, is_sealed, sealed, unsealed


@pytest.mark.parametrize("text", ["", "a", "ä語\n", "sealed:"])
def test_it_comes_back(text: str) -> None:
    kept = sealed(text, "tests")
    assert is_sealed(kept)
    assert unsealed(kept, "tests") == text
    assert sealed(text, "tests") != kept


def test_nothing_of_the_text_is_in_it() -> None:
    assert "canary" not in sealed("canary", "tests")


def test_what_was_not_sealed_here_is_refused() -> None:
    kept = sealed("text", "tests")
    changed = kept[:-6] + ("A" if kept[-6] != "A" else "B") + kept[-5:]
    for wrong in ("text", MARK, MARK + "AAAA", changed, MARK + "Ag" + kept[len(MARK) + 2 :]):
        with pytest.raises(NotSealed):
            unsealed(wrong, "tests")
    with pytest.raises(NotSealed):
        unsealed(kept, "another")
