"""The kinds of jobs there are, found by walking `worker.jobs`: a new file there alone suffices."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar
from uuid import UUID

from stewardapp.actions import audit
from stewardapp.models import User
from stewardapp.models.job import Job, JobQuerySet
from stewardapp.notifications import notify
from worker.queue.claim import Claim

ROOM = "worker.jobs"
Row = TypeVar("Row", bound=Job)


class Kind(Generic[Row]):
    """One kind of job: its row, its work, and whom its end concerns. Its file says its name."""

    row: ClassVar[type[Job]]
    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = cls.__module__.rpartition(".")[2]

    def work(self, claim: Claim) -> None:
        """Do it, and record in one transaction all that it made, or raise why there is nothing."""
        raise NotImplementedError

    def waiting_for(self, _job: Row) -> tuple[list[User], str]:
        """Who has to be told when it fails, and the page that shows it; none where people look at it."""
        return [], ""

    def told(self, _job: Row) -> Mapping[str, object]:
        """What the audit log says of its end besides the reason."""
        return {}

    def close(self, _job: Row) -> Mapping[str, object]:
        """Let go of what it alone was to read, in the transaction in which it ended; what the log says."""
        return {}

    @property
    def jobs(self) -> JobQuerySet[Any]:
        """The rows."""
        return self.row.jobs()

    def take(self, id: UUID) -> Claim | None:
        """A claim, or None when the job is not waiting: a second message, a cancel, another worker."""
        return Claim.take(self.name, self.jobs, id)

    def note(self, id: UUID, outcome: str, details: Mapping[str, object]) -> None:
        """Tell the audit log and who asked what became of a job, in the transaction that made it so."""
        job = self.jobs.get(pk=id)
        details = {**details, **self.told(job), **({} if job.is_alive else self.close(job))}
        audit.record(f"{self.name}.{outcome}", job, by=None, project=job.project, details=details)
        if outcome == "failed":
            asked, page = self.waiting_for(job)
            notify(asked, f"{job}: {job.error_message}", page)


_registered: dict[str, Kind[Any]] = {}
K = TypeVar("K", bound=type[Kind[Any]])


def register(cls: K) -> K:
    """Make a kind known under the name of its file."""
    _registered[cls.name] = cls()
    return cls


@cache
def _walk() -> None:
    room = importlib.import_module(ROOM)
    for found in pkgutil.iter_modules(room.__path__, f"{ROOM}."):
        importlib.import_module(found.name)


def kinds() -> Mapping[str, Kind[Any]]:
    """Every kind by its name."""
    _walk()
    return dict(sorted(_registered.items()))


def kind(name: str) -> Kind[Any]:
    """The kind a message or a claim names."""
    return kinds()[name]
