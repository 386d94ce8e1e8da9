"""A whole installation for tests that start real workers: a data folder, a database, a broker.

The test process becomes part of it: its default database and its settings are swapped for the site's.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dj_database_url
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.test import override_settings
from kombu import pools

ROOT = Path(__file__).resolve().parents[1]
LEASE, TICK = 2.0, 0.3
OPTIONS_OF_SQLITE = settings.DATABASES["default"]["OPTIONS"]
"""Taken now: what the settings say changes while another database is the default one."""


def until(question: Callable[[], Any], seconds: float = 30, what: str = "it happens") -> Any:
    """Ask again and again until the answer is true; fail at the deadline."""
    deadline = time.monotonic() + seconds
    while not (answer := question()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)
    return answer


@dataclass
class Site:
    """One installation and the workers running on it."""

    data: Path
    database_url: str
    broker_url: str
    more: dict[str, str] = field(default_factory=dict)
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("STEWARD_", "DJANGO_"))
        }
        return {
            **clean,
            "DJANGO_SETTINGS_MODULE": "stewardapp.settings",
            "STEWARD_DATA": str(self.data),
            "STEWARD_DATABASE_URL": self.database_url,
            "STEWARD_BROKER_URL": self.broker_url,
            "STEWARD_LEASE": str(LEASE),
            "STEWARD_TICK": str(TICK),
            **self.more,
        }

    def start_worker(self, *module: str, **more: str) -> "subprocess.Popen[bytes]":
        """A real Celery worker whose engine knows a few bad jobs more; see tests/faults/worker.py."""
        module = module or ("tests.faults.worker",)
        log = (self.data / f"worker-{len(self.workers)}.log").open("ab")
        worker = subprocess.Popen(
            [sys.executable, "-m", *module],
            cwd=ROOT,
            env=self.environment() | more,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        self.workers.append(worker)
        return worker

    def script(self, code: str, *arguments: object) -> "subprocess.Popen[str]":
        """A Python process that sees the same installation."""
        return subprocess.Popen(
            [sys.executable, "-c", f"import django; django.setup()\n{code}", *map(str, arguments)],
            cwd=ROOT,
            env=self.environment(),
            text=True,
            stdout=subprocess.PIPE,
        )

    def logs(self) -> str:
        """What all workers wrote."""
        return "\n".join(file.read_text() for file in sorted(self.data.glob("worker-*.log")))

    def has_worker(self) -> bool:
        """Whether one of them runs."""
        return any(worker.poll() is None for worker in self.workers)

    def stop(self) -> None:
        """Pull the plug of every worker."""
        for worker in self.workers:
            kill_session(worker)


def kill_session(worker: "subprocess.Popen[bytes]", number: int = signal.SIGKILL) -> None:
    """Signal a worker with its pool; engines die with the process that started them."""
    with suppress(ProcessLookupError):
        os.killpg(worker.pid, number)
    if number == signal.SIGKILL:
        worker.wait(30)


@contextmanager
def inhabited(site: Site) -> Iterator[Site]:
    """Make this process part of the site, and stop its workers in the end."""
    with part_of(site):
        try:
            yield site
        finally:
            site.stop()


@contextmanager
def part_of(site: Site) -> Iterator[None]:
    """Make this process part of the site, with its database as the default."""
    from worker.queue import app as celery

    changes = {
        "STEWARD_DATA": site.data,
        "STEWARD_KEY_FILE": site.data / "key-encryption-key",
        "STEWARD_BROKER_URL": site.broker_url,
        "STEWARD_LEASE": LEASE,
        "STEWARD_TICK": TICK,
    }
    with ExitStack() as stack:
        stack.enter_context(override_settings(**changes))
        stack.enter_context(default_database(site.database_url))
        stack.callback(connect, celery.app, settings.STEWARD_BROKER_URL)
        connect(celery.app, site.broker_url)
        yield


def connect(app: Any, url: str) -> None:
    """Point a Celery application at another broker."""
    from worker.queue.app import broker

    pools.reset()  # one that was closed would be taken again for the same address
    app._pool = None
    app.__dict__.pop("amqp", None)
    app.conf.update(**broker(url))


@contextmanager
def default_database(url: str) -> Iterator[None]:
    """Swap the default database of this process."""
    before = connections.settings["default"]
    described = dj_database_url.parse(url)
    if described["ENGINE"].endswith("sqlite3"):
        described["OPTIONS"] = OPTIONS_OF_SQLITE
    connections["default"].close()
    connections.settings["default"] = connections.configure_settings({"default": described})["default"]
    del connections["default"]
    try:
        yield
    finally:
        connections["default"].close()
        del connections["default"]
        connections.settings["default"] = before


def migrated(url: str) -> None:
    """Bring an empty database up to date."""
    with default_database(url):
        call_command("migrate", interactive=False, verbosity=0)


def sqlite_copy(template: Path, data: Path) -> str:
    """A database file of its own for one test."""
    shutil.copy(template, data / "steward.sqlite3")
    return f"sqlite:///{data}/steward.sqlite3"
