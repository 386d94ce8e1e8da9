"""The share of the engine's branches that its tests take: `make coverage` fails where it is too small."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LEAST = 0.95
NAMED = 15
"""So many of the files that lack most are named."""

Report = Mapping[str, Any]


def share(report: Report) -> float:
    """Branches taken, of all there are."""
    return float(report["totals"]["covered_branches"] / report["totals"]["num_branches"])


def lacking(report: Report) -> list[tuple[str, int]]:
    """The files with branches that no test takes, those that lack most first."""
    found = ((name, len(file["missing_branches"])) for name, file in report["files"].items())
    return sorted((one for one in found if one[1]), key=lambda one: (-one[1], one[0]))


def main(path: str) -> int:
    """Tell the share, and what to look at next; 1 where it is below the least."""
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    for name, number in lacking(report)[:NAMED]:
        print(f"{number:5} not taken in {name}")
    found = share(report)
    print(f"{found:.1%} of the engine's branches are taken by its tests; {LEAST:.0%} is the least.")
    return int(found < LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
