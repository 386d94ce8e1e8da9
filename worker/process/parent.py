"""Has the engine do a job in a process of its own, watches it, and ends it.

A memory limit ends it with an error instead of taking the worker along. It gets its job, its keys and sealed
files as open descriptors over a socket, and answers with JSON lines.
"""

import json
import logging
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from worker.engine.errors import Cancelled, EngineError, LimitExceeded, Mend, NoSolution
from worker.process import ready
from worker.process.channel import Handed, Job, Message, Refused
from worker.process.child import memory_error
from worker.process.starting import Engine, Started

log = logging.getLogger("worker.process")

POLL_SECONDS = 0.2
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

    def described(self) -> Handed:
        """What the child must know to open it."""
        return {"key": self.key.hex(), "mode": self.mode}


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
    details: Mapping[str, object],
    files: Mapping[str, Sealed],
    *,
    limits: Limits,
    scratch: Path,
    watch: Watch,
) -> Job:
    """Run one job in a child and return its answer.

    `watch` is called with the progress several times a second, also while the child is silent; when it
    answers False the child is killed and Cancelled raised.
    """
    document = {
        "job": job,
        "files": {name: file.described() for name, file in files.items()},
        "limits": asdict(limits),
        "scratch": str(scratch),
        **details,
    }
    with ready.engine() as engine:
        engine.tell(document, [file.file.fileno() for file in files.values()])
        return Conversation(engine, limits, watch).answer()


def start_warming(scratch: Path) -> Started:
    """A process that compiles ahead of the first job and ends by itself, or with this one. Nobody waits."""
    engine = Started()
    engine.tell({"job": "warm", "limits": asdict(Limits()), "scratch": str(scratch)})
    return engine


class Conversation:
    """Reads what the child says until it has answered, died, or has to be stopped."""

    def __init__(self, engine: Engine, limits: Limits, watch: Watch) -> None:
        self._engine, self._limits, self._watch = engine, limits, watch
        self._started = time.monotonic()
        self._rest = b""
        self._progress = Progress()
        self._highest_memory = 0

    def answer(self) -> Job:
        """The child's answer, or the exception it means."""
        self._engine.talk.settimeout(POLL_SECONDS)
        while (said := self._read()) is not None:
            for line in said:
                if (answer := self._heard(line)) is not None:
                    return answer
            self._check()
        raise self._silence()

    def _read(self) -> list[bytes] | None:
        """Whole lines that arrived; None at the end."""
        try:
            arrived = self._engine.talk.recv(1 << 16)
        except TimeoutError:
            return []
        except ConnectionResetError:  # it died without having read all it was told
            return None
        *lines, self._rest = (self._rest + arrived).split(b"\n")
        return lines if arrived else None

    def _heard(self, line: bytes) -> Job | None:
        message = understood(line)
        if "error" in message:
            raise raised(message["error"])
        if "done" in message:
            return dict(message["done"])
        if "trouble" in message:
            said = {"what": message["trouble"], "type": message["type"], "frames": message["frames"]}
            log.error("engine.trouble", extra=said)
        elif "ended" in message:
            self._engine.ended = message["ended"]
        elif message:
            self._progress = Progress(message["progress"], message["stage"], self._elapsed)
        return None

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _check(self) -> None:
        limit = self._limits.seconds
        if limit is not None and self._elapsed > limit:
            raise LimitExceeded("time-limit", f"The job was stopped at its limit of {limit:g} seconds.")
        self._highest_memory = max(self._highest_memory, memory_of(self._engine.pid))
        if not self._watch(self._progress):
            raise Cancelled

    def _silence(self) -> Exception:
        """Why there was no answer. Native code may abort where Python would have said MemoryError."""
        limit, status = self._limits.memory_bytes, self._engine.status()
        crashed = status in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)
        if limit is not None and crashed and self._highest_memory > NEAR_THE_LIMIT * limit:
            return memory_error(limit)
        if status >= 0:  # it ended by itself: that is our mistake, not a loss
            return ChildFailed(f"exit status {status}", [])
        return ChildLost(status)


def understood(line: bytes) -> Message:
    """What a line says; nothing where its writer died while writing it."""
    with suppress(ValueError):
        message: Message = json.loads(line)
        return message
    return {}


def memory_of(pid: int) -> int:
    """The most address space a process has had, in bytes; 0 when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmPeak:")]
    return int(peaks[0]) * 1024 if peaks else 0


KINDS: dict[str, type[EngineError]] = {one.__name__: one for one in (EngineError, NoSolution, LimitExceeded)}


def raised(error: Refused) -> Exception:
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
