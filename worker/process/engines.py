"""Engine processes on behalf of a claim: limits from the settings, a private folder, progress to the row."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from stewardapp.models import Blob, DataKey
from stewardapp.storage import Temporary, keep, send
from worker import locks
from worker.process import parent as process
from worker.process import ready
from worker.process.channel import Job

SCRATCH = "scratch"


@dataclass(frozen=True)
class MadeFile:
    """A finished sealed file, still under its temporary name."""

    name: str
    temporary: Temporary
    sha256: str
    size: int
    rows: int | None = None
    media_type: str = ""
    public: bool = False


@contextmanager
def storing(files: Iterable[MadeFile], key: DataKey) -> Iterator[None]:
    """The transaction in which files are stored: they are brought to their place before it begins."""
    for file in files:
        send(file.temporary, key=key.pk, sha256=file.sha256)
    with transaction.atomic():
        yield


def stored(file: MadeFile, key: DataKey) -> Blob:
    """The file under its final name, written through to the disk."""
    return keep(file.temporary, key=key, sha256=file.sha256, size=file.size, purpose=file.name)


class Held(Protocol):
    """Somebody's hold on a job, which progress is written to."""

    def part(self, low: float, high: float) -> AbstractContextManager[None]:
        """What the block reports as 0 … 1 is this part of the whole."""

    def watch(self, progress: process.Progress) -> bool:
        """Write progress; False means stop."""


def run_engine(
    claim: Held,
    job: str,
    details: Mapping[str, object],
    files: Mapping[str, process.Sealed],
    *,
    part: tuple[float, float] = (0.0, 1.0),
) -> Job:
    """Run one job of the engine; `part` is the share of the whole that its progress stands for."""
    with claim.part(*part), scratch() as folder:
        return process.execute(job, details, files, limits=limits(), scratch=folder, watch=claim.watch)


def keep_ready() -> None:
    """Have jobs of this process not wait until an engine is loaded."""
    if settings.STEWARD_READY_ENGINE:
        ready.keep()


def limits() -> process.Limits:
    """What this installation allows one job."""
    return process.Limits(
        memory_bytes=settings.STEWARD_JOB_MEMORY,
        seconds=settings.STEWARD_JOB_SECONDS,
        columns=settings.STEWARD_MAX_COLUMNS,
        rows=settings.STEWARD_MAX_ROWS,
    )


@contextmanager
def scratch() -> Iterator[Path]:
    """A private folder for one engine process; what a killed worker leaves behind is swept."""
    folder = scratch_root() / uuid4().hex
    folder.mkdir(mode=0o700)
    try:
        with locks.locked(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def scratch_root() -> Path:
    """Where the engine's temporary folders are."""
    root = Path(settings.STEWARD_DATA) / SCRATCH
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root
