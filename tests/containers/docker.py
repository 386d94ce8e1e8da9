"""A Docker daemon of our own in a folder of its own; it leaves the network rules of the machine alone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.functional.desk import until

SILENT = [
    "--bridge=none",
    "--iptables=false",
    "--ip6tables=false",
    "--ip-forward=false",
    "--oom-score-adjust=0",
]


class Failed(RuntimeError):
    """A command that did not do what it should; what it said."""


@dataclass(frozen=True)
class Docker:
    """Commands for one daemon, each with an end."""

    socket: Path
    compose: list[str] = field(default_factory=lambda: ["docker-compose"])

    def environment(self) -> dict[str, str]:
        """Names the daemon, and the builder that every one of them has."""
        return {**os.environ, "DOCKER_HOST": f"unix://{self.socket}", "DOCKER_BUILDKIT": "0"}

    def run(self, *arguments: str, folder: Path | None = None, said: str = "", seconds: float = 120) -> str:
        """What a `docker` command answers."""
        return self._answer(["docker", *arguments], folder, said, seconds)

    def composed(self, *arguments: str, folder: Path, said: str = "", seconds: float = 120) -> str:
        """What a command for a whole site answers."""
        return self._answer([*self.compose, *arguments], folder, said, seconds)

    def _answer(self, command: list[str], folder: Path | None, said: str, seconds: float) -> str:
        done = subprocess.run(
            command, cwd=folder, env=self.environment(), input=said, timeout=seconds,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise Failed(f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def answers(self) -> bool:
        """Whether the daemon is there."""
        return not subprocess.run(
            ["docker", "version"], env=self.environment(), timeout=30, capture_output=True
        ).returncode


@contextmanager
def daemon(folder: Path) -> Iterator[Docker]:
    """Start it, and end it with everything it started."""
    docker = Docker(folder / "docker.sock")
    if not subprocess.run(["docker", "compose", "version"], capture_output=True, timeout=30).returncode:
        docker = Docker(docker.socket, ["docker", "compose"])
    places = [f"--{name}={folder / name}" for name in ("data-root", "exec-root", "pidfile")]
    with (folder / "daemon.log").open("wb") as log:
        process = subprocess.Popen(
            ["dockerd", "--host", f"unix://{docker.socket}", *places, *SILENT],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        until(lambda: docker.answers() or process.poll() is not None, 60, "the daemon answers")
        if process.poll() is not None:
            raise Failed((folder / "daemon.log").read_text()[-4000:])
        yield docker
    finally:
        _end(process)
        # The daemon leaves this mounted, and its folder could not be removed.
        subprocess.run(["umount", str(folder / "exec-root/netns/default")], capture_output=True, timeout=30)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
