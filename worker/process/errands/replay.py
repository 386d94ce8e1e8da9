"""Attacks on people who do not exist."""

from __future__ import annotations

from worker.engine.demonstrations.replay import replayed
from worker.engine.demonstrations.settings import AttackSettings
from worker.engine.reporting import Reporter
from worker.process.channel import Job


def do(job: Job, reporter: Reporter) -> Job:
    """Attacks on people who do not exist."""
    return {"replay": replayed(AttackSettings.of(job["settings"]), reporter)}
