"""Build the site, start it, use it, start it again, remove it; one line for each thing that was seen."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.containers import checks, docker, images, installation, journey


def main() -> None:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.containers", description=__doc__)
    parser.add_argument("--keep", type=Path, help="a folder in which images stay for the next time")
    keep = parser.parse_args().keep
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))
    with place(keep) as folder, docker.daemon(folder) as engine:
        tell("made of Debian's packages", ", ".join(images.provide(engine, folder)) or "nothing")
        with installation.installed(engine, folder) as site:
            use(site, folder)
    print("The site in containers does what it should.")


@contextlib.contextmanager
def place(keep: Path | None) -> Iterator[Path]:
    """Where images, volumes and wheels lie; short, because sockets have short names."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="desk-", dir="/var/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def use(site: installation.Installation, folder: Path) -> None:
    """Everything that is to be seen of a site."""
    site.start()
    for said in checks.everything(site):
        tell(*said)
    with journey.browsing() as browser:
        team = journey.Team(browser)
        team.join(site)
        address = journey.released(team, folder)
        rows = journey.downloaded(team, address)
        tell("released", f"{rows} rows, from upload to download")
        for said in checks.afterwards(site):
            tell(*said)
        site.stop()
        site.start()
        tell("started again", checks.healthy(site))
        assert journey.downloaded(team, address) == rows
        tell("downloaded again", "the file is still there")


def tell(what: str, more: str) -> None:
    """One line."""
    print(f"{what}: {more}", flush=True)


if __name__ == "__main__":
    main()
