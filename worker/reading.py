"""What a reading does between claim and end: the raw bytes become a table and a profile."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from stewardapp import storage
from stewardapp.models import Reading
from worker.claim import Claim
from worker.engines import MadeFile, run_engine
from worker.process import Sealed


@dataclass(frozen=True)
class Read:
    """A finished table, still under its temporary name."""

    reading: Reading
    table: MadeFile
    profile: dict[str, Any]


@contextmanager
def read(claim: Claim) -> Iterator[Read]:
    """Read the version's bytes; the table is gone at the end of the block unless it was kept."""
    reading = Reading.objects.select_related("version__raw", "version__key").get(pk=claim.id)
    version = reading.version
    key = storage.key_bytes(version.key)
    with storage.opened(version.raw) as raw, storage.temporary() as table:
        files = {"raw": Sealed(raw, key), "table": Sealed(table.file, key, "w")}
        answer = run_engine(claim, "read", {"dialect": reading.dialect}, files)
        made = MadeFile("table", table, **answer["files"]["table"])
        yield Read(reading, made, answer["profile"])
