"""What a log line keeps of a request and of an error: never what somebody typed or what data hold."""

import logging

import pytest
from django.test import Client

from tests.listening import Listener, listener

__all__ = ["listener"]
pytestmark = pytest.mark.django_db
TYPED = "a-typed-value-7741"


@pytest.mark.parametrize("address", ["/nowhere/", "/catalogue/"])
def test_what_stands_behind_the_path_of_an_address_is_not_logged(listener: Listener, address: str) -> None:
    Client().get(address, {"q": TYPED})
    said = listener.stream.getvalue()
    assert f"GET {address}" in said
    assert TYPED not in said


def test_an_error_leaves_its_type_and_places_not_its_words(listener: Listener) -> None:
    try:
        raise ValueError(TYPED)
    except ValueError:
        logging.getLogger("django.request").exception("broken")
    said = listener.stream.getvalue()
    assert "ValueError" in said
    assert "test_logs.py" in said
    assert TYPED not in said


@pytest.mark.parametrize(
    "said",
    ["Received and deleted unknown message. %s", "Received unregistered task of type %s.", "Can't decode %r"],
)
def test_a_message_nobody_understands_is_not_quoted(listener: Listener, said: str) -> None:
    logging.getLogger("celery.worker.consumer.consumer").warning(said, TYPED)
    written = listener.stream.getvalue()
    assert "message.refused" in written
    assert TYPED not in written
