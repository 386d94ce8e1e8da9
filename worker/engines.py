"""Engine processes on behalf of a claim: limits from the settings, a private folder, progress to the row."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings

from stewardapp.storage import Temporary
from worker import process, spool
from worker.claim import Claim

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

    def described(self) -> dict[str, Any]:
        """What is recorded of it besides its bytes."""
        return {"name": self.name, "media_type": self.media_type, "public": self.public, "rows": self.rows}


def run_engine(
    claim: Claim,
    job: str,
    details: Mapping[str, Any],
    files: Mapping[str, process.Sealed],
    *,
    part: tuple[float, float] = (0.0, 1.0),
) -> dict[str, Any]:
    """Run one job of the engine; `part` is the share of the whole that its progress stands for."""
    with claim.part(*part), scratch() as folder:
        return process.execute(job, details, files, limits=limits(), scratch=folder, watch=claim.watch)


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
        with spool.locked(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def scratch_root() -> Path:
    """Where the engine's temporary folders are."""
    root = Path(settings.STEWARD_DATA) / SCRATCH
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root
