"""Can this work still be stopped?"""

from __future__ import annotations

from typing import Protocol

from stewardapp.access.verdict import Verdict, no, yes


class Stoppable(Protocol):
    """Work of a worker."""

    @property
    def state(self) -> str:
        """Where it stands."""

    @property
    def stop_requested(self) -> bool:
        """Whether somebody asked for its end already."""


def stoppable(noun: str, job: Stoppable) -> Verdict:
    """Whether it waits or works, and nobody stopped it before."""
    if job.state not in ("queued", "running"):
        return no("ended", f"This {noun} has already ended ({job.state}).")
    return no("stopping", f"This {noun} is already being cancelled.") if job.stop_requested else yes()
