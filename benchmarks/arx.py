"""The same runs made by ARX, where somebody names its jar: many in one Java process, and each in its own.

The program is compiled first, so that no time of the compiler counts.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing import Usage, least, started

PROGRAM = Path(__file__).with_name("ArxRuns.java")
MARK = "round "
LONGEST = 600.0
"""Seconds until a process of Java is given up."""
WARMING = 20
"""Rounds in which Java finds out what is worth compiling."""


@dataclass(frozen=True)
class Round:
    """One run from file to file: its seconds of the processor, and the level that each column came to."""

    processor: float
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Arx:
    """ARX on a folder that holds the rows and their hierarchies."""

    jar: Path
    folder: Path
    columns: Sequence[str]

    def compiled(self) -> None:
        """Make the program ready to be started."""
        subprocess.run(("javac", "-cp", self.jar, "-d", self.folder, PROGRAM), check=True, timeout=LONGEST)

    def command(self, limit: float, rounds: int) -> list[str]:
        """The command line of so many rounds in one process."""
        path = f"{self.jar}:{self.folder}"
        return ["java", "-cp", path, PROGRAM.stem, str(self.folder), str(limit), str(rounds), *self.columns]

    def warm(self, limit: float, rounds: int) -> Round:
        """The best of some rounds after those in which Java warms up."""
        command = self.command(limit, WARMING + rounds)
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=LONGEST)
        return min(read(told.stdout)[WARMING:], key=lambda one: one.processor)

    def cold(self, limit: float, repeat: int) -> Usage:
        """The best of several processes of one round each."""
        return least([started(self.command(limit, 1)) for _ in range(repeat)])


def read(told: str) -> list[Round]:
    """What the program printed of each round; other lines are not its own."""
    lines = [line.split()[1:] for line in told.splitlines() if line.startswith(MARK)]
    return [Round(float(seconds), tuple(map(int, levels))) for seconds, *levels in lines]
