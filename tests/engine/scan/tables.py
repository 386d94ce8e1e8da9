"""Small random tables, and what a plain comparison of rows says of them."""

import random

import pytest

from tests.engine.scan.brute_force import told_apart
from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter
from worker.engine.tables.kinds import Kind

NAMES = ("a", "b", "c", "d", "e")


def drawn(seed):
    draw = random.Random(seed)
    number = draw.choice([1, 2, 3, 9, 30])
    sizes = [draw.choice([1, 2, 4, 20]) for _ in NAMES]
    values = {
        name: [draw.choice(["", "*", *map(str, range(size))][: size + 1]) for _ in range(number)]
        for name, size in zip(NAMES, sizes, strict=True)
    }
    return values, [str(draw.randrange(6)) for _ in range(number)] if seed % 3 == 0 else None


def tuples_of(values, persons=None, most=None):
    counter = Counter([(name, Kind.TEXT) for name in values], "who" if persons else None, None, None, most)
    columns = {name: Column.of_texts(name, texts) for name, texts in values.items()}
    if persons:
        columns["who"] = Column.of_texts("who", persons)
    counter.add(columns, len(next(iter(values.values()))))
    return counter.tuples()


def compared(found, values, persons):
    for names, one in found.items():
        told = (one.singled_out, one.distinction, one.separation)
        assert told == pytest.approx(told_apart(values, NAMES, names, persons), abs=1e-9), names
