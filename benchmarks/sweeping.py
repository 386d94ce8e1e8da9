"""A sweep of twenty runs on census microdata, with a real worker, beside single runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.pressing import at_desk
from benchmarks.table import Result

if TYPE_CHECKING:
    from benchmarks.suite import Setting

SINGLE = "one run of its own, nothing read before"
BOUND = 12.0


def sweeping(setting: Setting) -> list[Result]:
    """From the action until the last run has succeeded, and what the processor did meanwhile."""
    found = at_desk(setting, "benchmarks.desk_sweep")
    used = (found["sweep processor"], found["single processor"])
    return [
        Result("a sweep of 20 runs", found["sweep"], found["single"], SINGLE, BOUND),
        Result("a sweep of 20 runs: processor", *used, f"{SINGLE}: processor"),
    ]
