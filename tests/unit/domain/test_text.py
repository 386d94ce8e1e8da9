"""What people type is kept without blanks around it, or refused at its field."""

import pytest

from stewardapp.access.verdict import Invalid
from stewardapp.domain.text import limited, required


def test_blanks_around_a_text_go() -> None:
    assert required("  a word ", "title") == "a word"
    assert limited("   ", "title") == ""


@pytest.mark.parametrize(("text", "code"), [("  ", "empty"), ("x" * 11, "too-long"), ("a\x00b", "nul")])
def test_a_refusal_names_the_field_and_not_the_text(text: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        required(text, "some_title", longest=10)
    assert (refused.value.code, refused.value.param) == (code, "some_title")
    assert refused.value.reason.startswith("Some title")
    assert "xxx" not in refused.value.reason
