"""Why others could not know a kept column."""

from types import SimpleNamespace

import pytest

from stewardapp.access.verdict import Invalid
from stewardapp.domain.unknown import LONGEST, Unknown, why


def test_both_a_reason_of_the_list_and_words_are_asked_for():
    assert Unknown.of("other", " because ") == Unknown("other", "because")
    for because, words in (("", "x"), ("magic", "x"), ("other", " "), ("other", "x" * (LONGEST + 1))):
        with pytest.raises(Invalid):
            Unknown.of(because, words)


def test_only_a_column_that_is_kept_has_one():
    column = SimpleNamespace(role="other", unknown_because="means-nothing", unknown_words="a batch number")
    assert why(column) == "no meaning outside: a batch number"
    assert why(SimpleNamespace(role="sensitive", unknown_because="other", unknown_words="x")) == ""
    assert why(SimpleNamespace(role="other", unknown_because="", unknown_words="")) == ""
