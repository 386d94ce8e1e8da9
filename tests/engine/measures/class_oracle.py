"""Classes and their risks as `methods.md` defines them, row by row in plain Python."""

import math
import random

from tests.engine.measures.scenes import Case
from worker.engine.contracts.traces import Trace

KEYS = ("age", "sex", "place")
COLUMNS = {
    **{name: {"role": "quasi-identifier", "kind": "text"} for name in KEYS},
    "ill": {"role": "sensitive", "kind": "text"},
    "w": {"role": "weight"},
    "hh": {"role": "household-key"},
    "who": {"role": "person-key"},
}


def risk(f, whole):
    """Benedetti and Franconi."""
    whole = max(whole, f)
    p = f / whole
    q = 1 - p
    if q == 0:
        return 1 / f
    if f == 1:
        return p / q * math.log(1 / p)
    if f == 2:
        return p / q - (p / q) ** 2 * math.log(1 / p)
    return p / (f - q)


def kept_rows(case):
    """The rows of the release by their numbers in the input."""
    kept = case.kept or [True] * case.rows
    return [i for i in range(case.rows) if kept[i]]


def in_classes(case, keys):
    """Those that are not suppressed, unless every one is."""
    rows = kept_rows(case)
    told = [i for i in rows if any(case.after[name][i] != "*" for name in keys)]
    return told or rows


def members(case, keys, i, rows):
    """The rows equal to one."""
    return [j for j in rows if all(case.after[name][j] == case.after[name][i] for name in keys)]


def counted(case, rows):
    """How many rows, or persons."""
    if "who" not in case.after:
        return len(rows)
    return len({case.after["who"][j] for j in rows})


def population(case, rows):
    """The people they stand for; None without weights."""
    return sum(float(case.after["w"][j]) for j in rows) if "w" in case.after else None


def risks_by_row(case, keys):
    """The risk of each row in a class, and the people it stands for."""
    rows = in_classes(case, keys)
    found, people = {}, {}
    for i in rows:
        same = members(case, keys, i, rows)
        f, whole = counted(case, same), population(case, same)
        found[i] = 1 / f if whole is None else risk(f, whole)
        people[i] = f if whole is None else max(f, whole)
    return found, people


def by_member(case, keys, values):
    """The values of rows, each person of a class once."""
    if "who" not in case.after:
        return list(values.values())
    once = {(*(case.after[name][i] for name in keys), case.after["who"][i]): one for i, one in values.items()}
    return list(once.values())


def random_sample(seed, persons=None):
    """A truthful release: some cells `*` or missing, some rows suppressed or left out."""
    draw = random.Random(seed)
    rows = draw.choice([1, 2, 6, 15, 40])
    before = {name: [draw.choice(["", *"abc"[: 1 + seed % 3]]) for _ in range(rows)] for name in KEYS}
    before["ill"] = [draw.choice("xy") for _ in range(rows)]
    if seed % 2:
        before["w"] = [str(draw.choice([0.25, 1, 1.0005, 2, 7.5, 120])) for _ in range(rows)]
    before["hh"] = [draw.choice(["", *"12345"]) for _ in range(rows)]
    if persons if persons is not None else seed % 5 == 0:
        before["who"] = [str(draw.randrange(rows)) for _ in range(rows)]
    after = {name: list(cells) for name, cells in before.items() if name != "hh"}
    for i in range(rows):
        if draw.random() < 0.15:
            for name in KEYS:
                after[name][i] = "*"
        elif draw.random() < 0.2:
            after[draw.choice(KEYS)][i] = "*"
    kept = [draw.random() < 0.8 or i == 0 for i in range(rows)] if seed % 4 == 0 else []
    columns = {name: part for name, part in COLUMNS.items() if name in before}
    return Case(columns, before, after, kept, traces=dict.fromkeys(before, Trace.COARSER))


def moved(case, *names, trace=Trace.PERTURBED):
    """The same with other traces of some columns."""
    case.traces = {**case.traces, **dict.fromkeys(names, trace)}
    return case
