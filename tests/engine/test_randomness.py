"""Randomness can be replayed inside a run and by nobody else."""

import numpy as np

from worker.engine.randomness import Source, fresh_key, key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.table import BLOCK, MemorySource, Table


def draws(source, column="x", block=0):
    return source.stream(column, block).integers(0, 2**63, 4).tolist()


def test_the_same_place_draws_the_same():
    assert draws(Source(key_from_seed(1))) == draws(Source(key_from_seed(1)))


def test_every_other_place_draws_otherwise():
    source = Source(key_from_seed(1))
    places = [
        draws(source),
        draws(source, column="y"),
        draws(source, block=1),
        draws(source.for_step(1)),
        draws(Source(key_from_seed(2))),
        draws(source, column="x1"),
        draws(source.for_step(1), block=11),
        draws(source.for_step(11), block=1),
    ]
    assert len({tuple(one) for one in places}) == len(places)


def test_fresh_keys_differ():
    assert fresh_key() != fresh_key()
    assert len(fresh_key()) == 32


def test_normals_have_their_shape():
    numbers = Source(key_from_seed(1)).stream("x", 0).normal(size=100_000)
    assert abs(numbers.mean()) < 0.02
    assert abs(numbers.std() - 1) < 0.02


def test_blocks_are_those_of_the_input_however_rows_are_cut_or_left_out():
    rows = 2 * BLOCK + 10
    table = Table([Column.of_numbers("x", "integer", np.arange(rows) % 7)], 0, rows)
    whole = [(number, at.stop - at.start) for number, at in table.blocks()]
    assert whole == [(0, BLOCK), (1, BLOCK), (2, 10)]
    pieces = [one for chunk in MemorySource(table, blocks_per_chunk=1).chunks() for one, _ in chunk.blocks()]
    assert pieces == [0, 1, 2]
    thinned = table.filter(np.arange(rows) % 2 == 1)
    assert [(n, at.stop - at.start) for n, at in thinned.blocks()] == [
        (0, BLOCK // 2),
        (1, BLOCK // 2),
        (2, 5),
    ]
    last = table.filter(np.arange(rows) >= 2 * BLOCK)
    assert [n for n, _ in last.blocks()] == [2]


def test_a_keyed_hash_depends_on_the_key():
    one, two = (Source(key_from_seed(seed)).keyed_hash(["a", "b"], "rows") for seed in (1, 2))
    assert one.tolist() != two.tolist()
    assert one[0] != one[1]
