"""Fetch the browser libraries of static/vendor again, checked against the lock file."""

import base64
import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

FOLDER = Path(settings.BASE_DIR) / "static" / "vendor"
LOCK = FOLDER / "vendor.json"
FETCHING_SECONDS = 300.0
SOURCE_MAP = re.compile(rb"^\s*(?://|/\*)# sourceMappingURL=.*$\n?", re.MULTILINE)


class Command(BaseCommand):
    """`make vendor`: package tarballs in, the few files we serve out. A wrong hash stops everything."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        for package in json.loads(LOCK.read_text())["packages"]:
            with tempfile.TemporaryDirectory() as folder:
                _extract(_fetch(package, Path(folder)), package["files"])
            self.stdout.write(f"{package['name']} {package['version']}")


def _fetch(package: dict[str, Any], folder: Path) -> Path:
    """Download one package, refused unless the lock's hash fits."""
    wanted = f"{package['name']}@{package['version']}"
    command = ["npm", "pack", wanted, "--silent", "--ignore-scripts"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=FETCHING_SECONDS)
    tarball = next(folder.glob("*.tgz"))
    found = "sha512-" + base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    if found != package["integrity"]:
        raise CommandError(
            f"{wanted}: the hash is {found}, the lock says {package['integrity'] or 'nothing'}."
        )
    return tarball


def _extract(tarball: Path, files: dict[str, str]) -> None:
    """Write the listed members; a source map that is not there would break the static manifest."""
    with tarfile.open(tarball) as archive:
        for member, name in files.items():
            content = archive.extractfile(f"package/{member}")
            if content is None:
                raise CommandError(f"{tarball.name} has no file {member}.")
            (FOLDER / name).write_bytes(SOURCE_MAP.sub(b"", content.read()))
