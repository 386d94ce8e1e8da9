"""A site as `.env.example` and `docker-compose.yml` make it, from a copy of what git knows of this folder."""

from __future__ import annotations

import functools
import http.server
import json
import re
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker

from tests.containers.docker import Docker, Failed

ROOT = Path(__file__).resolve().parents[2]
HOST = "desk.example.org"
DESK = ("prepare", "web", "worker")
STARTING = 1800.0
PORT = 28094
"""Always the same: what was built from the same packages need not be built again."""


@dataclass(frozen=True)
class Installation:
    """One site and the folder its files lie in."""

    docker: Docker
    folder: Path

    def start(self) -> None:
        """As `make up` does; it answers when the site is there."""
        self.docker.composed("up", "--build", "--detach", folder=self.folder, seconds=STARTING)

    def stop(self) -> None:
        """Everything but what is kept in volumes."""
        self.docker.composed("down", folder=self.folder, seconds=300)

    def remove(self) -> None:
        """What is kept in volumes, too."""
        self.docker.composed("down", "--volumes", "--remove-orphans", folder=self.folder, seconds=300)

    def inside(self, service: str, *command: str, said: str = "") -> str:
        """What a command in a running container answers."""
        return self.docker.composed(
            "exec", "-T", service, *command, folder=self.folder, said=said, seconds=300
        )

    def manage(self, *command: str, said: str = "") -> str:
        """What one of the desk's own commands answers."""
        return self.inside("web", "python", "manage.py", *command, said=said)

    def containers(self) -> dict[str, dict[str, Any]]:
        """What the daemon knows of each service."""
        ours = f"label=com.docker.compose.project={self.folder.name}"
        known = self.docker.run("ps", "--all", "--quiet", "--filter", ours).split()
        found = json.loads(self.docker.run("inspect", *known)) if known else []
        return {one["Config"]["Labels"]["com.docker.compose.service"]: one for one in found}

    def logs(self) -> str:
        """The last lines of everybody."""
        return self.docker.composed("logs", "--no-color", "--tail", "40", folder=self.folder)


@contextmanager
def installed(docker: Docker, folder: Path) -> Iterator[Installation]:
    """Files of a site that is not started yet; what it was is gone at the end."""
    site, wheels = Installation(docker, folder / "site"), folder / "wheels"
    _copy(site.folder)
    _fill_in(site.folder)
    _download(wheels, _python(docker))
    with _offered(wheels) as address:
        _build_from(site.folder, address)
        try:
            yield site
        finally:
            site.remove()


def _copy(folder: Path) -> None:
    """What somebody gets who clones this."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    shutil.rmtree(folder, ignore_errors=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def _fill_in(folder: Path) -> None:
    """As README says, with a certificate of the proxy's own."""
    values = {
        "STEWARD_TLS": "internal",
        "STEWARD_SECRET_KEY": secrets.token_urlsafe(64),
        "POSTGRES_PASSWORD": secrets.token_urlsafe(24),
        "REDIS_PASSWORD": secrets.token_urlsafe(24),
    }
    text = (folder / ".env.example").read_text()
    filled = re.sub(r"^(\w+)=$", lambda line: f"{line[1]}={values.pop(line[1])}", text, flags=re.MULTILINE)
    assert values == {}, "every one of them is asked for"
    (folder / ".env").touch(mode=0o600)
    (folder / ".env").write_text(filled)


def _python(docker: Docker) -> str:
    """The version of Python that the image brings."""
    [image] = set(re.findall(r"^FROM (python:\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    asked = "import platform; print(platform.python_version())"
    return docker.run("run", "--rm", "--network", "none", image, "python", "-c", asked).strip()


def _download(wheels: Path, python: str) -> None:
    """Packages come the way this machine gets them; their hashes are checked when they are installed."""
    wheels.mkdir(exist_ok=True)
    needed = wheels / "requirements.txt"
    needed.write_text(_needed_by(python, (ROOT / "requirements-site.txt").read_text()))
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--require-hashes", "--only-binary", ":all:", "--python-version", python,
        "--requirement", str(needed), "--dest", str(wheels),
    ]  # fmt: skip
    done = subprocess.run(command, timeout=STARTING, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr[-4000:])


def _needed_by(python: str, requirements: str) -> str:
    """What another version of Python than this one needs: pip decides by the one it runs in."""
    kept = []
    for block in re.split(r"\n(?=\S)", requirements):
        name, condition, rest = re.fullmatch(r"(\S+)(?: ; ([^\\]+))?(.*)", block, re.DOTALL).groups()  # type: ignore[union-attr]
        if condition is None or Marker(condition).evaluate({"python_full_version": python}):
            kept.append(f"{name} {rest.lstrip()}")
    return "\n".join(kept)


@contextmanager
def _offered(wheels: Path) -> Iterator[str]:
    """The address under which whoever builds finds them."""
    handler = functools.partial(Silent, directory=str(wheels))
    with http.server.ThreadingHTTPServer(("127.0.0.1", PORT), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{PORT}/"
        finally:
            server.shutdown()
            thread.join(10)


class Silent(http.server.SimpleHTTPRequestHandler):
    """Says nothing of what it sends."""

    def log_message(self, *_: object) -> None:
        return


def _build_from(folder: Path, address: str) -> None:
    """What a site with a package index of its own would write beside the compose file."""
    build = {
        "context": ".", "network": "host", "args": {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": address},
    }  # fmt: skip
    more = {"services": {name: {"build": build} for name in DESK}}
    (folder / "docker-compose.override.yml").write_text(json.dumps(more))
