"""What every example of a method releases, as one hash each, and the engine's version that wrote them down.

`python -m tests.engine.golden` writes the file anew: after the engine's version was moved, because a stored
answer is repeated only by the engine that gave it.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

from tests.engine.checks import recipe_with
from tests.engine.running import run
from worker.engine import catalogue
from worker.engine.contracts.method import Guarantee, Method
from worker.engine.contracts.samples import sample_table
from worker.engine.version import VERSION

FILE = Path(__file__).with_name("golden.txt")
DIGITS = 6
"""Further ones may differ between processors."""


def repeatable() -> Iterator[tuple[str, Method]]:
    """Every example that a seed repeats; differential privacy refuses one."""
    for slug, method in sorted(catalogue.methods().items()):
        if method.guarantee is not Guarantee.DIFFERENTIAL_PRIVACY:
            for number, example in enumerate(method.examples()):
                yield f"{slug}[{number}]", example


def hashed(example: Method) -> str:
    """The hash of what it releases."""
    released, _ = run(recipe_with(example), sample_table(), version_key=bytes(32))
    rows = csv.reader(io.StringIO(released.decode()))
    text = "\n".join("\x1f".join(map(_rounded, row)) for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rounded(cell: str) -> str:
    try:
        return f"{float(cell):.{DIGITS}g}"
    except ValueError:
        return cell


def written() -> tuple[str, dict[str, str]]:
    """The version and the hashes of the file."""
    version, *lines = FILE.read_text(encoding="utf-8").split("\n")
    return version, dict(line.split(" ") for line in lines if line)


if __name__ == "__main__":
    hashes = [f"{name} {hashed(example)}" for name, example in repeatable()]
    FILE.write_text("\n".join([VERSION, *hashes]) + "\n", encoding="utf-8")
