"""The goals once more, with nothing but the standard library: slow, plain, and shared with nobody."""

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

Row = dict[str, str]


def rows_of(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text)))


def classes(rows: Sequence[Row], quasi: Sequence[str]) -> tuple[list[list[int]], list[int]]:
    """The row numbers of each class, and those of the suppressed rows."""
    hidden = [i for i, row in enumerate(rows) if quasi and all(row[name] == "*" for name in quasi)]
    if len(hidden) == len(rows):
        hidden = []
    members: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        if i not in set(hidden):
            members[tuple(row[name] for name in quasi)].append(i)
    return list(members.values()), hidden


def k_anonymity(found: list[list[int]], k: int, persons: Sequence[int] | None = None) -> tuple[Any, int]:
    sizes = [len({persons[i] for i in one}) if persons else len(one) for one in found]
    return min(sizes, default=None), sum(len(c) for c, size in zip(found, sizes, strict=True) if size < k)


def l_diversity(
    rows: Sequence[Row],
    found: list[list[int]],
    column: str,
    l: int,  # noqa: E741
    variant: str,
    c: float,
    benign: Sequence[str],
    persons: Sequence[int] | None = None,
) -> tuple[Any, int]:
    achieved: list[float] = []
    violating = 0
    for one in found:
        pairs = (
            {(rows[i][column], persons[i]) for i in one} if persons else [(rows[i][column], i) for i in one]
        )
        counts = Counter(value for value, _ in pairs)
        if set(counts) <= set(benign):
            continue
        good = len(counts) >= l
        n = sum(counts.values())
        if variant == "entropy":
            entropy = -sum(f / n * math.log(f / n) for f in counts.values())
            good &= entropy >= math.log(l) - 1e-9
            achieved.append(math.exp(entropy))
        else:
            achieved.append(len(counts))
        if variant == "recursive":
            ordered = sorted(counts.values(), reverse=True)
            good &= ordered[0] < c * sum(ordered[l - 1 :])
        violating += 0 if good else len(one)
    return min(achieved, default=None), violating
