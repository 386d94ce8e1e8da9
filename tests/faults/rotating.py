"""Run as a program: the site key is replaced and the process that does it dies before each of its writes.

Its arguments are a folder to work in and how often a rotation is killed before it may end (1 or 2).
"""

import os
import shutil
import signal
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

WRITES = ("fsync", "replace", "link", "unlink")


def die_before(number: int) -> None:
    """Have this process die before its n-th write."""
    left = number

    def mortal(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    for name in WRITES:
        setattr(os, name, mortal(getattr(os, name)))


def killed(work: Callable[[], object], number: int) -> bool:
    """Do the work in a process that dies before its n-th write; False when it had fewer."""
    if (child := os.fork()) == 0:
        die_before(number)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


class World:
    """A ring of keys, and what each of them is."""

    def __init__(self, folder: Path) -> None:
        from stewardapp import keyring

        self.ring, self.folder = keyring, folder
        self.kept, self.spare = Path(f"{folder}-kept"), Path(f"{folder}-spare")
        identities = [keyring.create() for _ in range(3)]
        self.keys = {identity: keyring.key_of(identity) for identity in identities}
        self.seal = keyring.seal_of("audit log")
        self.site_key = settings.STEWARD_KEY_FILE.read_text()
        shutil.copytree(folder, self.kept)

    def begin_again(self) -> None:
        """As it was before the first rotation."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder)

    def check(self) -> None:
        """Whatever was killed, every key opens."""
        self.ring._seal_of.cache_clear()
        assert {identity: self.ring.key_of(identity) for identity in self.keys} == self.keys
        assert self.ring.seal_of("audit log") == self.seal

    def live_on(self) -> None:
        """Between two attempts keys are made, destroyed and swept."""
        fresh, doomed = self.ring.create(), next(iter(self.keys))
        keys = {**self.keys, fresh: self.ring.key_of(fresh)}
        self.ring.destroy(doomed)
        for identity, key in keys.items():
            assert self.opens(identity) == (None if identity == doomed else key)
        self.ring.sweep(dict, grace_seconds=3600)

    def opens(self, identity: uuid.UUID) -> bytes | None:
        try:
            return self.ring.key_of(identity)
        except self.ring.Destroyed:
            return None

    def check_end(self) -> None:
        """The former site key is nowhere, nothing is left over, and yesterday's keys open nothing."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        assert all(self.site_key.strip().encode() not in path.read_bytes() for path in files)
        ours = {"key-encryption-key"}
        assert {path.name for path in self.folder.iterdir() if path.is_file()} == ours
        assert not list((self.folder / "keys").glob(".*"))
        self.restore_yesterday()
        for identity in self.keys:
            try:
                self.ring.key_of(identity)
            except self.ring.SiteKeyMissing:
                continue
            raise AssertionError("a backup of yesterday opens")

    def restore_yesterday(self) -> None:
        """Key files of before the rotation beside the site key of now."""
        shutil.rmtree(self.folder / "keys")
        shutil.copytree(self.kept / "keys", self.folder / "keys")
        self.ring._known.cache_clear()  # as in a process that begins with these files


def try_all(world: World, deaths: int) -> int:
    """Kill at every write (and at every write of what comes after); how many rotations were killed."""
    count, first = 0, 1
    while killed(world.ring.rotate, first):
        second = 1
        while deaths > 1 and killed(world.ring.rotate, second):
            world.check()
            end(world)
            killed(world.ring.rotate, first)
            second += 1
            count += 1
        world.check()
        end(world)
        first += 1
        count += 1
    return count


def end(world: World) -> None:
    """What was begun is finished, whatever happens in between."""
    world.live_on()
    world.ring.rotate()
    world.check_end()
    world.begin_again()


def main(folder: Path, deaths: int) -> None:
    settings.configure(STEWARD_DATA=folder, STEWARD_KEY_FILE=folder / "key-encryption-key")
    print(try_all(World(folder), deaths))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
