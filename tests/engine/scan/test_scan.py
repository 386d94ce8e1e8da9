"""Sets of columns are counted as somebody would who compares every row with every other."""

import random

import numpy as np
import pytest

from tests.engine.scan.brute_force import sets_of, told_apart
from worker.engine.scan import cells, counting, rows, runs
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan
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


@pytest.mark.parametrize("seed", range(45))
def test_every_set_is_that_of_a_plain_comparison(seed):
    values, persons = drawn(seed)
    found = scan(Table(tuples_of(values, persons)), 3)
    assert sorted(found.sets) == sorted(sets_of(NAMES, 3))
    assert found.is_whole
    compared(found.sets, values, persons)


WAYS = {
    "in cells one by one": {(cells, "SHARED_CELLS"): 1},
    "in runs": {(cells, "CELLS"): 0},
    "in runs of wide columns": {(cells, "CELLS"): 0, (rows, "FEW_VALUES"): 4},
    "refined": {(cells, "CELLS"): 0, (runs, "CELLS"): 0},
    "refined where runs have no room": {(cells, "CELLS"): 4, (runs, "CELLS"): 4},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(1, 21))
def test_however_many_values_there_are_the_result_is_the_same(monkeypatch, way, seed):
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    values, persons = drawn(seed)
    compared(scan(Table(tuples_of(values, persons)), 4).sets, values, persons)


@pytest.mark.parametrize("seed", range(20))
def test_a_further_column_never_lowers_what_is_told_apart(seed):
    values, persons = drawn(seed)
    found = scan(Table(tuples_of(values, persons)), 4).sets
    for names, one in found.items():
        for part in (tuple(name for name in names if name != other) for other in names if len(names) > 1):
            assert found[part].singled_out <= one.singled_out
            assert found[part].distinction <= one.distinction
            assert (found[part].separation or 0) <= (one.separation or 0)


def test_one_table_serves_many_sets():
    sizes = dict.fromkeys(NAMES, 4)
    made = list(cells.blocks(sets_of(NAMES, 3), sizes))
    assert len(made) == 1
    assert sorted(names for _, found in made for names in found) == sorted(sets_of(NAMES, 3))


@pytest.mark.parametrize("seed", range(20))
def test_where_time_is_short_what_was_left_out_is_bounded(seed):
    values, persons = drawn(seed)
    table = Table(tuples_of(values, persons))
    found = scan(table, 3, most_work=12 * table.rows)
    assert len(found.sets) <= 12 < found.possible
    assert not found.is_whole
    compared(found.sets, values, persons)
    left = (names for names in sets_of(NAMES, 3) if names not in found.sets)
    assert all(told_apart(values, NAMES, names, persons)[0] <= found.at_most + 1e-12 for names in left)


def test_of_the_smallest_sets_no_part_suffices():
    values = {"a": list("wxyz"), "b": list("ppqq"), "c": list("rsrs"), "d": list("tttt"), "e": list("tttt")}
    found = scan(Table(tuples_of(values)), 3)
    assert found.smallest(0.5) == [("a",), ("b", "c")]
    constant = {name: ["t"] * 4 for name in NAMES}
    assert scan(Table(tuples_of(constant)), 3).smallest(0.5) == []


def test_what_lies_in_parts_is_estimated_within_its_error(monkeypatch):
    draw = np.random.default_rng(5)
    number = 6000
    sizes = {"a": 3000, "b": 40, "c": 6, "d": 2, "e": 1}
    values = {name: draw.integers(0, size, number).astype(str).tolist() for name, size in sizes.items()}
    monkeypatch.setattr(counting, "SKETCHED", 256)
    parts, whole = Table(tuples_of(values, most=500)), Table(tuples_of(values))
    assert not parts.is_exact
    assert parts.whole() == whole.whole()
    estimated, counted = scan(parts, 2), scan(whole, 2)
    assert estimated.error > 0 == counted.error
    for names, one in counted.sets.items():
        guess = estimated.sets[names]
        assert guess.singled_out == pytest.approx(one.singled_out, abs=2 * guess.error + 1e-9)
        assert guess.separation is None


def test_of_no_rows_nothing_is_said():
    found = scan(Table(tuples_of({name: [] for name in NAMES})), 3)
    assert (found.sets, found.possible, found.smallest(0.1)) == ({}, 0, [])
