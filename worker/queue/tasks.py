"""What messages, the timer and a starting worker call. One call each."""

from typing import Any

from celery import signals

from worker.process import engines
from worker.process import parent as process
from worker.queue import runner
from worker.queue.app import PERFORM, app


@signals.worker_ready.connect
def _warm(**_: Any) -> None:
    """Nobody's first run waits for the compiler."""
    process.start_warming(engines.scratch_root())


@signals.worker_process_init.connect
def _keep_ready(**_: Any) -> None:
    """Each process that does jobs has engines of its own, made of the code that it runs itself."""
    engines.keep_ready()


@app.task(name=PERFORM, acks_late=False)
def perform(kind: str, identity: str) -> None:
    """Run the job that a message names, if it still waits to be run."""
    runner.perform(kind, identity)
