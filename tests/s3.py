"""A real store that speaks S3, and a line to it that can be broken."""

from __future__ import annotations

import http.client
import shutil
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

SERVER = Path(__file__).with_name("swift_server.py")
PYTHON = "/usr/bin/python3"
BUCKET = "desk"
ACCESS = {"STEWARD_STORE_KEY": "test:tester", "STEWARD_STORE_SECRET": "testing"}


FOLDERS: dict[str, Path] = {}
"""Of the servers that run, by address."""


@contextmanager
def running_store() -> Iterator[str]:
    """Its address; a bucket is there."""
    folder = Path(tempfile.mkdtemp(prefix="steward-s3-"))
    server = subprocess.Popen([PYTHON, SERVER, folder], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        assert port, "Swift did not start: `make store` installs it"
        address = f"http://127.0.0.1:{port}"
        FOLDERS[address] = folder
        client(address).create_bucket(Bucket=BUCKET)
        yield address
    finally:
        server.kill()
        server.communicate(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


def files(address: str) -> list[Path]:
    """What a server wrote."""
    return [path for path in FOLDERS[address].rglob("*") if path.is_file()]


def client(address: str) -> Any:
    """The bare library."""
    from stewardapp.stores.bucket import Account

    return Account(address, "us-east-1", *ACCESS.values(), 10).client()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """One for each test process."""
    with running_store() as address:
        yield address


def wanted(address: str) -> dict[str, Any]:
    """Settings of an installation with a part of the bucket for itself."""
    where = (BUCKET, f"{uuid.uuid4().hex}/")
    facts = {"STEWARD_STORE": where, "STEWARD_STORE_ENDPOINT": address, "STEWARD_STORE_PATIENCE": 2}
    return facts | ACCESS


def in_environment(settings: dict[str, Any]) -> dict[str, str]:
    """The same for another process."""
    bucket, prefix = settings["STEWARD_STORE"]
    return {name: str(one) for name, one in settings.items()} | {"STEWARD_STORE": f"s3://{bucket}/{prefix}"}


# A line that breaks

Rule = Callable[[str, str], str]


@dataclass
class Line:
    """A proxy before the store. `rule` says of each request, by method and path, what goes wrong with it:

    "" nothing; "away" no answer; "500" an error in the middle of what is sent; "lost" it is done, and the
    answer is lost; "slow" the answer comes too late; "cut" it ends halfway; "full" there is no room.
    """

    store: str
    rule: Rule = lambda method, path: ""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    address: str = ""

    @contextmanager
    def open(self) -> Iterator[Line]:
        """Listening, until the end of the block."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Its", (Handler,), {"line": self}))
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.address = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join(30)

    def once(self, method: str, fault: str, *, part: str = "") -> None:
        """The next request of this kind goes wrong, and no other."""
        left = [fault]

        def rule(asked: str, path: str) -> str:
            return left.pop() if left and asked == method and part in path else ""

        self.rule = rule


class Handler(BaseHTTPRequestHandler):
    """One connection over the line."""

    protocol_version = "HTTP/1.1"
    line: Line

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""

    def answered(self) -> None:
        fault = self.line.rule(self.command, self.path)
        self.line.asked.append((self.command, self.path, fault))
        length = int(self.headers.get("Content-Length") or 0)
        self.close_connection = bool(fault)
        if fault in {"500", "full"}:
            self.rfile.read(length // 2)
            self.said(507 if fault == "full" else 500, [("Content-Length", "0"), ("Connection", "close")])
        elif fault != "away":
            status, headers, content = self.passed_on(self.rfile.read(length))
            if fault == "slow":
                threading.Event().wait(2)
            if fault != "lost":
                self.said(status, headers, content[: len(content) // 2] if fault == "cut" else content)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answered  # noqa: N815

    def passed_on(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        store = http.client.HTTPConnection(urlsplit(self.line.store).netloc, timeout=30)
        headers = {name: one for name, one in self.headers.items() if name.lower() != "expect"}
        try:
            store.request(self.command, self.path, body, headers)
            answer = store.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            store.close()

    def said(self, status: int, headers: list[tuple[str, str]], content: bytes = b"") -> None:
        with suppress(OSError):  # nobody waits any more
            self.send_response_only(status)
            for name, one in headers:
                if name.lower() != "transfer-encoding":
                    self.send_header(name, one)
            if not any(name.lower() == "content-length" for name, _ in headers):
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
