"""Every goal once more with nothing but the standard library, row by row and in exact fractions."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Row = dict[str, str]
Answer = tuple[Any, bool, int]
"""What is achieved, whether it holds, how many rows stand in violating classes."""


def _shares(values: Sequence[str]) -> dict[str, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def _worst(found: list[list[int]], figures: list[Any], bad: Callable[[Any], bool], pick: Any) -> Answer:
    rows = sum(len(c) for c, figure in zip(found, figures, strict=True) if bad(figure))
    return pick(figures, default=None), rows == 0, rows


def distance(
    p: dict[str, Fraction], q: dict[str, Fraction], how: str, order: list[str], tree: Any
) -> Fraction:
    """Between two distributions; `tree` leads from a value to its labels below the root."""
    values = sorted(set(p) | set(q), key=order.index)
    gap = [p.get(v, Fraction(0)) - q.get(v, Fraction(0)) for v in values]
    if how == "equal":
        return sum(map(abs, gap), Fraction(0)) / 2
    if how == "ordered":
        running = [sum(gap[: i + 1], Fraction(0)) for i in range(len(gap))]
        return sum(map(abs, running), Fraction(0)) / max(len(gap) - 1, 1)
    levels = len(next(iter(tree.values())))
    total = Fraction(0)
    for level in range(levels):
        nodes: Counter[str] = Counter()
        for value, one in zip(values, gap, strict=True):
            nodes[tree[value][level]] += one
        total += sum(map(abs, nodes.values()), Fraction(0))
    return total / (2 * levels)


def t_closeness(
    rows: Sequence[Row], found: list[list[int]], t: float, how: str, order: list[str], tree: Any = None
) -> Answer:
    q = _shares([row["s"] for row in rows])
    far = [distance(_shares([rows[i]["s"] for i in one]), q, how, order, tree) for one in found]
    return _worst(found, [float(f) for f in far], lambda f: f > t, max)


def beta_likeness(rows: Sequence[Row], found: list[list[int]], beta: float, enhanced: bool) -> Answer:
    q = _shares([row["s"] for row in rows])
    gains, violating = [], 0
    for one in found:
        p = _shares([rows[i]["s"] for i in one])
        gain = {v: p[v] / q[v] - 1 for v in p}
        most = {v: min(beta, -math.log(q[v])) if enhanced else beta for v in p}
        violating += len(one) if any(gain[v] > 0 and float(gain[v]) > most[v] for v in p) else 0
        gains.append(float(max(gain.values())))
    return max(gains, default=None), violating == 0, violating


def delta_disclosure(rows: Sequence[Row], found: list[list[int]], delta: float) -> Answer:
    q = _shares([row["s"] for row in rows])
    changes = []
    for one in found:
        p = _shares([rows[i]["s"] for i in one])
        changes.append(max(abs(math.log2(p[v] / q[v])) for v in p))
    return _worst(found, changes, lambda change: change >= delta, max)


def average_risk(found: list[list[int]], limit: float) -> Answer:
    value = len(found) / sum(map(len, found)) if found else None
    return value, value is None or value <= limit, 0


def sample_uniqueness(found: list[list[int]], limit: float) -> Answer:
    alone = sum(len(one) == 1 for one in found)
    value = alone / sum(map(len, found)) if found else None
    return value, value is None or value <= limit, 0


def wildcard(rows: Sequence[Row], found: list[list[int]], quasi: Sequence[str], k: int) -> Answer:
    blank = ("", "*")

    def alike(a: Row, b: Row) -> bool:
        return all(a[n] == b[n] or a[n] in blank or b[n] in blank for n in quasi)

    shown = [i for one in found for i in one]
    sizes = [sum(alike(rows[one[0]], rows[j]) for j in shown) for one in found]
    return _worst(found, sizes, lambda size: size < k, min)


def fitting(rows: Sequence[Row], found: list[list[int]], people: Sequence[Row], covers: Any) -> list[int]:
    """People per class."""
    return [sum(all(covers(n, rows[one[0]][n], p[n]) for n in p) for p in people) for one in found]


def k_map(found: list[list[int]], people: list[int], k: int) -> Answer:
    return _worst(found, people, lambda fit: fit < k, min)


def presence(found: list[list[int]], people: list[int], lower: float, upper: float) -> Answer:
    shares = [len(one) / (fit or 0.5) for one, fit in zip(found, people, strict=True)]
    _, holds, rows = _worst(found, shares, lambda s: not lower <= s <= upper, min)
    return ([min(shares), max(shares)] if shares else None), holds, rows
