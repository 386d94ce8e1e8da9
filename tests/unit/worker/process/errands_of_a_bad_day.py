"""A child process with jobs that go wrong in every way; started by the tests in place of the real one."""

import importlib
import multiprocessing
import os
import random
import signal
import tempfile
import threading
import time
import uuid
from pathlib import Path
from typing import Any

from worker.engine.errors import Cancelled, EngineError, LimitExceeded, NoSolution
from worker.engine.reporting import Reporter
from worker.process import child, rehearsal
from worker.process import files as opened_files

CANARY = "canary-7f3a91"


def echo(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    files = opened_files.Files(job["files"])
    reporter.stage("Copying")
    for number, name in enumerate(files.names("r")):
        reporter.progress(number / len(job["files"]))
        files.writer(f"{name}-copy").write(files.reader(name).read())
    return {"files": files.finish(), "said": job["say"], "environment": dict(os.environ)}


def talk(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    print(CANARY)
    os.write(1, CANARY.encode())
    os.write(2, CANARY.encode())
    return {"large": "x" * 1_000_000}


def hang(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    reporter.stage("Hanging")
    grandchild = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
    grandchild.start()
    Path(job["note"]).write_text(f"{os.getpid()} {grandchild.pid}")
    time.sleep(600)
    return {}


def greedy(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    return {"size": len(bytearray(8 * 2**30))}


def refuse(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    errors = {
        "engine": EngineError("ragged-row", "Line 7 has 3 cells.", "columns", 2),
        "solution": NoSolution("no-solution", "No transformation satisfies the goals."),
        "limit": LimitExceeded("rows", "Too many rows."),
        "cancelled": Cancelled(),
        "thread": RuntimeError("can't start new thread"),
        "native": OSError(12, "Cannot allocate memory"),
        "unforeseen": ValueError(CANARY),
    }
    raise errors[job["how"]]


def die(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    held = bytearray(job["hold"])
    reporter.progress(0.5)
    time.sleep(1)  # long enough to be looked at
    os.kill(os.getpid(), getattr(signal, job["signal"]))
    return {"held": len(held)}


def stumble(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    reporter.trouble("a-measure#12345678", "KeyError", ["a.py:1 read"])
    return {"went": "on"}


def look(job: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    """What an engine can see of the world, and what it draws by chance."""
    return {
        "open": [describe(one) for one in Path("/proc/self/fd").iterdir()],
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "loaded at": LOADED_AT,
        "session": os.getsid(0) == os.getpid(),
        "temporary": tempfile.gettempdir(),
        "drawn": [random.random(), uuid.uuid4().hex, *(one.random() for one in GENERATORS)],
    }


def describe(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink()).partition(":")[0]
    except FileNotFoundError:
        return "the listing itself"


LOADED_AT: list[int] = []
GENERATORS: list[Any] = [random]


def rehearse() -> None:
    """Stands in for the real one, which loads libraries for a second."""
    LOADED_AT.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
    wish = os.environ.get("LANG", "")
    if wish == "numpy":
        GENERATORS.append(importlib.import_module("numpy.random"))
    time.sleep(float(wish.partition("loading=")[2] or 0))


if __name__ == "__main__":
    jobs = {one.__name__: one for one in (echo, talk, hang, greedy, refuse, die, stumble, look)}
    child.errand = jobs.__getitem__
    rehearsal.rehearse = rehearse
    child.main()
