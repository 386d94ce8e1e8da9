"""`python -m benchmarks.desk_pages FOLDER ROUNDS`: what each page of the demo takes of the web process.

Eight people ask for the same page at once. Prints as JSON how many seconds of the processor an answer takes,
by the pattern of its address.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from benchmarks.desk import processor  # noqa: E402
from benchmarks.pages import SIGN_IN  # noqa: E402
from stewardapp.management import demo, processes  # noqa: E402
from stewardapp.models import User  # noqa: E402

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
VISITORS = ("steward", "reviewer", "admin")
AT_ONCE, EACH, EACH_AT_THE_DOOR = 8, 3, 25
"""So many people, and how often each of them asks in a round: what takes little is asked for often."""
IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
EXAMPLES = {"/releases/*/": 9, "/releases/*/review/": 3, "/runs/*/": 2, "/versions/*/": 2}
"""Pages that look different from one to the next, and how many of them are asked for."""
LINK = re.compile(rb'href="(/[^"#?]*)')
NO_PAGES = (
    *(".json", ".pdf", ".zip", ".sh", ".csv"),
    *("/export/", "/download/", "/charts/", "/progress/", "/map/"),
)
ELSEWHERE = ("/logout/", "/admin/", "/static/", "/methods/", "/help/", "/accounts/")


@dataclass(frozen=True)
class Web:
    """A web process, and where it listens."""

    process: subprocess.Popen[bytes]
    port: int

    def ask(self, path: str, cookie: str) -> tuple[int, bytes]:
        """What it answers to somebody."""
        line = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            line.request("GET", path, headers={"Cookie": cookie})
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()


@contextmanager
def served() -> Iterator[Web]:
    """The web process as a site starts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with (Path(settings.STEWARD_DATA) / "web.log").open("ab") as log:
        process = subprocess.Popen(processes.web(f"127.0.0.1:{port}"), stdout=log, stderr=log)
    web = Web(process, port)
    try:
        _await_answer(web)
        yield web
    finally:
        process.terminate()
        process.wait()


def _await_answer(web: Web) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if web.ask("/healthz", "")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the web process does not answer")


def signed_in(name: str) -> str:
    """The cookie of somebody who has signed in."""
    client = Client()
    client.force_login(User.objects.get(username=name), BACKEND)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def pages(web: Web, cookie: str) -> dict[str, list[str]]:
    """The addresses that links lead to, by their patterns."""
    waiting, found = deque(["/"]), dict[str, list[str]]()
    seen = {"/"}
    while waiting:
        path = waiting.popleft()
        kind = IDENTIFIER.sub("*", path)
        if len(found.get(kind, ())) >= EXAMPLES.get(kind, 1):
            continue
        status, body = web.ask(path, cookie)
        if status != 200:
            continue
        found.setdefault(kind, []).append(path)
        links = dict.fromkeys(link.decode() for link in LINK.findall(body))
        new = [link for link in links if link not in seen and _is_page(link)]
        seen.update(new)
        waiting.extend(new)
    return found


def _is_page(path: str) -> bool:
    return not path.startswith(ELSEWHERE) and not any(part in path for part in NO_PAGES)


def cost(web: Web, path: str, cookie: str, each: int = EACH) -> float:
    """Seconds of the processor for an answer."""
    before = processor(web.process.pid)
    with ThreadPoolExecutor(AT_ONCE) as people:
        answers = list(people.map(lambda _: web.ask(path, cookie), range(AT_ONCE * each)))
    assert all(status == 200 for status, _ in answers)
    return (processor(web.process.pid) - before) / len(answers)


def measured(web: Web, rounds: int) -> dict[str, float]:
    """The best of some rounds for the sign-in page, and for the dearest page of each pattern."""
    door = reverse("account_login")
    web.ask(door, "")
    found = {SIGN_IN: min(cost(web, door, "", EACH_AT_THE_DOOR) for _ in range(2 * rounds))}
    for name in VISITORS:
        cookie = signed_in(name)
        for kind, paths in pages(web, cookie).items():
            # Each page was asked for before: what is loaded once is the process's.
            best = (min(cost(web, path, cookie) for _ in range(rounds)) for path in paths)
            found[kind] = max(found.get(kind, 0.0), *best)
    return found


def main(arguments: Sequence[str]) -> dict[str, float]:
    """A demo, and then every page of it."""
    call_command("migrate", interactive=False, verbosity=0)
    demo.load()
    with served() as web:
        return measured(web, int(arguments[1]))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:])))
