"""The tables of other versions that goals compare the data with."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from stewardapp import storage
from stewardapp.models.version import VersionQuerySet
from worker.process import Sealed


@contextmanager
def populations(versions: VersionQuerySet) -> Iterator[dict[str, Sealed]]:
    """Opened, by the name a recipe gives them."""
    with ExitStack() as stack:
        found = {}
        for version in versions.select_related("table", "key"):
            if version.table is None:
                raise storage.Destroyed
            table = stack.enter_context(storage.opened(version.table))
            found[str(version.pk)] = Sealed(table, storage.key_bytes(version.key))
        yield found
