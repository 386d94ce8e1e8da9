"""A site's own commands, as the containers start them: prepare, then serve, behind a TLS proxy."""

from __future__ import annotations

import http.client
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.desk import ROOT, free_port, until
from tests.site import sqlite_copy

HOST = "desk.example.org"
PROXY = {"Host": HOST, "X-Forwarded-Proto": "https"}


def ask(port: int, path: str, headers: dict[str, str]) -> tuple[int, http.client.HTTPMessage, str]:
    """One request; status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    except OSError:
        return 0, http.client.HTTPMessage(), ""
    finally:
        connection.close()


@pytest.fixture(scope="module")
def port(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A site whose schema is up to date and which has nothing else yet."""
    folder, number = tmp_path_factory.mktemp("site"), free_port()
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("STEWARD_", "DJANGO_"))
    }
    site = {"STEWARD_SITE": "1", "STEWARD_HOSTS": HOST, "STEWARD_SECRET_KEY": secrets.token_urlsafe(64)}
    site["STEWARD_TRUSTED_PROXIES"] = "127.0.0.1"
    site["STEWARD_DATABASE_URL"] = sqlite_copy(sqlite_template, folder)
    settings = {**clean, **site, "STEWARD_DATA": str(folder / "not" / "there" / "yet")}
    manage = [sys.executable, str(Path(ROOT) / "manage.py")]
    subprocess.run([*manage, "prepare"], env=settings, check=True, capture_output=True, timeout=120)
    with (folder / "web.log").open("wb") as log:
        web = subprocess.Popen(
            [*manage, "serve", "--bind", f"127.0.0.1:{number}"],
            env=settings,
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
    until(lambda: ask(number, "/healthz", {"Host": HOST})[0] == 200, 60, "the site answers")
    yield number
    web.terminate()
    web.wait(timeout=30)


def test_it_is_ready_and_known_by_its_name_only(port: int) -> None:
    assert ask(port, "/readyz", {"Host": HOST})[0] == 200
    assert ask(port, "/readyz", {"Host": "elsewhere.example.org"})[0] == 400


def test_plain_requests_are_sent_to_https(port: int) -> None:
    status, headers, _ = ask(port, "/", {"Host": HOST})
    assert (status, headers["Location"]) == (301, f"https://{HOST}/")


def test_pages_are_guarded_and_their_files_are_there(port: int) -> None:
    status, headers, page = ask(port, "/accounts/login/", PROXY)
    assert status == 200
    assert "max-age=31536000" in headers["Strict-Transport-Security"]
    assert "Secure" in headers["Set-Cookie"]
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(files) >= 3
    assert {ask(port, file, PROXY)[0] for file in files} == {200}
