"""Which role a column probably has: names and values together, each able to overrule the other."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from worker.engine.io.suggestions import Looks, Seen, alone, suggest
from worker.engine.io.words import Hint
from worker.engine.tables.kinds import Kind, Role

PLAIN = Seen("column", Kind.CATEGORICAL, 5, 100, all_differ=False, unique_share=0.0, looks=Looks())


def role_of(column: Seen) -> Role | None:
    hint = suggest(column)
    return hint.role if hint else None


def looking(*texts: str) -> Looks:
    return Looks.at(pa.array(texts))


@pytest.mark.parametrize(
    ("texts", "role"),
    [
        (["a@example.org", "b@example.org"], Role.DIRECT_IDENTIFIER),
        (["+49 30 123456", "0044 20 7946 000"], Role.DIRECT_IDENTIFIER),
        (["078-05-1120"], Role.DIRECT_IDENTIFIER),
        (["192.0.2.1"], Role.DIRECT_IDENTIFIER),
        (["E11.9", "I10.0"], Role.SENSITIVE),
        (["Diabetes", "influenza", "well", "none"], Role.SENSITIVE),
        (["12345", "02134"], Role.QUASI_IDENTIFIER),
        (["red", "green"], None),
    ],
)
def test_what_values_look_like(texts: list[str], role: Role | None) -> None:
    assert role_of(replace(PLAIN, looks=looking(*texts))) == role


def test_nine_of_ten_must_look_alike() -> None:
    mails = [f"p{number}@example.org" for number in range(9)]
    assert looking(*mails, "none").hint is not None
    assert looking(*mails, "none", "none").hint is None


def test_looks_of_parts_add_up() -> None:
    texts = ["a@example.org", "12345", "Diabetes type two", "x" * 30]
    assert looking(*texts[:2]) + looking(*texts[2:]) == looking(*texts)
    assert looking() + looking(*texts) == looking(*texts)


def test_plain_numbers_look_like_many_codes() -> None:
    assert role_of(replace(PLAIN, kind=Kind.INTEGER, looks=looking("12345"))) is None


def test_an_empty_column_is_dropped() -> None:
    assert role_of(replace(PLAIN, name="age", distinct=0)) is Role.DROPPED


def test_values_overrule_a_name() -> None:
    assert role_of(replace(PLAIN, name="weight", kind=Kind.CATEGORICAL)) is None
    assert role_of(replace(PLAIN, name="weight", kind=Kind.DECIMAL)) is Role.WEIGHT
    assert role_of(replace(PLAIN, name="consent", distinct=6)) is None
    assert role_of(replace(PLAIN, name="consent", distinct=2)) is Role.CONSENT


def test_numbers_of_persons() -> None:
    person = replace(PLAIN, name="patient_id", kind=Kind.INTEGER)
    assert role_of(replace(person, all_differ=True)) is Role.DIRECT_IDENTIFIER
    assert role_of(replace(person, distinct=60)) is Role.PERSON_KEY
    assert role_of(replace(person, distinct=3)) is None
    assert role_of(replace(person, name="patient_age", all_differ=True)) is Role.QUASI_IDENTIFIER


def test_what_the_content_says() -> None:
    prose = looking("a sentence of more than four words stands here")
    assert role_of(replace(PLAIN, looks=prose)) is Role.DROPPED
    assert role_of(replace(PLAIN, kind=Kind.DATE)) is Role.QUASI_IDENTIFIER
    assert role_of(replace(PLAIN, unique_share=0.95)) is Role.QUASI_IDENTIFIER
    assert role_of(replace(PLAIN, unique_share=0.95, rows=9)) is None


def test_dates_say_what_must_be_asked() -> None:
    dates = replace(PLAIN, kind=Kind.DATE, date_forms=("%d.%m.%y", "%m.%d.%y"))
    hint = suggest(dates)
    assert hint is not None
    assert "two-digit years" in hint.reason
    assert "either way" in hint.reason
    certain = suggest(replace(dates, date_forms=("%d.%m.%Y",)))
    assert certain is not None
    assert ";" not in certain.reason


def test_one_column_keeps_a_role_that_only_one_may_have() -> None:
    person, age = Hint(Role.PERSON_KEY, "a"), Hint(Role.QUASI_IDENTIFIER, "b")
    told = alone({"x": person, "y": person, "z": age, "u": age}, {"x": 3, "y": 9, "z": 1, "u": 1})
    assert told == {"x": None, "y": person, "z": age, "u": age}
