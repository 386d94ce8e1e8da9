"""The web process under slow clients, and where the bytes of an upload are while they come."""

from __future__ import annotations

import http.client
import os
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from stewardapp.access.guessing import FREE, Shared
from stewardapp.models import Upload, UploadState, Version
from tests import factories
from tests.integration.serving import Serving, Signed, holding, seconds, serving
from tests.site import until
from tests.site_fixtures import new_site
from tests.unit.entrance.serving import heard

PATIENCE = 10.0
CANARY = b"canary-5512-in-clear;"


@pytest.fixture(scope="module")
def web(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("entrance")
    with ExitStack() as stack:
        site = new_site("embedded", request, folder / "data", stack)
        yield stack.enter_context(serving(site, folder, STEWARD_PATIENCE=str(PATIENCE)))


@pytest.fixture(scope="module")
def team(web: Serving) -> factories.Team:
    return factories.make_project()


@pytest.fixture
def steward(web: Serving, team: factories.Team) -> Signed:
    return Signed(web.port, team.steward)


@pytest.fixture
def dataset(team: factories.Team) -> str:
    return str(factories.make_dataset(team).pk)


# Slow clients


@contextmanager
def besieged(port: int) -> Iterator[list[socket.socket]]:
    """200 that say nothing, 200 in the middle of a head, 50 in the middle of a body; none is signed in."""
    form = b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\nlogin=some"
    with ExitStack() as stack:
        lines = []
        for sent in [b""] * 200 + [b"GET /accounts/login/ HTTP/1.1\r\nHo"] * 200 + [form] * 50:
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), 30))
            line.sendall(sent)
            line.setblocking(False)
            lines.append(line)
        yield lines


def still_open(line: socket.socket) -> bool:
    try:
        return line.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True


def answers(port: int, path: str, headers: dict[str, str] | None = None) -> bool:
    """Whether a page comes in less than a second; asked three times, because others use this machine too."""
    return any((seconds(port, path, headers, 2) or 9.0) < 1.0 for _ in range(3))


def test_slow_clients_hold_nobody_up_and_are_sent_away(web: Serving, steward: Signed) -> None:
    until(lambda: answers(web.port, "/", steward.headers), 60, "the first page is made")
    with besieged(web.port) as lines:
        assert answers(web.port, "/healthz")
        assert answers(web.port, "/", steward.headers)
        assert all(map(still_open, lines[-10:])), "the siege held until here"
        until(lambda: not any(map(still_open, lines[:400])), 3 * PATIENCE, "who says nothing has to go")
        for line in lines[400:]:
            line.settimeout(3 * PATIENCE)
            assert heard(line).startswith(b"HTTP/1.1 408")


def test_a_server_with_a_thread_for_each_would_not_answer() -> None:
    """The control: eight threads that wait for what is sent to them, as it was before."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    class Eight(socketserver.TCPServer):
        request_queue_size = 1000

        def process_request(self, request: Any, client_address: Any) -> None:
            pool.submit(self._one, request, client_address)

        def _one(self, request: Any, client_address: Any) -> None:
            self.finish_request(request, client_address)
            self.shutdown_request(request)

    with ThreadPoolExecutor(8) as pool, Eight(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        port = server.server_address[1]
        assert answers(port, "/healthz")
        with besieged(port):
            assert not answers(port, "/healthz")
        server.shutdown()


def trickled(line: socket.socket, content: bytes, piece: int, pause: float) -> bool:
    """Send so much at a time; false when the other side had enough of it."""
    for start in range(0, len(content), piece):
        try:
            line.sendall(content[start : start + piece])
        except OSError:
            return False
        time.sleep(pause)
        line.setblocking(False)
        if not still_open(line) or _answered(line):
            return False
        line.settimeout(60)
    return True


def _answered(line: socket.socket) -> bool:
    try:
        return bool(line.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False


def test_an_upload_at_ten_kilobytes_a_second_arrives(web: Serving, steward: Signed, dataset: str) -> None:
    content = os.urandom(90_000)
    upload = steward.begin(dataset, len(content))
    with web.connect(steward.piece(upload, len(content))) as line:
        trickled(line, content, 5_000, 0.5)
        line.settimeout(60)
        assert heard(line).startswith(b"HTTP/1.1 204")
    assert Version.objects.get(dataset=dataset).size == len(content)


def test_a_trickle_is_ended_and_what_came_in_time_is_kept(
    web: Serving, steward: Signed, dataset: str
) -> None:
    content = os.urandom(200_000)
    upload = steward.begin(dataset, len(content))
    with web.connect(steward.piece(upload, len(content)) + content[:100_000]) as line:
        assert not trickled(line, content[100_000:102_000], 10, 0.2)
        line.settimeout(60)
        assert heard(line).startswith(b"HTTP/1.1 408")
    assert steward.offset(upload) >= 100_000


# Where the bytes are


def half_a_piece(web: Serving, steward: Signed, dataset: str) -> socket.socket:
    """Half of a file, as a script sends it: it is stored while it comes."""
    content = CANARY * (6_000_000 // len(CANARY))
    upload = steward.begin(dataset, len(content))
    line = web.connect(steward.piece(upload, len(content)) + content[: len(content) // 2])
    until(lambda: steward.offset(upload) >= len(content) // 2, 60, "the half is stored")
    return line


def half_a_form(web: Serving, steward: Signed, dataset: str) -> socket.socket:
    """Half of a file, as a form sends it: it waits until it is whole."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    content = head + CANARY * (6_000_000 // len(CANARY)) + b"\r\n--x--\r\n"
    said = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": len(content)}
    line = web.connect(steward.head("POST", f"/datasets/{dataset}/upload/", **said))
    line.sendall(content[: len(content) // 2])
    waiting = web.site.data / "temporary"
    until(lambda: sum(one.stat().st_size for one in waiting.glob("*")) > 2 << 20, 60, "two frames are sealed")
    return line


@pytest.mark.parametrize("begun", [half_a_piece, half_a_form])
def test_no_byte_of_an_upload_touches_the_disk_in_clear(
    web: Serving, steward: Signed, dataset: str, begun: Any
) -> None:
    since = time.time() - 1
    with begun(web, steward, dataset):
        folders = (web.site.data, web.temporary, Path("/tmp"), Path("/var/tmp"))
        assert holding(CANARY, web.pid, *folders, since=since) == []


def test_the_search_sees_a_file_and_a_deleted_one(tmp_path: Path) -> None:
    with (tmp_path / "spooled").open("wb") as file:
        file.write(CANARY * 10)
        file.flush()
        assert len(holding(CANARY, os.getpid(), tmp_path)) == 2
        (tmp_path / "spooled").unlink()
        assert len(holding(CANARY, os.getpid(), tmp_path)) == 1


# Who may send how much


def test_a_stranger_may_send_a_form_and_nothing_larger(web: Serving) -> None:
    size = 10 << 20
    for method, path in (("POST", "/accounts/login/"), ("POST", "/nowhere/")):
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {size}\r\n\r\n".encode()
        with web.connect(head) as line:
            assert line.recv(100).startswith(b"HTTP/1.1 413")


def test_a_stranger_with_a_large_file_is_sent_to_the_sign_in(
    web: Serving, steward: Signed, dataset: str
) -> None:
    upload = steward.begin(dataset, 10 << 20)
    nobody = Signed.__new__(Signed)
    nobody.headers = {}
    for head in (
        nobody.piece(upload, 10 << 20),
        nobody.head("POST", f"/datasets/{dataset}/upload/", **{"Content-Length": 10 << 20}),
    ):
        with web.connect(head) as line:
            assert line.recv(100).split(b" ")[1] in (b"302", b"403")
    assert Upload.objects.get(pk=upload.split("/")[2]).state == UploadState.OPEN
    assert steward.offset(upload) == 0


def test_more_than_was_announced_is_refused_before_it_is_taken_in(
    web: Serving, steward: Signed, dataset: str
) -> None:
    upload = steward.begin(dataset, 1 << 20)
    with web.connect(steward.piece(upload, 3 << 20) + b"x" * (1 << 20)) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 400")
    assert steward.offset(upload) == 0


def test_who_claims_another_address_each_time_is_counted_as_one(web: Serving) -> None:
    def guessed(number: int) -> int:
        form = urlencode({"login": f"nobody-{number}", "password": "wrong"}).encode()
        headers = {
            "Cookie": f"steward_csrf={'c' * 32}",
            "X-CSRFToken": "c" * 32,
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Forwarded-For": f"198.51.100.{number}",
        }
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
        with closing(connection):
            connection.request("POST", "/accounts/login/", form, headers)
            return connection.getresponse().status

    free = FREE[Shared.ADDRESS]
    assert [guessed(number) for number in range(free)] == [200] * free
    assert guessed(free) == 429


def test_an_address_that_somebody_claims_is_in_no_log(web: Serving, steward: Signed) -> None:
    status, _ = steward.ask(
        "GET", "/projects/", {"X-Forwarded-For": "198.51.100.77", "X-Real-IP": "198.51.100.78"}
    )
    assert status == 200
    log = (web.temporary.parent / "web.log").read_text()
    assert '"ip": "127.0.0.1"' in log
    assert "198.51.100.7" not in log
