"""Loops compiled ahead of the first run, giving way to everything else on the machine."""

from __future__ import annotations

import os

from worker.engine.execution import warming
from worker.engine.kernels import keeping
from worker.engine.reporting import Reporter
from worker.process.channel import Job

BACKGROUND = 10


def do(_job: Job, _reporter: Reporter) -> Job:
    """Compile ahead of the first run, giving way to everything else on the machine."""
    os.nice(BACKGROUND)
    keeping.compile_ahead()
    return {"compiled": warming.warm()}
