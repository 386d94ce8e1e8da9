"""The tables a job names: its own reading, and those of other versions that goals compare it with."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from stewardapp import storage
from stewardapp.models import Reading
from stewardapp.models.reading import ReadingQuerySet
from worker.process import Sealed


@contextmanager
def opened(reading: Reading) -> Iterator[Sealed]:
    """The table as it was read; another reading of the same bytes has another one."""
    if reading.table is None:
        raise storage.Destroyed
    with storage.opened(reading.table) as table:
        yield Sealed(table, storage.key_bytes(reading.version.key))


@contextmanager
def populations(readings: ReadingQuerySet) -> Iterator[dict[str, Sealed]]:
    """Opened, by the name a recipe gives them: the id of their version."""
    with ExitStack() as stack:
        related = readings.select_related("table", "version__key")
        yield {str(one.version_id): stack.enter_context(opened(one)) for one in related}
