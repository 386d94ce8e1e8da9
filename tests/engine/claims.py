"""Whether a column of a release is what its steps say they leave of it, told from the cells alone.

Shares nothing with the engine but the words: texts beside texts, row by row.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence

from worker.engine.contracts.traces import Trace

Texts = Sequence[str]
LOW, HIGH = r"^\[(?P<low>[^,]*), (?P<high>[^\]\[]*)", r"(?P<end>[\[\]])$"
INTERVAL = re.compile(LOW + HIGH)
SIGMAS = 5


def bold(claim: Trace, original: Texts, released: Texts) -> bool:
    """Whether more is claimed to be left of the column, row by row, than is."""
    return claim is Trace.REMOVED or (claim in JUDGES and not JUDGES[claim](original, released))


def modest(claim: Trace, original: Texts, released: Texts) -> bool:
    """Whether values count as perturbed that labels still hold, or that say nothing of the original."""
    if claim is not Trace.PERTURBED or kept(original, released):
        return False
    labels = all(has(new, one) for one, new in zip(original, released, strict=True))
    return labels or exchanged(original, released) or unrelated(original, released)


def exact(claim: Trace, original: Texts, released: Texts) -> bool:
    """Whether this is left of the column, and neither more nor less."""
    return not kept(original, released) and {**JUDGES, Trace.PERTURBED: neither}[claim](original, released)


def number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def plain(text: str) -> float | str:
    found = number(text)
    return text if found is None else found


def kept(original: Texts, released: Texts) -> bool:
    return all(plain(one) == plain(other) for one, other in zip(original, released, strict=True))


def exchanged(original: Texts, released: Texts) -> bool:
    return Counter(map(plain, original)) == Counter(map(plain, released))


def coarser(original: Texts, released: Texts) -> bool:
    """Labels that hold the value; what is no such label must follow from the value, upwards with it."""
    pairs = zip(original, released, strict=True)
    rest = [(number(one), number(new)) for one, new in pairs if not has(new, one)]
    ordered = sorted({(one, new) for one, new in rest if one is not None and new is not None})
    if any(one is None or new is None for one, new in rest):
        return False
    return all(a < b and x <= y for (a, x), (b, y) in itertools.pairwise(ordered))


def has(label: str, value: str) -> bool:
    """Whether a label can be read as holding a value: itself, `*`, an interval, a mask, a set, a limit."""
    if label == "*" or plain(label) == plain(value) or _masks(label, value):
        return True
    if label.startswith("{") and label.endswith("}"):
        return value in label[1:-1].split(", ")
    if label[:1] in ("<", ">") and (limit := number(label[1:].lstrip("="))) is not None:
        told = number(value)
        return told is not None and (told <= limit if label[0] == "<" else told >= limit)
    return _within(label, value)


def _within(label: str, value: str) -> bool:
    found, told = INTERVAL.match(label), number(value)
    if found is None:
        return False
    low, high = number(found["low"]), number(found["high"])
    if told is None or low is None or high is None:  # days and words, in the order of their texts
        return found["low"] <= value <= found["high"]
    return low <= told <= high if found["end"] == "]" else low <= told < high


def _masks(label: str, value: str) -> bool:
    shortened = bool(label) and value.startswith(label)
    same = len(label) == len(value) and "*" in label
    return shortened or (same and all(a in ("*", b) for a, b in zip(label, value, strict=True)))


def neither(original: Texts, released: Texts) -> bool:
    """Other values, but not any: they still go together with the original ones."""
    return not any(one(original, released) for one in (kept, coarser, exchanged, unrelated))


def unrelated(original: Texts, released: Texts) -> bool:
    """Equal cells are as many as rows dealt at random would give, and numbers do not go together."""
    if exchanged(original, released):  # dealt out again
        return False
    rows = len(original)
    before, after = (Counter(map(plain, side)) for side in (original, released))
    chance = sum(count * after[value] for value, count in before.items()) / rows
    equal = sum(plain(one) == plain(new) for one, new in zip(original, released, strict=True))
    if abs(equal - chance) > SIGMAS * math.sqrt(chance) + 1:
        return False
    pairs = [(number(a), number(b)) for a, b in zip(original, released, strict=True)]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return len(known) < 10 or abs(correlation(*zip(*known, strict=True))) < SIGMAS / math.sqrt(len(known))


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Of the ranks."""
    x, y = ranks(one), ranks(other)
    mean = (len(x) - 1) / 2
    products = [
        sum((a - mean) * (b - mean) for a, b in zip(p, q, strict=True)) for p, q in ((x, y), (x, x), (y, y))
    ]
    spread = math.sqrt(products[1] * products[2])
    return products[0] / spread if spread else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """From 0; equal values share their mean rank."""
    ordered = sorted(values)
    first = {value: at for at, value in reversed(list(enumerate(ordered)))}
    many = Counter(values)
    return [first[value] + (many[value] - 1) / 2 for value in values]


JUDGES = {Trace.KEPT: kept, Trace.COARSER: coarser, Trace.EXCHANGED: exchanged, Trace.MADE_UP: unrelated}
"""Nothing that is there is too little for "perturbed"."""
