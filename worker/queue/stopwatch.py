"""How long each stage of a job took, for the log and for the page of a run."""

import time


class Stopwatch:
    """Told of every progress; a stage that comes back goes on being counted."""

    def __init__(self) -> None:
        self._stage, self._since = "Preparing", time.monotonic()
        self._seconds: dict[str, float] = {}

    def stage(self, name: str) -> None:
        """What is being done now."""
        if name and name != self._stage:
            self._close()
            self._stage = name

    def laps(self) -> list[tuple[str, float]]:
        """The stages so far with their seconds, in the order in which they were begun."""
        self._close()
        return [(name, round(seconds, 3)) for name, seconds in self._seconds.items()]

    def _close(self) -> None:
        now = time.monotonic()
        self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + now - self._since
        self._since = now
