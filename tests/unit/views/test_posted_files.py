"""What is not even read of a form that brings a file."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from stewardapp.views.posted_files import FORM_OVERHEAD, largest, unread, whole_number


@pytest.fixture(autouse=True)
def _small(settings: Any) -> None:
    settings.STEWARD_MAX_UPLOAD = 1000


@pytest.mark.parametrize("length", [1000 + FORM_OVERHEAD, 0])
def test_what_fits_is_read(length: int) -> None:
    request = RequestFactory().post("/", headers={"content-length": str(length)})
    assert (largest(), unread(request)) == (1000 + FORM_OVERHEAD, None)


@pytest.mark.parametrize(("said", "status"), [(str(1001 + FORM_OVERHEAD), 413), ("", 411), ("-5", 411)])
def test_a_larger_body_and_one_of_unknown_length_are_refused(said: str, status: int) -> None:
    refused = unread(RequestFactory().post("/", headers={"content-length": said}))
    assert refused is not None
    assert refused[1] == status


def test_only_plain_digits_count() -> None:
    found = [whole_number(text) for text in ("7", None, "", "+7", "７", "7.0", "9" * 18)]
    assert found == [7, -1, -1, -1, -1, -1, -1]
