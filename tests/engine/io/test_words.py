"""What the name of a column hints at, in a few languages."""

from __future__ import annotations

import pytest

from worker.engine.io.words import HINTS, KEY_WORDS, NAME_WORDS, PERSON_WORDS, hint_of, says, words_of
from worker.engine.tables.kinds import Role


@pytest.mark.parametrize(
    "name", ["dateOfBirth", "DATE_OF_BIRTH", "date.of.birth", "Date of birth", "DateOfBirth2"]
)
def test_ways_of_writing_one_name(name: str) -> None:
    assert words_of(name) == ("date", "of", "birth")


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("e_mail", Role.DIRECT_IDENTIFIER),
        ("Straße", Role.DIRECT_IDENTIFIER),
        ("teléfono", Role.DIRECT_IDENTIFIER),
        ("GebDatum", None),
        ("Geburtsdatum", Role.QUASI_IDENTIFIER),
        ("zipCode", Role.QUASI_IDENTIFIER),
        ("marital-status", Role.QUASI_IDENTIFIER),
        ("Diagnoses", Role.SENSITIVE),
        ("hhid", Role.HOUSEHOLD_KEY),
        ("sampling_weight", Role.WEIGHT),
        ("consent", Role.CONSENT),
        ("capital", None),  # `cap` is a word, not a beginning
        ("x", None),
        ("", None),
    ],
)
def test_what_a_name_says(name: str, role: Role | None) -> None:
    hint = hint_of(name)
    assert (hint and hint.role) == role


def test_a_word_stands_for_one_thing() -> None:
    """The first row that knows a word wins: further down it would never be met."""
    seen: set[str] = set()
    for _, known in HINTS:
        assert not seen & known, seen & known
        seen |= known


def test_plurals_and_parts() -> None:
    assert says("Names", NAME_WORDS)
    assert says("patient no", KEY_WORDS)
    assert says("patient no", PERSON_WORDS)
    assert not says("surnamed", NAME_WORDS)
