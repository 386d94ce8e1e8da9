"""Recursive cutting straight from its definition, row by row, with nothing but the standard library."""

from collections.abc import Callable, Sequence

Rows = Sequence[tuple[str, ...]]


class Ordered:
    """A column cut at medians: numbers, or texts that only have an order."""

    def __init__(self, values: Sequence[str], numbers: bool) -> None:
        self.numbers = numbers
        known = sorted({v for v in values if v}, key=self.place)
        self.rank = {v: i for i, v in enumerate(known)}
        self.span = self.number(known[-1]) - self.number(known[0]) if known else 0

    def place(self, value: str):
        return (float(value), value) if self.numbers else value

    def number(self, value: str) -> float:
        return float(value) if self.numbers else self.rank[value]

    def width(self, values: Sequence[str]) -> float:
        known = [self.number(v) for v in values if v]
        if "" in values:
            return 1.0 if known else 0.0
        return (max(known) - min(known)) / self.span if self.span else 0.0

    def code(self, value: str) -> int:
        return self.rank[value] if value else -1

    def cuts(self, values: Sequence[str], relaxed: bool):
        """Masks of what goes up, in the order in which they are tried."""
        yield [bool(v) for v in values]
        codes = [self.code(v) for v in values]
        ordered = sorted(range(len(codes)), key=lambda i: (codes[i], i))
        if relaxed:
            low = set(ordered[: (len(codes) + 1) // 2])
            yield [i not in low for i in range(len(codes))]
            return
        median = codes[ordered[(len(codes) + 1) // 2 - 1]]
        below, upto = sum(c < median for c in codes), sum(c <= median for c in codes)
        two = [[c >= median for c in codes], [c > median for c in codes]]
        yield from two if abs(len(codes) - 2 * below) <= abs(len(codes) - 2 * upto) else two[::-1]

    def label(self, values: Sequence[str]) -> str:
        if "" in values:
            return "*" if any(values) else ""
        some = sorted(set(values), key=self.place)
        if len(some) == 1:
            return some[0]
        return f"[{some[0]}, {some[-1]}]" if self.numbers else "{" + ", ".join(some) + "}"


class Tree:
    """A column cut down its hierarchy; a missing value has a branch of its own below the top."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.paths = {line.split(";")[0]: line.split(";") for line in lines}
        height = len(next(iter(self.paths.values()))) - 1
        self.paths[""] = [""] * height + ["*"]
        self.size = len(lines)

    def level(self, values: Sequence[str]) -> int:
        return next(
            level for level in range(len(self.paths[""])) if len({self.paths[v][level] for v in values}) == 1
        )

    def width(self, values: Sequence[str]) -> float:
        level = self.level(values)
        label = self.paths[values[0]][level]
        covered = sum(path[level] == label for value, path in self.paths.items() if value)
        return (covered - 1) / (self.size - 1) if level else 0.0

    def parts(self, values: Sequence[str]) -> list[str]:
        return [self.paths[v][self.level(values) - 1] for v in values]

    def label(self, values: Sequence[str]) -> str:
        return self.paths[values[0]][self.level(values)]


def labels(
    rows: Rows,
    axes: Sequence[Ordered | Tree],
    good: Callable[[list[int]], bool],
    relaxed: bool,
) -> list[tuple[str, ...]]:
    """What each row shows."""
    shown: dict[int, tuple[str, ...]] = {}
    waiting = [list(range(len(rows)))]
    while waiting:
        members = waiting.pop()
        parts = next(_cuts(rows, axes, members, good, relaxed), None)
        if parts is None:
            label = tuple(axis.label([rows[i][c] for i in members]) for c, axis in enumerate(axes))
            shown.update(dict.fromkeys(members, label))
        else:
            waiting.extend(parts)
    return [shown[i] for i in range(len(rows))]


def _cuts(rows: Rows, axes: Sequence[Ordered | Tree], members: list[int], good, relaxed: bool):
    """Every cut that stands, the widest column's first."""
    values = [[rows[i][c] for i in members] for c in range(len(axes))]
    widths = [axis.width(own) for axis, own in zip(axes, values, strict=True)]
    for c in sorted(range(len(axes)), key=lambda c: -widths[c]):
        if widths[c] <= 0:
            return
        axis = axes[c]
        ways = [axis.parts(values[c])] if isinstance(axis, Tree) else axis.cuts(values[c], relaxed)
        for way in ways:
            parts: dict[object, list[int]] = {}
            for i, part in zip(members, way, strict=True):
                parts.setdefault(part, []).append(i)
            if len(parts) > 1 and all(map(good, parts.values())):
                yield list(parts.values())
