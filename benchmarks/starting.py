"""How long nothing happens: commands that load everything first, and the desk on an empty data folder."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import data
from benchmarks.table import Result
from benchmarks.timing import beside, command

if TYPE_CHECKING:
    from benchmarks.suite import Setting

ROWS, ROUNDS = 5_000, 7
COMMAND_BOUND, PAGE_BOUND = 4.0, 5.0
IMPORTS = ("-c", "import numpy, pyarrow")
DATABASE = "steward.sqlite3"
LONGEST = 120.0


def starting(setting: Setting) -> list[Result]:
    """Both."""
    return [*_commands(setting), _page(setting)]


def _commands(setting: Setting) -> list[Result]:
    """On few rows, after a run that compiled what they need."""
    source, recipe = data.write_csv(setting.folder / "few.csv", ROWS), setting.recipe()
    out = setting.folder / "few-out.csv"
    anonymize = ("-m", "worker", "anonymize", recipe, source, "--out", out)
    command(1, *anonymize)
    found = []
    for name, asked in (("anonymize", anonymize), ("verify", ("-m", "worker", "verify", recipe, out))):
        ours, bare = beside(max(setting.repeat, ROUNDS), asked, IMPORTS)
        what, reference = f"cold {name}, {ROWS} rows", "python: import numpy, pyarrow"
        found.append(Result(what, ours.seconds, bare.seconds, reference, COMMAND_BOUND))
        found.append(
            Result(
                f"{what}: processor", ours.processor, bare.processor, f"{reference}: processor", COMMAND_BOUND
            )
        )
    return found


def _page(setting: Setting) -> Result:
    """With the empty database that an installation makes."""
    installed = setting.folder / "installed"
    subprocess.run(_manage("migrate", "--verbosity", "0"), env=_environment(installed), check=True)
    found = []
    for number in range(max(setting.repeat, 2)):
        began = time.perf_counter()
        subprocess.run(_manage("check"), env=_environment(installed), check=True, stdout=subprocess.DEVNULL)
        checked = time.perf_counter() - began
        found.append((_answered(installed, setting.folder / f"desk-{number}"), checked))
    ours, reference = (min(side) for side in zip(*found, strict=True))
    return Result("the page of an empty desk answers", ours, reference, "manage.py check", PAGE_BOUND)


def _answered(installed: Path, folder: Path) -> float:
    """Seconds from the start until the web process answers; then it is ended."""
    folder.mkdir(mode=0o700)
    shutil.copyfile(installed / DATABASE, folder / DATABASE)
    environment, began = _environment(folder), time.perf_counter()
    desk = subprocess.Popen(_manage("run"), env=environment, stdout=subprocess.DEVNULL)
    try:
        while not _answers(int(environment["STEWARD_PORT"])):
            if desk.poll() is not None or time.perf_counter() - began > LONGEST:
                raise SystemExit("the desk did not start")
            time.sleep(0.02)
        return time.perf_counter() - began
    finally:
        desk.send_signal(signal.SIGINT)
        desk.wait()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _manage(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]


def _environment(folder: Path) -> dict[str, str]:
    """An installation of its own on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("STEWARD_", "PYTHONDONT"))
    }
    return {**plain, "STEWARD_DATA": str(folder), "STEWARD_PORT": str(port)}
