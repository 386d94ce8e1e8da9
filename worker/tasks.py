"""What messages, the timer and a starting worker call. One call each."""

from typing import Any

from celery import signals

from worker import engines, process, runner
from worker.app import PERFORM, app


@signals.worker_ready.connect
def _warm(**_: Any) -> None:
    """Nobody's first run waits for the compiler."""
    process.start_warming(engines.scratch_root())


@app.task(name=PERFORM, acks_late=False)
def perform(kind: str, identity: str) -> None:
    """Run the job that a message names, if it still waits to be run."""
    runner.perform(kind, identity)
