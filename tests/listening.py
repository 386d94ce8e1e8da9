"""Listens to what the web process logs, in the product's own format. Import the fixture `listener`."""

import io
import logging
from collections.abc import Iterator

import pytest


class Listener(logging.StreamHandler[io.StringIO]):
    """Writes down every line."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        ours = [one.formatter for one in logging.getLogger().handlers if one.formatter]
        self.setFormatter(next(one for one in ours if type(one).__name__ == "ProcessorFormatter"))


@pytest.fixture
def listener() -> Iterator[Listener]:
    """From the finest level on."""
    listener, top = Listener(), logging.getLogger()
    before = top.level
    top.addHandler(listener)
    top.setLevel(logging.DEBUG)
    yield listener
    top.removeHandler(listener)
    top.setLevel(before)
