"""The images a site needs: fetched where a registry answers, else made of Debian's packages.

What is made has the name of the original and is like it in what our files rely on: users, folders, programs,
variables. It is not the same version.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.containers.docker import Docker, Failed

ROOT = Path(__file__).resolve().parents[2]
BASE = "stand-in:base"
MADE = Path(__file__).with_name("made")
"""A folder for each image that can be made, by the name of what it stands for."""


def needed() -> list[str]:
    """The images that our files name."""
    built = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    started = re.findall(r"^    image: (\S+)$", (ROOT / "docker-compose.yml").read_text(), re.MULTILINE)
    return sorted({*built, *started})


def provide(docker: Docker, folder: Path) -> list[str]:
    """Have all of them; the names of those that are not the original."""
    lacking = [name for name in needed() if not _has(docker, name) and not _fetched(docker, name)]
    for name in lacking:
        if not _has(docker, BASE):
            _make_base(docker, folder / "debian")
        context = str(MADE / name.partition(":")[0])
        docker.run("build", "--network", "host", "--tag", name, context, seconds=900)
    return lacking


def _has(docker: Docker, name: str) -> bool:
    return bool(docker.run("images", "--quiet", name))


def _fetched(docker: Docker, name: str) -> bool:
    try:
        docker.run("pull", "--quiet", name, seconds=600)
    except (Failed, subprocess.TimeoutExpired):
        return False
    return True


def _make_base(docker: Docker, folder: Path) -> None:
    """The smallest Debian of the release that this machine runs."""
    release = re.search(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text(), re.MULTILINE)
    assert release, "a Debian names its release"
    subprocess.run(
        ["debootstrap", "--variant=minbase", release[1], str(folder)],
        check=True, timeout=900, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    packed = folder.with_suffix(".tar")
    subprocess.run(
        ["tar", "--create", "--file", str(packed), "--directory", str(folder), "."], check=True, timeout=300
    )
    docker.run("import", str(packed), BASE, seconds=300)
