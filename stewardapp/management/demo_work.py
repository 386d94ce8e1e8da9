"""The demo's jobs, done at once in the process that loads it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from stewardapp.models.job import Job

MOMENT = 0.2


@contextmanager
def at_work() -> Iterator[None]:
    """What all jobs in the block need is loaded once."""
    from worker.process import engines, ready

    engines.keep_ready()
    try:
        yield
    finally:
        ready.forget()


def carry_out(kind: str, job: Job) -> None:
    """Do a job as a worker would; what a killed process held is taken over when its lease ends."""
    from worker.queue import (  # only the demo's first start needs the worker's code in this process
        reaper,
        runner,
    )

    runner.perform(kind, str(job.pk))
    job.refresh_from_db()
    while job.is_alive:
        time.sleep(MOMENT)
        reaper.reap()
        runner.perform(kind, str(job.pk))
        job.refresh_from_db()
