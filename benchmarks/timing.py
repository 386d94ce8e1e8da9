"""Time and memory of a function here, or of a command in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """What a process took."""

    seconds: float
    processor: float
    """Seconds of all processors together: other work on the machine hardly counts."""
    peak_bytes: int


def best_of(repeat: int, work: Callable[[], object]) -> float:
    """The shortest of several runs, in seconds."""
    return min(_timed(work) for _ in range(max(repeat, 1)))


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def processor(rounds: int, work: Callable[[], object]) -> float:
    """The best of several, in seconds of the processor: other work on the machine does not count."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def command(repeat: int, *arguments: object) -> Usage:
    """The best of several runs of `python …` in a fresh process; its failure is ours."""
    return min((_process(arguments) for _ in range(max(repeat, 1))), key=lambda usage: usage.seconds)


def _process(arguments: Sequence[object]) -> Usage:
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a measured command ended with {process.returncode}")
    seconds = time.perf_counter() - began
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
