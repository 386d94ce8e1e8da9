"""Engines are split off, as a worker's are: these tests are about jobs, not about how an engine starts."""

from collections.abc import Iterator

import pytest

from tests.site import until
from worker.process import ready
from worker.queue.kinds import kinds

assert kinds(), "their files are loaded here, while lines are watched, and not by whoever comes first"


@pytest.fixture(scope="package", autouse=True)
def engines() -> Iterator[None]:
    ready.keep()
    until(ready.is_loaded, 120, "the template has loaded")
    yield
    ready.forget()
