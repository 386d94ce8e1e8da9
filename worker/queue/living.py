"""A worker says that it lives, so that the desk can tell when nobody works any more."""

from __future__ import annotations

import math
import time

from stewardapp.models import WorkerSign
from worker.engine.version import VERSION
from worker.queue.claim import worker_name

SECONDS = 15.0


class Living:
    """Gives a sign now and then; a tick comes more often than anybody looks."""

    __name__ = "living"

    def __init__(self) -> None:
        self._last = -math.inf

    def __call__(self) -> None:
        if time.monotonic() - self._last >= SECONDS:
            WorkerSign.objects.give(worker_name(), VERSION)
            self._last = time.monotonic()
