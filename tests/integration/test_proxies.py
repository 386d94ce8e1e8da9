"""docs/proxy in front of a site: the real nginx and the real Caddy, over TLS."""

from __future__ import annotations

import contextlib
import datetime
import http.client
import os
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.hashers import Argon2PasswordHasher

from stewardapp.models import Run, User, Version
from tests import factories
from tests.functional.desk import alive, living
from tests.integration.serving import Serving, Signed, holding, serving
from tests.services import free_port
from tests.site import ROOT, Site, inhabited, sqlite_copy, until

HOST, PASSWORD = "desk.example.org", "a long walk by the sea"
SHIPPED = ROOT / "docs" / "proxy"
CANARY = b"canary-9917-in-clear;"
CONTENT = CANARY * (4_000_000 // len(CANARY))
CLIENT, FORGED = "127.0.0.2", "198.51.100.77"


@pytest.fixture(scope="module")
def site(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[Serving]:
    """A site as it is documented, with a proxy on the same machine."""
    folder = tmp_path_factory.mktemp("proxied")
    data = folder / "data"
    data.mkdir()
    more = {
        "STEWARD_SITE": "1", "STEWARD_HOSTS": HOST, "STEWARD_ORIGINS": f"https://{HOST}",
        "STEWARD_SECRET_KEY": secrets.token_urlsafe(64), "STEWARD_TRUSTED_PROXIES": "127.0.0.1",
    }  # fmt: skip
    site = Site(data, sqlite_copy(sqlite_template, data), f"spool://{data}/spool", more)
    prepare = [sys.executable, str(ROOT / "manage.py"), "prepare"]
    with django_db_blocker.unblock(), inhabited(site):
        subprocess.run(prepare, env=site.environment(), check=True, capture_output=True, timeout=120)
        with serving(site, folder) as up:
            yield up


@pytest.fixture(scope="module")
def team(site: Serving) -> factories.Team:
    team = factories.make_project()
    User.objects.filter(pk=team.steward.pk).update(password=Argon2PasswordHasher().encode(PASSWORD, "a" * 16))
    team.steward.refresh_from_db()
    return team


@dataclass
class Proxy:
    """A proxy that runs."""

    port: int
    pids: list[int]
    folder: Path
    certificate: Path

    @property
    def certificates(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))

    def connection(self) -> http.client.HTTPSConnection:
        """Speak to the site by its name, from another address of this machine."""
        line = socket.create_connection(("127.0.0.1", self.port), 60, source_address=(CLIENT, 0))
        connection = http.client.HTTPSConnection(HOST, context=self.certificates)
        connection.sock = self.certificates.wrap_socket(line, server_hostname=HOST)
        return connection

    def answers(self) -> bool:
        with contextlib.suppress(OSError), contextlib.closing(self.connection()) as connection:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        return False


@dataclass
class Person(Signed):
    """Somebody who signs in over TLS, and claims to be elsewhere."""

    proxy: Proxy
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:  # type: ignore[override]
        return {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "X-CSRFToken": self.cookies.get("steward_csrf", ""),
            "Origin": f"https://{HOST}",
            "Referer": f"https://{HOST}/",
            "X-Forwarded-For": FORGED,
            "X-Forwarded-Proto": "http",
            "Forwarded": f"for={FORGED}",
        }

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Any:
        with contextlib.closing(self.proxy.connection()) as connection:
            connection.request(method, path, body=body or None, headers={**self.headers, **(headers or {})})
            answer = connection.getresponse()
            answer.read()
            for line in answer.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: one.value for name, one in SimpleCookie(line).items()}
            return answer.status, answer.headers

    def sign_in(self, user: User) -> None:
        status, headers = self.ask("GET", "/accounts/login/")
        assert (status, "Strict-Transport-Security" in headers) == (200, True)
        form = urlencode({"login": user.username, "password": PASSWORD}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        status, headers = self.ask("POST", "/accounts/login/", kind, form)
        assert (status, headers["Location"]) == (302, "/")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for the site's name, and its key."""
    folder, key = tmp_path_factory.mktemp("tls"), ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "certificate.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return folder


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The shipped file with what a site changes in it; each change must find its place."""
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    return text


def nginx(folder: Path, site: int, port: int, *changes: tuple[str, str]) -> list[str]:
    """nginx with the shipped file, everything it writes in this folder."""
    text = changed(
        (SHIPPED / "nginx.conf").read_text(),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("127.0.0.1:8000", f"127.0.0.1:{site}"), ("/etc/ssl/desk", str(folder / "tls")), *changes,
    )  # fmt: skip
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{place}_temp_path {folder}/temporary/{place};" for place in places)
    owner = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{owner} pid {folder}/pid; error_log {folder}/error.log; events {{}} "
        f"http {{ access_log {folder}/access.log; {temporary}\n{text}\n}}"
    )
    (folder / "temporary").mkdir()
    return [
        str(shutil.which("nginx") or "/usr/sbin/nginx"),
        "-c",
        str(folder / "nginx.conf"),
        "-g",
        "daemon off;",
    ]


def caddy(folder: Path, site: int, port: int) -> list[str]:
    """Caddy with the shipped file, told by the same variables as in containers."""
    text = changed(
        (SHIPPED / "Caddyfile").read_text(),
        ("\tskip_install_trust", "\tskip_install_trust\n\tadmin off\n\tauto_https disable_redirects"),
    )
    (folder / "Caddyfile").write_text(text)
    told = {
        "DESK_HOSTS": f"https://{HOST}:{port}",
        "DESK_TLS": f"{folder}/tls/certificate.pem {folder}/tls/key.pem",
        "DESK_WEB": f"127.0.0.1:{site}",
    }
    variables = [f"{name}={value}" for name, value in told.items()]
    return [
        "env",
        *variables,
        "caddy",
        "run",
        "--adapter",
        "caddyfile",
        "--config",
        str(folder / "Caddyfile"),
    ]


@contextlib.contextmanager
def running(command: list[str], folder: Path, port: int) -> Iterator[Proxy]:
    """Start it, wait for it, end it."""
    (folder / "tmp").mkdir()
    home = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    environment = {**os.environ, **home, "TMPDIR": str(folder / "tmp")}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    proxy = Proxy(port, [process.pid], folder, folder / "tls" / "certificate.pem")
    try:
        until(lambda: proxy.answers() or not alive(process.pid), 30, "the proxy answers")
        assert alive(process.pid), (folder / "log").read_text()
        proxy.pids += [pid for pid, parent in living() if parent == process.pid]
        yield proxy
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(params=[nginx, caddy])
def proxy(
    request: pytest.FixtureRequest, site: Serving, certificate: Path, tmp_path: Path
) -> Iterator[Proxy]:
    shutil.copytree(certificate, tmp_path / "tls")
    port, made = free_port(), request.param
    with running(made(tmp_path, site.port, port), tmp_path, port) as proxy:
        yield proxy


def seen_in_clear(site: Serving, proxy: Proxy) -> list[str]:
    folders = (proxy.folder, site.site.data, site.temporary)
    return [found for pid in (*proxy.pids, site.pid) for found in holding(CANARY, pid, *folders)]


def half_sent(person: Person, dataset: str) -> tuple[http.client.HTTPSConnection, bytes]:
    """An upload of which half is on its way; what is left."""
    half = len(CONTENT) // 2
    upload = person.begin(dataset, len(CONTENT))
    connection = person.proxy.connection()
    connection.putrequest("PATCH", upload)
    said = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    for name, value in {**person.headers, **said, "Content-Length": str(len(CONTENT))}.items():
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(CONTENT[:half])
    return connection, CONTENT[half:]


def stored(site: Serving) -> int:
    return sum(one.stat().st_size for one in (site.site.data / "uploads").glob("*"))


def test_sign_in_and_upload_through_it(site: Serving, team: factories.Team, proxy: Proxy) -> None:
    person = Person(proxy)
    person.sign_in(team.steward)
    dataset = factories.make_dataset(team)
    connection, rest = half_sent(person, str(dataset.pk))
    with contextlib.closing(connection):
        until(lambda: stored(site) > 1_900_000, 60, "the desk has what was sent")
        assert seen_in_clear(site, proxy) == []
        connection.send(rest)
        assert connection.getresponse().status == 204
    assert Version.objects.get(dataset=dataset).size == len(CONTENT)
    log = (site.temporary.parent / "web.log").read_text()
    assert f'"ip": "{CLIENT}"' in log
    assert FORGED not in log
    kept = [one for one in proxy.folder.rglob("*") if one.is_file() and b"/accounts/" in one.read_bytes()]
    assert kept == [], "a proxy keeps no log of requests"


def test_a_page_hears_through_it_at_once_what_changed(
    site: Serving, team: factories.Team, proxy: Proxy
) -> None:
    person = Person(proxy)
    person.sign_in(team.steward)
    run = factories.make_run(factories.make_release(team))
    with contextlib.closing(proxy.connection()) as connection:
        connection.request("GET", f"/changes/run:{run.pk}/", headers=person.headers)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream")
        assert [answer.readline().strip() for _ in range(4)][1] == b"event: begun"
        began = time.monotonic()
        Run.objects.claim(run.pk, "worker", 60)
        assert [answer.readline().strip() for _ in range(4)][1] == b"event: changed"
        assert time.monotonic() - began < 5


def test_a_proxy_that_buffers_is_found_out(
    site: Serving, team: factories.Team, certificate: Path, tmp_path: Path
) -> None:
    """The control: nginx as it is without our file."""
    shutil.copytree(certificate, tmp_path / "tls")
    port = free_port()
    command = nginx(
        tmp_path, site.port, port, ("proxy_request_buffering off;", "proxy_request_buffering on;")
    )
    with running(command, tmp_path, port) as proxy:
        person = Person(proxy)
        person.sign_in(team.steward)
        connection, _ = half_sent(person, str(factories.make_dataset(team).pk))
        with contextlib.closing(connection):
            until(lambda: seen_in_clear(site, proxy), 30, "it lies on the disk in clear")


def test_what_a_stranger_claims_without_a_proxy_is_not_believed(site: Serving) -> None:
    """From an address that is no proxy: still plain HTTP, and no other address."""
    line = socket.create_connection(("127.0.0.1", site.port), 30, source_address=("127.0.0.3", 0))
    claims = f"X-Forwarded-Proto: https\r\nX-Forwarded-For: {FORGED}\r\n"
    with line:
        line.sendall(f"GET /methods/ HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{claims}\r\n".encode())
        assert re.match(rb"HTTP/1.1 301 ", line.recv(4096))
