"""The form that registers a file that leaked."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from stewardapp.forms.leaks import LeakForm

SAID = {"place": "A forum", "seen_on": "2026-01-02"}


def form(**said: str) -> LeakForm:
    return LeakForm({**SAID, **said}, {"brought": SimpleUploadedFile("a.csv", b"age\n30\n")})


def test_a_file_a_place_and_a_day_that_has_come() -> None:
    assert form().is_valid()
    assert "not come yet" in str(form(seen_on="2999-01-01").errors["seen_on"])
    assert set(LeakForm({}, {}).errors) == {"place", "seen_on", "brought"}


def test_a_file_that_was_not_read_is_the_only_complaint() -> None:
    one = LeakForm({})
    one.refuse("Too large.")
    assert one.errors == {"brought": ["Too large."]}
