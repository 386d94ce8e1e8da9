"""Keeps a few processes running side by side and ends them together."""

import ctypes
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1
GRACE_SECONDS = 20.0
STABLE_SECONDS = 60.0
LONGEST_PAUSE = 30.0
LARGEST_LOG = 10 * 2**20

_libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent() -> None:
    """Ask the kernel to end this process when the one that started it dies, however it dies."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Service:
    """One process that should always run, or until it succeeded once."""

    name: str
    command: list[str]
    log: Path
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    not_before: float = 0.0
    failures: int = 0
    once: bool = False

    def start(self) -> None:
        """Start it in a session of its own: Ctrl-C then reaches us alone, once."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        self.started = time.monotonic()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def done(self) -> bool:
        """Whether it did all it was there for."""
        return self.once and self.process is not None and self.process.poll() == 0

    def tend(self) -> None:
        """Start it again when it died, with growing pauses while it keeps dying; its log stays small."""
        put_aside(self.log)
        now = time.monotonic()
        if self.alive or self.done or now < self.not_before:
            return
        if self.process is not None:
            self.failures = 0 if now - self.started > STABLE_SECONDS else self.failures + 1
            self.not_before = now + min(0.5 * 2**self.failures, LONGEST_PAUSE)
            self.process = None
            return
        self.start()

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and all it started."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class Supervisor:
    """Runs services until it is told to stop."""

    def __init__(self, services: list[Service]) -> None:
        self._services = services
        # A signal may arrive at any point of this same thread: a flag has no lock to wait for oneself at.
        self._stopping = False

    def stop(self, *_: object) -> None:
        """End soon; fit to be a signal handler."""
        self._stopping = True

    @property
    def stopping(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopping

    def pause(self, seconds: float) -> None:
        """Wait a moment; a signal does not cut it short."""
        time.sleep(seconds)

    def tend(self) -> None:
        """Look after every service once."""
        for service in self._services:
            service.tend()

    def run(self) -> None:
        """Look after the services until stopped."""
        while not self.stopping:
            self.tend()
            self.pause(0.2)

    def end(self) -> None:
        """Ask all to end, wait, then end what is left by force."""
        for service in self._services:
            if service.alive and service.process is not None:
                service.process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        while any(service.alive for service in self._services) and time.monotonic() < deadline:
            time.sleep(0.05)
        for service in self._services:
            service.signal_group(signal.SIGKILL)
            if service.process is not None:
                service.process.wait()


def log_file(folder: Path, name: str) -> Path:
    """Where a service writes."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{name}.log"


def put_aside(log: Path) -> None:
    """Keep what a log holds once, as `.1`, when it grew large; whoever writes appends, and goes on in front.

    A line that is written between the copy and the cut is lost.
    """
    if not log.exists() or log.stat().st_size <= LARGEST_LOG:
        return
    with suppress(OSError):  # a full disk: the log goes all the same
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
    os.truncate(log, 0)
