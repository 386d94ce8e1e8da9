"""Equal documents are spelled alike."""

from __future__ import annotations

import pytest

from stewardapp.canonical import canonical, sha256_of


def test_one_spelling() -> None:
    assert canonical({"b": [1, 2.5, None], "a": "ä"}) == '{"a":"ä","b":[1,2.5,null]}'
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})
    assert sha256_of({"a": 1}) != sha256_of({"a": "1"})


def test_what_is_no_number_has_no_spelling() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))
