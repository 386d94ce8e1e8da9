"""The tables a job names: its own reading, those of other versions that goals compare it with, and what other
releases gave out.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from stewardapp import storage
from stewardapp.models import Artifact, Assessment, Reading, Run
from stewardapp.models.reading import ReadingQuerySet
from worker.process.outputs import BESIDE, REREAD
from worker.process.parent import Sealed


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


@dataclass(frozen=True)
class Others:
    """Files of other releases and files that leaked, what measures and pages call each, and by the names of
    releases the files that say where their rows stood."""

    files: dict[str, Sealed]
    titles: dict[str, str]
    places: dict[str, str]
    leaks: dict[str, str]

    def details(self) -> dict[str, dict[str, str]]:
        """What an errand has to know of them."""
        return {"releases": self.titles, "places": self.places, "leaks": self.leaks}


@contextmanager
def other_releases(looked: Run | Assessment, reading: Reading) -> Iterator[Others]:
    """Opened, as far as their bytes still exist. Two of one title are told apart. Of those that read the very
    same table it is known which row was which."""
    with ExitStack() as stack:
        others = Others({}, {}, {}, {})
        found = Artifact.objects.stored().filter(name=REREAD, run__in=looked.others.all())
        for one in found.select_related("blob", "run__key", "run__release").order_by("pk"):
            release, name, key = one.run.release, f"release {one.run_id}", storage.key_bytes(one.run.key)
            others.files[name] = Sealed(stack.enter_context(storage.opened(one.blob)), key)
            others.titles[name] = f"{release.title} ({str(release.public_id)[:8]})"
            if one.run.reading_id == reading.pk and (beside := one.run.kept.filter(purpose=BESIDE).first()):
                places = others.places[name] = f"places {one.run_id}"
                others.files[places] = Sealed(stack.enter_context(storage.opened(beside)), key)
        for leak in looked.leaks.registered().select_related("table__key"):
            if leak.table is not None:
                name, key = f"leak {leak.pk}", storage.key_bytes(leak.table.key)
                others.files[name] = Sealed(stack.enter_context(storage.opened(leak.table)), key)
                others.leaks[name] = leak.title
        yield others
