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
    return least([_python(arguments) for _ in range(max(repeat, 1))])


def beside(repeat: int, ours: Sequence[object], reference: Sequence[object]) -> tuple[Usage, Usage]:
    """The best of each, in turn, so that both meet the same machine."""
    both = [(_python(ours), _python(reference)) for _ in range(max(repeat, 1))]
    first, second = (least(side) for side in zip(*both, strict=True))
    return first, second


def least(usages: Sequence[Usage]) -> Usage:
    """The best of each figure, whichever run it is of."""
    return Usage(
        min(one.seconds for one in usages),
        min(one.processor for one in usages),
        min(one.peak_bytes for one in usages),
    )


def _python(arguments: Sequence[object]) -> Usage:
    return started([sys.executable, *map(str, arguments)])


def started(command: Sequence[str]) -> Usage:
    """What a command took in a process of its own; its failure is ours."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a measured command ended with {process.returncode}")
    seconds = time.perf_counter() - began
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
