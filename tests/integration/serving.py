"""The real web process on an installation of its own, and people who speak to it byte by byte."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.test import Client

from stewardapp.models import User
from tests.services import free_port
from tests.site import ROOT, Site, until

PIECE_TYPE = "application/offset+octet-stream"


@dataclass
class Serving:
    """A web process, where it listens, and where it may write."""

    site: Site
    port: int
    pid: int
    temporary: Path

    def healthy(self) -> bool:
        """Whether it answers."""
        with contextlib.suppress(OSError):
            return seconds(self.port, "/healthz") is not None
        return False

    def end(self, word: signal.Signals = signal.SIGTERM) -> None:
        """Ask it to end, or leave it no choice."""
        os.kill(self.pid, word)

    def connect(self, sent: bytes = b"") -> socket.socket:
        """A connection on which this has been sent."""
        line = socket.create_connection(("127.0.0.1", self.port), 30)
        line.sendall(sent)
        return line


@contextlib.contextmanager
def serving(site: Site, folder: Path, port: int = 0, **more: str) -> Iterator[Serving]:
    """Start the web process as `manage.py serve` does."""
    temporary, port = folder / "temporary", port or free_port()
    temporary.mkdir(exist_ok=True)
    if not (site.data / "secret-key").exists():
        (site.data / "secret-key").write_text(settings.SECRET_KEY)
    environment = site.environment() | {"TMPDIR": str(temporary)} | more
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--bind", f"127.0.0.1:{port}"]
    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--threads", "3"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        up = Serving(site, port, process.pid, temporary)
        until(up.healthy, 60, "the web process answers")
        yield up
    finally:
        process.terminate()
        process.wait(30)


class Signed:
    """Somebody who is signed in; the session is written straight into the database."""

    def __init__(self, port: int, user: User) -> None:
        client = Client()
        client.force_login(user)
        self.port, self.token = port, secrets.token_hex(16)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.headers = {
            "Cookie": f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={self.token}",
            "X-CSRFToken": self.token,
        }

    def begin(self, dataset: str, length: int) -> str:
        """Announce a file; the address for its pieces."""
        said = {"filename": "survey.csv", "dataset": dataset}
        pairs = (f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in said.items())
        headers = {"Upload-Length": str(length), "Upload-Metadata": ",".join(pairs)}
        answer = self.ask("POST", "/uploads/", headers)
        assert answer[0] == 201, answer
        return answer[1]["Location"]

    def ask(
        self, method: str, path: str, headers: dict[str, str] | None = None
    ) -> tuple[int, http.client.HTTPMessage]:
        """One request without a body: status and headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, headers={**self.headers, **(headers or {})})
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.headers

    def offset(self, upload: str) -> int:
        """How much is stored."""
        status, headers = self.ask("HEAD", upload)
        return int(headers["Upload-Offset"]) if status == 200 else -1

    def head(self, method: str, path: str, **headers: object) -> bytes:
        """The head of a request, for a body that is sent by hand."""
        given = {"Host": "127.0.0.1", "Connection": "close", **self.headers, **headers}
        lines = [f"{method} {path} HTTP/1.1", *(f"{k.replace('_', '-')}: {v}" for k, v in given.items())]
        return "\r\n".join([*lines, "", ""]).encode()

    def piece(self, upload: str, length: int) -> bytes:
        """The head of a piece from the start."""
        said = {"Content-Type": PIECE_TYPE, "Upload-Offset": 0, "Content-Length": length}
        return self.head("PATCH", upload, **said)


def seconds(port: int, path: str, headers: dict[str, str] | None = None, within: float = 5) -> float | None:
    """How long a page takes; nothing when it does not come, or is another one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=within)
    began = time.monotonic()
    try:
        with contextlib.closing(connection):
            connection.request("GET", path, headers=headers or {})
            fine = connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return None
    return time.monotonic() - began if fine else None


def holding(value: bytes, pid: int, *folders: Path, since: float = 0.0) -> list[str]:
    """Every file in these folders, and every open one of the process, that holds the value in clear.

    A file that is deleted and still open is found too.
    """
    places = (
        place for folder in folders for place in os.walk(folder)
    )  # others' folders may vanish meanwhile
    paths = [Path(where, name) for where, _, names in places for name in names]
    fresh = [path for path in paths if _is_fresh(path, since)]
    opened = Path(f"/proc/{pid}/fd").iterdir()
    return [str(path) for path in [*fresh, *opened] if value in _bytes(path)]


def _is_fresh(path: Path, since: float) -> bool:
    try:
        return path.is_file() and path.lstat().st_mtime >= since
    except OSError:
        return False


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""
