"""Start the whole release desk on this machine: database, web, worker; nothing else is needed."""

import fcntl
import os
import signal
import socket
import sqlite3
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from stewardapp.management import demo, processes
from stewardapp.management.supervisor import Service, Supervisor, log_file
from stewardapp.reads.demo import is_loading

HOST = "127.0.0.1"
START_SECONDS = 120.0
EMPTY = Path(sys.prefix) / "empty-desk" / "steward.sqlite3"
"""Made by `make` when it installs."""


class Command(BaseCommand):
    help = "Run web and worker together on this machine until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        with only_one(settings.STEWARD_DATA):
            check_port(settings.STEWARD_PORT)
            for number in (signal.SIGINT, signal.SIGTERM):  # also where a script started it in the background
                signal.signal(number, signal.default_int_handler)
            with suppress(KeyboardInterrupt):  # Ctrl-C before the processes run
                ready_made_database()
                call_command("migrate", interactive=False, verbosity=0)
                self.keep_running(demo.begin())

    def keep_running(self, personas: list[tuple[str, str, str]]) -> None:
        """Start all, say where, and stay until a signal."""
        connections.close_all()
        supervisor = Supervisor(services())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, supervisor.stop)
        try:
            wait_until_healthy(supervisor)
            if not supervisor.stopping:
                self.say(personas)
            supervisor.run()
        finally:
            supervisor.end()
        self.stdout.write("Stopped.")

    def say(self, personas: list[tuple[str, str, str]]) -> None:
        """Where it is and who may sign in."""
        self.stdout.write(f"Open http://{HOST}:{settings.STEWARD_PORT}/")
        width = max((len(role) for role, _, _ in personas), default=0)
        for role, user, password in personas:
            self.stdout.write(f"{role:<{width}}  {user:<{width}}  {password}")
        if is_loading():
            self.stdout.write("The demo project is being loaded beside.")
        self.stdout.write(f"Logs: {settings.STEWARD_DATA / 'logs'} · Ctrl-C stops")
        self.stdout.flush()


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the data folder; a second start on it is refused."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".running").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(f"The release desk is running already on {folder}.") from None
        yield


def check_port(port: int) -> None:
    """Refuse early when somebody else listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise CommandError(f"Port {port} is taken. Set STEWARD_PORT to another one.") from None


def ready_made_database() -> None:
    """Begin with the empty one that the installation made; newer migrations are still to come."""
    database = settings.DATABASES["default"]
    if not EMPTY.exists() or "sqlite3" not in database["ENGINE"] or Path(database["NAME"]).exists():
        return
    part = Path(f"{database['NAME']}.part")
    part.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"file:{EMPTY}?mode=ro", uri=True)) as empty,
        closing(sqlite3.connect(part)) as copy,
    ):
        empty.backup(copy)
    part.replace(database["NAME"])


def services() -> list[Service]:
    """Web and worker, and the demo until it is complete."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stewardapp.settings")
    commands = {
        "web": processes.web(f"{HOST}:{settings.STEWARD_PORT}"),
        "worker": processes.worker(),
    }
    logs = settings.STEWARD_DATA / "logs"
    found = [Service(name, command, log_file(logs, name)) for name, command in commands.items()]
    if is_loading():
        found.append(Service("demo", processes.demo(), log_file(logs, "demo"), once=True))
    return found


def wait_until_healthy(supervisor: Supervisor) -> None:
    """Return when the web process answers, or when somebody asked to stop."""
    deadline = time.monotonic() + START_SECONDS
    while not supervisor.stopping and not healthy():
        if time.monotonic() > deadline:
            raise CommandError(f"The web process does not answer; see {settings.STEWARD_DATA}/logs/web.log.")
        supervisor.tend()
        supervisor.pause(0.1)


def healthy() -> bool:
    """Whether the web process answers."""
    address = f"http://{HOST}:{settings.STEWARD_PORT}/healthz"
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
