"""Several values in one line, whatever stands in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardapp.forms.value_lists import Unquoted, joined, split


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("flu", ["flu"]),
        (" flu ; cold;", ["flu", "cold"]),
        ("", []),
        (" ; ", []),
        ('"a; b"; c', ["a; b", "c"]),
        ('"say ""a""; b"', ['say "a"; b']),
        ('5" pipe; 6"', ['5" pipe', '6"']),
        ('""', [""]),
    ],
)
def test_a_line_is_its_values(line: str, values: list[str]) -> None:
    assert split(line) == values


@pytest.mark.parametrize("line", ['"a', '"a; b', '"a" b; c', 'c; "'])
def test_an_open_quote_is_not_guessed_at(line: str) -> None:
    with pytest.raises(Unquoted):
        split(line)


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=12), max_size=5))
def test_what_is_written_is_read_again(values: list[str]) -> None:
    assert split(joined(values)) == values
