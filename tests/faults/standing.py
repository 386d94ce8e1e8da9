"""A site that stands for many tests: a worker takes long to start, and longer to have its engine ready.

Tests break workers, messages and connections there, never what is kept. One that left a job without an end
takes the site with it: the next test gets another one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

from tests.faults.invariants import unended
from tests.site import Site, kill_session, part_of


@dataclass
class StandingSite(Site):
    """Whose workers and engines die where a note says so."""

    plain: list["Popen[bytes]"] = field(default_factory=list)
    heard: dict[Path, int] = field(default_factory=dict)

    @property
    def note(self) -> Path:
        """Where it is said at which point somebody dies."""
        return self.data / "die-at"

    def environment(self) -> dict[str, str]:
        return super().environment() | {"TESTS_DIE_AT": str(self.note), "LANG": f"die-at={self.note}"}

    def start_worker(self, *module: str, **more: str) -> "Popen[bytes]":
        worker = super().start_worker(*module, **more)
        if not module and not more:
            self.plain.append(worker)
        return worker

    def logs(self) -> str:
        """What workers wrote since the test began."""
        return "\n".join(
            file.read_bytes()[self.heard.get(file, 0) :].decode() for file in sorted(self._logs())
        )

    def _logs(self) -> Iterator[Path]:
        return self.data.glob("worker-*.log")

    def begin(self) -> None:
        """What was logged until now is nothing to the test that comes."""
        self.heard = {file: file.stat().st_size for file in self._logs()}

    def tidy(self) -> None:
        """Keep one worker as the product starts it, if there is one."""
        self.note.unlink(missing_ok=True)
        alive = [worker for worker in self.workers if worker.poll() is None]
        kept = [worker for worker in alive if worker in self.plain][:1]
        for worker in alive:
            if worker not in kept:
                kill_session(worker)
        self.workers, self.plain = kept, list(kept)


class Standing:
    """Makes the site when it is first visited."""

    def __init__(self, make: Callable[[], StandingSite]) -> None:
        self._make = make
        self._site: StandingSite | None = None

    @contextmanager
    def visited(self) -> Iterator[StandingSite]:
        """This process is part of the site for one test."""
        site = self._site = self._site or self._make()
        with part_of(site):
            site.begin()
            try:
                yield site
            finally:
                if unended():
                    self.leave()
                else:
                    site.tidy()

    def leave(self) -> None:
        """Nobody comes here any more."""
        if self._site is not None:
            self._site.stop()
        self._site = None
