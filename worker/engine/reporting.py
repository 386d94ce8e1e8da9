"""How long work talks to whoever waits for it: stage, fraction, and a place to stop.

The engine does not know the date or its caller; elapsed time comes from here.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from worker.engine.errors import LimitExceeded
from worker.engine.wording import measured


class Reporter:
    """Keeps progress from going backwards; subclasses decide where it is shown."""

    def __init__(self, seconds: float | None = None, cancelled: Callable[[], None] | None = None) -> None:
        self._started = time.monotonic()
        self._limit = seconds
        self._cancelled = cancelled
        self._low, self._high = 0.0, 1.0
        self._shown = 0.0
        self._stage = ""
        self.nodes_wanted = False
        """Whether a search is to list every combination it looked at, which can be many."""

    @property
    def elapsed(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self._started

    def stage(self, name: str) -> None:
        """Say what is being done now, in the steward's words and without data values."""
        self._stage = name
        self.show(self._stage, self._shown)

    @contextmanager
    def meanwhile(self, name: str) -> Iterator[None]:
        """Say what is done inside, and afterwards again what was said before."""
        before = self._stage
        self.stage(name)
        yield
        self.stage(before)

    def progress(self, fraction: float) -> None:
        """Say how much of the present span is done (0 … 1); what is shown never goes back."""
        self.checkpoint()
        inside = min(max(fraction, 0.0), 1.0)
        self._shown = max(self._shown, self._low + inside * (self._high - self._low))
        self.show(self._stage, self._shown)

    @contextmanager
    def span(self, low: float, high: float) -> Iterator[None]:
        """Let the work inside report 0 … 1 of a part of the present span."""
        outer = self._low, self._high
        width = outer[1] - outer[0]
        self._low, self._high = outer[0] + low * width, outer[0] + high * width
        try:
            yield
        finally:
            self._low, self._high = outer

    def checkpoint(self) -> None:
        """Stop here when cancelled or when the time is over."""
        if self._cancelled is not None:
            self._cancelled()
        if self._limit is not None and self.elapsed > self._limit:
            raise LimitExceeded(
                "time-limit",
                f"The work was stopped after its limit of {self._limit:g} seconds. "
                "Use fewer quasi-identifiers or coarser hierarchies, or ask for a longer limit.",
            )

    def show(self, stage: str, fraction: float) -> None:
        """Where subclasses put the progress."""

    def trouble(self, what: str, kind: str, frames: list[str]) -> None:
        """Tell the operators of a failure that nobody foresaw: its type and the lines it passed."""


class NullReporter(Reporter):
    """For callers who do not look."""


class PipeReporter(Reporter):
    """One JSON line per visible change, for a parent process."""

    def __init__(
        self, stream: TextIO, seconds: float | None = None, cancelled: Callable[[], None] | None = None
    ):
        super().__init__(seconds, cancelled)
        self._stream = stream
        self._last: tuple[str, int] | None = None

    def show(self, stage: str, fraction: float) -> None:
        """Write only when the stage or a tenth of a percent changed: the pipe is not a firehose."""
        now = (stage, int(fraction * 1000))
        if now == self._last:
            return
        self._last = now
        self._stream.write(json.dumps({"progress": round(fraction, 3), "stage": stage}) + "\n")
        self._stream.flush()

    def trouble(self, what: str, kind: str, frames: list[str]) -> None:
        """One more line; the parent has a log."""
        self._stream.write(json.dumps({"trouble": what, "type": kind, "frames": frames}) + "\n")
        self._stream.flush()


class TerminalReporter(Reporter):
    """A line on a terminal that rewrites itself; silent when nobody looks."""

    def __init__(self, stream: TextIO | None = None, seconds: float | None = None) -> None:
        super().__init__(seconds)
        self._stream = stream or sys.stderr
        self._visible = self._stream.isatty()
        self._last: tuple[str, int] | None = None

    def show(self, stage: str, fraction: float) -> None:
        """Rewrite the line when a whole percent changed."""
        now = (stage, int(fraction * 100))
        if not self._visible or now == self._last:
            return
        self._last = now
        self._stream.write(f"\r\x1b[K{measured(now[1], '%'):>5}  {stage}")
        self._stream.flush()

    def trouble(self, what: str, kind: str, frames: list[str]) -> None:
        """One line for whoever writes a measure: its report says no more than the type."""
        self.close()
        self._stream.write(f"{what} failed: {kind} at {frames[-1]}\n")
        self._stream.flush()

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._visible and self._last is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
