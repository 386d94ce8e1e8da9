"""A sample is random, keeps units whole and has weights that still estimate totals."""

import numpy as np
import pytest

from tests.engine.methods.judging import ROWS, is_share
from tests.engine.methods.running import numbers, run
from worker.engine.errors import EngineError
from worker.engine.methods.sampling import Sampling
from worker.engine.randomness import key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import BLOCK, Table

KEY = key_from_seed(1)
WEIGHT = {"w": Role.WEIGHT}


def rows_kept(share: float = 0.3) -> int:
    return len(run(numbers(x=np.arange(float(ROWS))), Sampling(share=share)).table)


def test_each_row_is_kept_with_the_stated_probability():
    assert is_share(rows_kept(), ROWS, 0.3)
    assert not is_share(rows_kept(0.33), ROWS, 0.3), "a share too large by a tenth"


def test_rows_are_kept_independently_of_their_neighbours():
    x = run(numbers(x=np.arange(float(ROWS))), Sampling(share=0.5)).numbers("x").astype(int)
    kept = np.zeros(ROWS, int)
    kept[x] = 1
    pairs = kept[0::2] * 2 + kept[1::2]
    assert is_share(int((pairs == 3).sum()), ROWS // 2, 0.25)


def test_households_stay_whole_whatever_the_cutting():
    homes = [f"h{i % 30_000}" for i in range(ROWS)]
    table = Table([Column.of_texts("h", homes), *numbers(i=np.arange(float(ROWS))).columns])
    outs = [run(table, Sampling(share=0.4, unit="h"), key=KEY, blocks=blocks) for blocks in (1, 16)]
    assert outs[0].texts("h") == outs[1].texts("h")
    kept = set(outs[0].texts("h"))
    assert len(outs[0].table) == sum(home in kept for home in homes)
    assert is_share(len(kept), 30_000, 0.4)


def test_a_tagged_weight_is_divided_by_the_probability():
    weights = np.random.default_rng(1).uniform(1, 9, ROWS)
    table = Table([NumberColumn("w", Kind.DECIMAL, weights)])
    out = run(table, Sampling(share=0.25), roles=WEIGHT).numbers("w")
    assert out.sum() == pytest.approx(weights.sum(), rel=0.03)
    assert np.isin((out * 0.25).round(9), weights.round(9)).all()


def test_in_proportion_to_the_weight_all_kept_rows_count_alike():
    weights = np.random.default_rng(1).uniform(1, 9, ROWS)
    table = Table([NumberColumn("w", Kind.DECIMAL, weights), *numbers(x=weights).columns])
    out = run(table, Sampling(share=0.3, by_weight=True), roles=WEIGHT)
    assert np.ptp(out.numbers("w")) < 1e-9
    assert out.numbers("w").sum() == pytest.approx(weights.sum(), rel=0.03)
    assert out.numbers("x").mean() > weights.mean() * 1.1, "heavy rows are kept more often"
    weighted = float((weights**2).sum() / weights.sum())
    assert out.numbers("x").mean() == pytest.approx(weighted, rel=0.015), "as the codebook says"
    assert "unweighted means estimate" in " ".join(Sampling(share=0.3, by_weight=True).guidance({}))


def test_without_a_weight_a_column_of_weights_can_be_added():
    out = run(numbers(x=np.arange(1000.0)), Sampling(share=0.5, weight_name="n"))
    assert set(out.texts("n")) == {"2"}
    assert out.table.names == ("x", "n")


def test_facts_count_rows():
    out = run(numbers(x=np.arange(2.0 * BLOCK)), Sampling(share=0.5), blocks=1)
    assert out.facts[0]["rows_before"] == 2 * BLOCK
    assert out.facts[0]["rows_kept"] == len(out.table)


def test_same_key_same_rows_and_chunked_is_whole():
    table = numbers(x=np.arange(2.0 * BLOCK + 9))
    outs = [run(table, Sampling(), key=KEY, blocks=blocks).numbers("x") for blocks in (1, 16)]
    assert np.array_equal(*outs)
    assert len(run(table, Sampling()).table) != len(outs[0]) or not np.array_equal(
        run(table, Sampling()).numbers("x"), outs[0]
    )


def test_proportional_sampling_needs_a_weight():
    with pytest.raises(EngineError) as caught:
        run(numbers(x=np.arange(10.0)), Sampling(by_weight=True))
    assert caught.value.code == "no-weight"
    with pytest.raises(EngineError, match="stay together"):
        Sampling.of({"by_weight": True, "unit": "h"})
