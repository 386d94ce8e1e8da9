"""Measures of lost information by brute force: plain lists, nothing shared with what is measured."""

import math
import statistics
from collections import Counter
from datetime import date

from tests.engine.measures.scenes import Case


def number(text, kind):
    """The number or day that a text is; None when it is neither."""
    try:
        return float(date.fromisoformat(text).toordinal()) if kind == "date" else float(text)
    except ValueError:
        return None


def edges(numbers):
    """The distinct deciles, in proportion between neighbours."""
    ordered, found = sorted(numbers), set()
    for tenth in range(1, 10) if ordered else ():
        at = tenth / 10 * (len(ordered) - 1)
        low = math.floor(at)
        found.add(ordered[low] + (ordered[math.ceil(at)] - ordered[low]) * (at - low))
    return sorted(found)


def binned(texts, kind, cuts):
    numbers = [number(text, kind) for text in texts]
    return [
        text if one is None else sum(one >= cut for cut in cuts)
        for text, one in zip(texts, numbers, strict=True)
    ]


def surprise(values):
    return -sum(n / len(values) * math.log2(n / len(values)) for n in Counter(values).values())


def information_kept(case: Case, name, kind, at_random=False, tree=None):
    """1 − H(original | released) ÷ H(original); words where there is none."""
    was, became = map(list, zip(*case.pairs(name), strict=True))
    if kind in ("integer", "decimal", "date"):
        cuts = edges([one for text in was if (one := number(text, kind)) is not None])
        was, became = binned(was, kind, cuts), binned(became, kind, cuts)
    elif at_random and len(set(was) - {"", "*"}) ** 2 > len(was):
        fitting = (
            [n for n in range(4) if len({tree[v][n] for v in was if v}) ** 2 <= len(was)] if tree else []
        )
        level = min(fitting, default=None)
        if level is None:
            return "too many"
        up = {**{v: path[level] for v, path in tree.items()}, "": "*" if level == 3 else "", "*": "*"}
        was, became = [up[v] for v in was], [up[v] for v in became]
    before = surprise(was)
    if before == 0:
        return "constant"
    lost = surprise(list(zip(was, became, strict=True))) - surprise(became)
    return 1 - lost / before


def expected_error(case: Case, name, kind):
    """What a reader gets wrong, over what somebody gets wrong who saw nothing."""
    cells = case.pairs(name)
    if kind not in ("integer", "decimal", "date"):
        blind = len(cells) - max(Counter(was for was, _ in cells).values())
        under = {label: Counter(was for was, became in cells if became == label) for _, label in cells}
        wrong = len(cells) - sum(max(one.values()) for one in under.values())
        return wrong / blind if blind else None
    known = [(x, became) for was, became in cells if (x := number(was, kind)) is not None]
    errors, blind = distances(known, kind), middling([x for x, _ in known])
    return min(sum(errors) / blind, 1) if blind else None


def distances(known, kind):
    """How far each number is from what its reading says."""
    return [abs(x - reading) for x, reading in readings(known, kind)]


def readings(known, kind):
    for x, label in known:
        said = number(label, kind)
        yield x, statistics.median(y for y, other in known if other == label) if said is None else said


def middling(numbers):
    return sum(abs(x - statistics.median(numbers)) for x in numbers) if numbers else 0


def granularity(case: Case, name, kind, tree=None):
    """The mean share of the hierarchy, or of the range, that a cell leaves open."""
    cells = case.pairs(name)
    return sum(shares) / len(shares) if (shares := open_shares(cells, kind, tree)) else None


def open_shares(cells, kind, tree):
    values = {was for was, _ in cells}
    if kind in ("integer", "decimal", "date"):
        numbers = {x for was in values if (x := number(was, kind)) is not None}
        if len(numbers) < 2:
            return None
        least, most = min(numbers), max(numbers)
    elif len(values) < 2:
        return None
    shares = []
    for _, label in cells:
        under = {was for was, became in cells if became == label}
        above = [n for path in tree.values() for n, text in enumerate(path) if text == label] if tree else []
        if label == "*":
            shares.append(1)
        elif above and max(above):
            covered = max(sum(path[n] == label for path in tree.values()) for n in above)
            shares.append((covered - 1) / (len(tree) - 1))
        elif kind in ("integer", "decimal", "date"):
            inside = [x for was in under if (x := number(was, kind)) is not None]
            low, high = (min(inside), max(inside)) if inside else (0, 0)
            if label.startswith("["):
                low, high = map(float, label.strip("[").split(","))
                low, high = max(low, least), min(high, most)
            shares.append(max(high - low, 0) / (most - least))
        else:
            shares.append((len(under) - 1) / (len(values) - 1))
    return shares


def bits(case: Case, name, tree=None):
    """Non-uniform entropy of a column."""
    cells = case.pairs(name)
    often, total = Counter(was for was, _ in cells), 0.0
    for was, label in cells:
        values = {one for one, became in cells if became == label}
        if tree:
            values |= {one for one in often if one in tree and label in tree[one]}
        covered = len(cells) if label == "*" else sum(often[one] for one in values)
        total -= math.log2(often[was] / covered)
    return total


def most_bits(case: Case, name):
    often = Counter(case.before[name])
    return -sum(math.log2(often[was] / case.rows) for was in case.before[name])


def climbed(case: Case, name, tree):
    """The mean level of a column's cells, as a share of the height; a missing value is kept or gone."""
    levels = []
    for was, label in case.pairs(name):
        path = tree.get(was, [was] * 3 + ["*"])
        levels.append(path.index(label) / 3 if label in path else 1)
    return sum(levels) / len(levels)


def discernibility(rows, keys, all_rows):
    """Of rows as dictionaries; and the classes."""
    classes = Counter(tuple(row[key] for key in keys) for row in rows)
    stars = ("*",) * len(keys)
    suppressed = all_rows - sum(classes.values())
    if set(classes) != {stars}:
        suppressed += classes.pop(stars, 0)
    return sum(n * n for n in classes.values()) + all_rows * suppressed, len(classes) + (suppressed > 0)


def moved(case: Case, names):
    """IL1s and IL1 over columns of numbers."""
    deviations = percent = 0.0
    for name in names:
        known = [(x, became) for was, became in case.pairs(name) if (x := number(was, "decimal")) is not None]
        far = list(zip([x for x, _ in known], distances(known, "decimal"), strict=True))
        spread = statistics.stdev([x for x, _ in known]) if len(known) > 1 else 0
        deviations += sum(d for _, d in far) / (math.sqrt(2) * spread) if spread else 0
        percent += sum(100 * d / abs(x) for x, d in far if x)
    return deviations, percent
