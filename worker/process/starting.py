"""A fresh process of the engine: how it is started, and how it is ended with all it started.

It leads a session of its own, so that a cancel ends the whole group at once, and nothing of the worker's
secrets is in its environment. What it is told and what it says goes over one socket.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from worker.process import channel
from worker.process.channel import Job

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "worker.process.child")
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "NUMBA_CACHE_DIR", "STEWARD_KERNELS")
# Arrow's own allocator reserves a gigabyte of address space before it holds one byte, and glibc 64 MB per
# thread; the limit counts address space.
FRUGAL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
TELLING_SECONDS = 60.0
"""A process that does not listen for so long is looked after like one that does not answer."""


class Engine:
    """A process that does one job; whoever made it ends it."""

    ended: int | None = None
    """How it ended, where it cannot be asked of the system."""

    def __init__(self, talk: socket.socket, pid: int, parent: int) -> None:
        self.talk, self.pid, self._parent = talk, pid, parent

    def tell(self, job: Job, descriptors: Sequence[int] = ()) -> None:
        """Hand over the job; a process that died before reading shows in its missing answer."""
        self.talk.settimeout(TELLING_SECONDS)
        with suppress(OSError):
            channel.send(self.talk, {**job, "parent": self._parent}, descriptors)

    def status(self) -> int:
        """How it ended: its exit status, or the signal that killed it as a negative number."""
        raise NotImplementedError

    def end(self) -> None:
        """End it and everything it started; it is the leader of its own session."""
        raise NotImplementedError


class Started(Engine):
    """A fresh interpreter."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = _interpreter(theirs)
            except BaseException:
                ours.close()
                raise
        super().__init__(ours, self._process.pid, os.getpid())

    def status(self) -> int:
        # Its number stays taken until it is ended, so that nobody else is killed in its place.
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None

    def end(self) -> None:
        kill_group(self.pid)
        self._process.wait()
        self.talk.close()


def kill_group(leader: int) -> None:
    """End a process and everything it started."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _interpreter(theirs: socket.socket) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=environment(),
        stdin=theirs.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # libraries quote values in what they print
        start_new_session=True,
    )


def environment() -> dict[str, str]:
    """Only what an interpreter needs: no secret of the web application reaches the engine."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, **FRUGAL, "PYTHONPATH": str(ROOT)}
