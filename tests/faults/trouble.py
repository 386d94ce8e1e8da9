"""A method that goes wrong on demand. Known only to the engine processes and workers of the fault tests."""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, register
from worker.engine.contracts.traces import Trace
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.table import Schema

SLUG = "trouble"


@register
class Trouble(Method):
    """Leaves the data alone and makes trouble while doing so."""

    slug = SLUG
    title = "Trouble"
    family = Family.PERTURBATIVE

    seconds: float = Field(0.0, title="How long it works, with progress")
    hang: float = Field(0.0, title="How long it works, silently")
    hold: int = Field(0, title="Bytes of memory it takes")
    signal: int = Field(0, title="How it kills itself")
    once: str = Field("", title="A file whose existence ends the trouble: it happens one time only")
    told: str = Field("", title="What it says when it fails in a way nobody planned for")

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {}

    def plan(self, statistics: Any, goals: Sequence[Goal], source: Source, report: Reporter) -> Plan:
        if not self.once or not Path(self.once).exists():
            if self.once:
                Path(self.once).touch()
            self._make_trouble(report)
        return Plan()

    def _make_trouble(self, report: Reporter) -> None:
        held = bytearray(self.hold)
        end = time.monotonic() + self.seconds
        report.stage("Making trouble")
        while (left := end - time.monotonic()) > 0:
            report.progress(1 - left / self.seconds)
            time.sleep(0.02)
        time.sleep(self.hang)
        if self.signal:
            os.kill(os.getpid(), signal.Signals(self.signal))
        if self.told:
            raise ValueError(self.told, len(held))

    @classmethod
    def examples(cls) -> tuple["Trouble", ...]:
        return (cls(),)
