"""A sweep of twenty runs on census microdata, with a real worker, beside single runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.pressing import at_desk
from benchmarks.table import Result

if TYPE_CHECKING:
    from benchmarks.suite import Setting

FRESH = "a single run: its own interpreter, nothing read before"
READY = "a single run: engine loaded, nothing read before"
BOUND = 12.0


def sweeping(setting: Setting) -> list[Result]:
    """From the action until the last run has succeeded, in seconds of the processor, not of a busy machine.

    Its runs share an engine that is loaded ahead, and what was read of the original: beside a run that has
    neither, and beside one that lacks the latter.
    """
    found = at_desk(setting, "benchmarks.desk_sweep")
    return [
        Result("a sweep of 20 runs", found["sweep"], found["fresh"], FRESH, BOUND),
        Result("a sweep of 20 runs", found["sweep"], found["ready"], READY),
    ]
