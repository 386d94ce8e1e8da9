"""The product as a person starts it: `manage.py run` on a free port with its own data folder."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.test import override_settings

from stewardapp.settings import PASSWORD_HASHERS
from tests.functional import demo_facts
from tests.site import default_database

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(question: Callable[[], object], seconds: float, what: str) -> object:
    """Ask again and again until the answer is true; fail with `what` at the deadline."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if answer := question():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def living() -> Iterator[tuple[int, int]]:
    """Every process of this machine with its parent."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (facts := status(int(entry.name))):
            yield int(entry.name), int(facts[1])


def status(pid: int) -> list[str]:
    """State, parent and more of a process; nothing when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    facts = status(pid)
    return bool(facts) and facts[0] != "Z"


def command(pid: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@dataclass
class Desk:
    """One running installation."""

    data: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[str] | None = None
    said: str = ""
    personas: dict[str, tuple[str, str]] = field(default_factory=dict)
    demo: dict[str, Any] = field(default_factory=dict)
    unblocked: Callable[[], AbstractContextManager[None]] = nullcontext
    """What lets this process use a database meanwhile."""
    _before: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def folder(self) -> Path:
        """What it may write to: its data, its log, its temporary files."""
        return self.data.parent

    @property
    def log(self) -> Path:
        return self.data.parent / f"{self.data.name}.log"

    def temporary(self) -> Path:
        """Where its processes put temporary files, apart from those of everybody else."""
        folder = self.data.parent / f"{self.data.name}.temporary"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def environment(self) -> dict[str, str]:
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("STEWARD_", "DJANGO_"))
        }
        return {
            **clean,
            "STEWARD_DATA": str(self.data),
            "STEWARD_PORT": str(self.port),
            "STEWARD_ANSWER_WAIT": "1",
            "STEWARD_LEASE": "2",
            "STEWARD_TICK": "0.5",
            "TMPDIR": str(self.temporary()),
        }

    def start(self) -> Desk:
        """Start web and worker and wait for the address to be printed, and for the demo beside."""
        self._begin()
        until(lambda: self._printed("Open http"), 180, "the address is printed")
        until(lambda: not self.unfinished.exists(), 180, "the demo is complete")
        for role, user, password in re.findall(
            r"^\s*(\S.*?)\s{2,}(\S+)\s{2,}(\S+)\s*$", self._new_lines(), re.M
        ):
            self.personas[role.strip()] = (user, password)
        return self

    def start_twice_in_vain(self) -> None:
        """Press Ctrl-C while the demo reads its first file, then pull the plug during its second run."""
        self._begin()
        until(lambda: self._printed("Open http"), 180, "the address is printed")
        assert self.unfinished.exists(), "the page answers before the demo is there"
        until(lambda: self.at_work("reading"), 180, "the demo's first file is read")
        assert self.interrupt() == 0
        assert self.tree() == []
        self._begin()
        until(lambda: self.at_work("run") == 2, 180, "the demo's second run goes on")
        self.pull_the_plug()

    @property
    def unfinished(self) -> Path:
        """Is there while something of the demo is still to come."""
        return self.data / "demo-unfinished"

    def at_work(self, kind: str) -> int:
        """How many jobs of a kind there are, if the last of them is at work."""
        asked = f"SELECT state FROM stewardapp_{kind} ORDER BY queued_at"
        with closing(sqlite3.connect(self.data / "steward.sqlite3", timeout=30)) as database:
            states = [state for (state,) in database.execute(asked)]
        return len(states) if states and states[-1] == "running" else 0

    def _begin(self) -> None:
        with self.log.open("a") as log:
            self._before = log.tell()
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run"],
                cwd=ROOT, env=self.environment(), text=True, start_new_session=True,
                stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip

    def _new_lines(self) -> str:
        """What was printed since the last start."""
        return self.log.read_bytes()[self._before :].decode()

    def _printed(self, text: str) -> bool:
        assert self.process is not None
        self.said = self._new_lines()
        assert self.process.poll() is None or text in self.said, self.said
        return text in self.said and self.healthy()

    def healthy(self) -> bool:
        """Whether the web process answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def interrupt(self, seconds: float = 30) -> int:
        """Press Ctrl-C and return the exit code."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=seconds)

    def tree(self, word: str = "") -> list[int]:
        """Every living process of this installation, the engine included; or those whose command says so."""
        children: dict[int, list[int]] = {}
        for pid, parent in living():
            children.setdefault(parent, []).append(pid)
        found = [self.process.pid] if self.process is not None else []
        for pid in found:
            found += children.get(pid, [])
        return [pid for pid in found if alive(pid) and word in command(pid)]

    def pull_the_plug(self) -> None:
        """Kill every process at once, as a power cut does; none of them can say goodbye."""
        for pid in (doomed := self.tree()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self.process is not None
        self.process.wait(timeout=10)
        until(lambda: not any(map(alive, doomed)), 10, "every process is gone")

    def copied(self, data: Path) -> Desk:
        """Another installation, not started, that holds what this one holds."""
        database = "steward.sqlite3"
        shutil.copytree(self.data, data, ignore=shutil.ignore_patterns(f"{database}*", "logs", "tmp*"))
        with (
            closing(sqlite3.connect(self.data / database)) as held,
            closing(sqlite3.connect(data / database)) as copy,
        ):
            held.backup(copy)
        return Desk(data)

    def kill(self) -> None:
        """End it by force; web and worker end with it."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=10)

    def facts(self) -> dict[str, Any]:
        """What the demo made."""
        with self.inside():
            return demo_facts.told()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """This process is part of the installation, as `manage.py shell` is, which takes seconds to start."""
        place = {
            "PASSWORD_HASHERS": PASSWORD_HASHERS,
            "SECRET_KEY": (self.data / "secret-key").read_text().strip(),
            "STEWARD_DATA": self.data,
            "STEWARD_KEY_FILE": self.data / "key-encryption-key",
        }
        database = default_database(f"sqlite:///{self.data}/steward.sqlite3")
        with self.unblocked(), override_settings(**place), database:
            yield

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of manage.py on this installation."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.environment(), text=True, capture_output=True, timeout=180, check=False,
        )  # fmt: skip
