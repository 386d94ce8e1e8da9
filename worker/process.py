"""Starts the engine in a process of its own, watches it, and ends it.

A fresh interpreter in its own session: a memory limit ends it with an error instead of taking the
worker along, a cancel ends the whole group at once, and nothing of the worker's secrets is in its
environment. It gets its job and its keys on stdin, sealed files as inherited descriptors, and answers
with JSON lines on stdout.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from worker.child import memory_error
from worker.engine.errors import Cancelled, EngineError, LimitExceeded, Mend, NoSolution

ROOT = Path(__file__).resolve().parent.parent
COMMAND = (sys.executable, "-m", "worker.child")
POLL_SECONDS = 0.2
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "NUMBA_CACHE_DIR")
# Arrow's own allocator reserves a gigabyte of address space before it holds one byte, and glibc 64 MB per
# thread; the limit counts address space.
FRUGAL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
NEAR_THE_LIMIT = 0.85

Watch = Callable[["Progress"], bool]


class ChildLost(Exception):
    """The process ended without an answer: killed from outside, or crashed."""


class ChildFailed(Exception):
    """Something unforeseen inside the engine; `frames` say where, nothing says with which value."""

    def __init__(self, kind: str, frames: list[str], number: int | None = None) -> None:
        super().__init__(kind)
        self.kind, self.frames, self.errno = kind, frames, number


@dataclass(frozen=True)
class Limits:
    """What one job may take."""

    memory_bytes: int | None = None
    seconds: float | None = None
    columns: int | None = None
    rows: int | None = None


@dataclass(frozen=True)
class Sealed:
    """A sealed file handed to the child: an open file and the key to it."""

    file: IO[bytes]
    key: bytes
    mode: str = "r"

    def described(self) -> dict[str, Any]:
        """What the child must know to open it."""
        return {"fd": self.file.fileno(), "key": self.key.hex(), "mode": self.mode}


@dataclass(frozen=True)
class Progress:
    """How far the child says it is."""

    fraction: float = 0.0
    stage: str = ""
    elapsed: float = 0.0

    @property
    def seconds_left(self) -> int | None:
        """An estimate, once there is enough to estimate from."""
        if self.fraction < 0.02 or self.elapsed < 1:
            return None
        return round(self.elapsed * (1 - self.fraction) / self.fraction)


def execute(
    job: str,
    details: Mapping[str, Any],
    files: Mapping[str, Sealed],
    *,
    limits: Limits,
    scratch: Path,
    watch: Watch,
) -> dict[str, Any]:
    """Run one job in a child and return its answer.

    `watch` is called with the progress several times a second, also while the child is silent; when it
    answers False the child is killed and Cancelled raised.
    """
    document = {
        "job": job,
        "files": {name: file.described() for name, file in files.items()},
        "limits": asdict(limits),
        "parent": os.getpid(),
        **details,
    }
    with started(scratch, [file.file.fileno() for file in files.values()]) as process:
        send(process, document)
        return Conversation(process, limits, watch).answer()


def start_warming(scratch: Path) -> "subprocess.Popen[bytes]":
    """A child that compiles ahead of the first job and ends by itself, or with this process. Nobody waits."""
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=environment(scratch),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    send(process, {"job": "warm", "limits": asdict(Limits()), "parent": os.getpid()})
    return process


@contextmanager
def started(scratch: Path, descriptors: list[int]) -> Iterator["subprocess.Popen[bytes]"]:
    """A child that is gone, with all it started, when the block is left."""
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=environment(scratch),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # libraries quote values in what they print
        pass_fds=descriptors,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill_group(process)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def environment(scratch: Path) -> dict[str, str]:
    """Only what an interpreter needs: no secret of the web application reaches the engine."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, **FRUGAL, "TMPDIR": str(scratch), "PYTHONPATH": str(ROOT)}


def send(process: "subprocess.Popen[bytes]", document: Mapping[str, Any]) -> None:
    """Hand over the job; a child that died before reading shows in its missing answer."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(document).encode())
        process.stdin.close()


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End the child and everything it started; it is the leader of its own session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Conversation:
    """Reads what the child says until it has answered, died, or has to be stopped."""

    def __init__(self, process: "subprocess.Popen[bytes]", limits: Limits, watch: Watch) -> None:
        self._process, self._limits, self._watch = process, limits, watch
        self._started = time.monotonic()
        self._rest = b""
        self._progress = Progress()
        self._highest_memory = 0

    def answer(self) -> dict[str, Any]:
        """The child's answer, or the exception it means."""
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                said = self._read() if selector.select(POLL_SECONDS) else []
                if said is None:
                    raise self._silence()
                for line in said:
                    if (answer := self._heard(line)) is not None:
                        return answer
                self._check()

    def _read(self) -> list[bytes] | None:
        """Whole lines that arrived; None at the end."""
        assert self._process.stdout is not None
        arrived = os.read(self._process.stdout.fileno(), 1 << 16)
        *lines, self._rest = (self._rest + arrived).split(b"\n")
        return lines if arrived else None

    def _heard(self, line: bytes) -> dict[str, Any] | None:
        message = json.loads(line)
        if "error" in message:
            raise raised(message["error"])
        if "done" in message:
            return dict(message["done"])
        self._progress = Progress(message["progress"], message["stage"], self._elapsed)
        return None

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _check(self) -> None:
        limit = self._limits.seconds
        if limit is not None and self._elapsed > limit:
            raise LimitExceeded("time-limit", f"The job was stopped at its limit of {limit:g} seconds.")
        self._highest_memory = max(self._highest_memory, memory_of(self._process.pid))
        if not self._watch(self._progress):
            raise Cancelled

    def _silence(self) -> Exception:
        """Why there was no answer. Native code may abort where Python would have said MemoryError."""
        self._process.wait()
        limit = self._limits.memory_bytes
        crashed = self._process.returncode in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)
        if limit is not None and crashed and self._highest_memory > NEAR_THE_LIMIT * limit:
            return memory_error(limit)
        if self._process.returncode >= 0:  # it ended by itself: that is our mistake, not a loss
            return ChildFailed(f"exit status {self._process.returncode}", [])
        return ChildLost(self._process.returncode)


def memory_of(pid: int) -> int:
    """The most address space a process has had, in bytes; 0 when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmPeak:")]
    return int(peaks[0]) * 1024 if peaks else 0


KINDS: dict[str, type[EngineError]] = {one.__name__: one for one in (EngineError, NoSolution, LimitExceeded)}


def raised(error: Mapping[str, Any]) -> Exception:
    """The exception a child's error stands for."""
    if error["code"] == "internal":
        return ChildFailed(error["type"], error["frames"], error["number"])
    if error["code"] == "cancelled":
        return Cancelled()
    kind = KINDS[error.get("type", "EngineError")]
    made = kind(error["code"], error["message"], error["param"], error["step"])
    if isinstance(made, NoSolution):
        made.mends = tuple(Mend(**mend) for mend in error.get("mends", ()))
    return made
