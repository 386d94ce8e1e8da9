"""What messages and the timer call. One call each."""

from worker import runner
from worker.app import PERFORM, app


@app.task(name=PERFORM, acks_late=False)
def perform(kind: str, identity: str) -> None:
    """Run the job that a message names, if it still waits to be run."""
    runner.perform(kind, identity)
