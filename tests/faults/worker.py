"""A real Celery worker as the product starts it, but for the engine's process, which knows trouble."""

import sys

from stewardapp.management import processes
from tests.faults import trouble
from worker import process

if __name__ == "__main__":
    assert trouble.SLUG
    process.COMMAND = (sys.executable, "-m", "tests.faults.child")
    sys.argv = ["celery", *processes.worker()[3:]]
    from celery.__main__ import main

    main()
