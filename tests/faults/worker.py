"""A real Celery worker as the product starts it, but for the engine's process, which knows trouble."""

import os
import sys
from pathlib import Path
from typing import Any

from celery import signals

from stewardapp.management import processes
from tests.faults import dying, trouble
from worker.process import starting


@signals.worker_process_init.connect
def prepare(**_: Any) -> None:
    if note := os.environ.get("TESTS_DIE_AT"):
        dying.prepare(Path(note))


if __name__ == "__main__":
    assert trouble.SLUG
    starting.COMMAND = (sys.executable, "-m", "tests.faults.child")
    sys.argv = ["celery", *processes.worker()[3:]]
    from celery.__main__ import main

    main()
