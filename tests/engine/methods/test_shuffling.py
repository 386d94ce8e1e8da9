"""Shuffling keeps every marginal exactly and rank correlations nearly, and nothing of the row's own value."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.engine.methods.running import codes, numbers, run
from worker.engine.errors import EngineError
from worker.engine.methods.shuffling import Shuffling
from worker.engine.randomness import key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import BLOCK, Table

KEY = key_from_seed(1)
ROWS = 40_000


def people(rows: int = ROWS):
    rng = np.random.default_rng(1)
    s = rng.standard_normal(rows)
    x = np.exp(1 + 0.8 * s + 0.6 * rng.standard_normal(rows))
    y = np.log(x) + rng.standard_normal(rows)
    return np.exp(s), x, y


def rank(a, b) -> float:
    return float(spearmanr(a, b, nan_policy="omit").statistic)


def shuffled(s, x, y, **options):
    step = Shuffling(columns=("x", "y"), predictors=("s",))
    return run(numbers(s=s, x=x, y=y), step, **options)


def keeps(s, x, y, out) -> bool:
    """Whether marginals are identical, rank correlations kept, and rows no longer hold their values."""
    after = out["x"], out["y"]
    same = all(np.array_equal(np.sort(a), np.sort(b)) for a, b in zip((x, y), after, strict=True))
    pairs = [((s, x), (s, after[0])), ((s, y), (s, after[1])), ((x, y), after)]
    kept = all(abs(rank(*old) - rank(*new)) < 0.04 for old, new in pairs)
    return same and kept and rank(x, after[0]) < rank(s, x) ** 2 + 0.05


def test_marginals_are_identical_and_rank_correlations_kept():
    s, x, y = people()
    out = shuffled(s, x, y)
    assert keeps(s, x, y, {"x": out.numbers("x"), "y": out.numbers("y")})


def test_the_judgement_rejects_mutants():
    s, x, y = people()
    out = shuffled(s, x, y)
    rng = np.random.default_rng(1)
    assert not keeps(s, x, y, {"x": x, "y": y}), "nothing was shuffled"
    assert not keeps(s, x, y, {"x": rng.permutation(x), "y": rng.permutation(y)}), "predictors ignored"
    apart = {"x": out.numbers("x"), "y": shuffled(s, x, y, key=KEY).numbers("y")}
    assert not keeps(s, x, y, apart), "residuals drawn independently"
    assert not keeps(s, x, y, {"x": out.numbers("x") + 0.001, "y": out.numbers("y")}), "other values"


def test_categories_predict_too():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 3, ROWS)
    x = np.exp(group + rng.standard_normal(ROWS))
    table = Table([*numbers(x=x).columns, codes("g", group, ["b", "c", "a"])])
    after = run(table, Shuffling(columns=("x",), predictors=("g",))).numbers("x")
    for one in range(3):
        assert np.log(after[group == one]).mean() == pytest.approx(np.log(x[group == one]).mean(), abs=0.05)
    without = run(table, Shuffling(columns=("x",))).numbers("x")
    assert abs(rank(group, without)) < 0.05


def test_categories_that_an_earlier_step_made_equal_predict_as_one():
    rng = np.random.default_rng(1)
    fine = rng.integers(0, 2500, ROWS)
    x = np.exp(0.3 * (fine % 25) + rng.standard_normal(ROWS))
    group = Column.of_texts("g", [str(i) for i in fine], Kind.CATEGORICAL)
    coarse = group.relabelled([f"group {int(text) % 25}" for text in group.label_texts])
    after = run(Table([*numbers(x=x).columns, coarse]), Shuffling(columns=("x",), predictors=("g",)))
    logs = [np.log(values) for values in (x, after.numbers("x"))]
    means = [[one[fine % 25 == at].mean() for at in range(25)] for one in logs]
    assert means[0] == pytest.approx(means[1], abs=0.3), "each of them, whatever the number of its labels"


def test_missing_cells_stay_and_missing_predictors_do_no_harm():
    s, x, y = people(5000)
    x[::7], s[::11] = np.nan, np.nan
    out = shuffled(s, x, y)
    assert np.array_equal(np.isnan(out.numbers("x")), np.isnan(x))
    assert np.array_equal(np.sort(out.numbers("x")), np.sort(x), equal_nan=True)
    assert abs(rank(s, x) - rank(s, out.numbers("x"))) < 0.06


def test_texts_are_dealt_out_as_they_are_written():
    texts = [f"{i % 50}.{i % 2}" if i % 9 else "" for i in range(1000)]
    column = Column.of_texts("x", texts, Kind.DECIMAL)
    after = run(Table([column]), Shuffling(columns=("x",))).texts("x")
    assert Counter(after) == Counter(texts)
    assert [t == "" for t in after] == [t == "" for t in texts]
    assert after != texts


def test_a_column_that_its_predictor_determines_keeps_its_order():
    x = np.random.default_rng(1).standard_normal(3000)
    after = run(numbers(x=x, s=x), Shuffling(columns=("x",), predictors=("s",))).numbers("x")
    assert rank(x, after) > 0.999


def test_same_key_same_bytes_and_chunked_is_whole():
    s, x, y = people(2 * BLOCK + 3)
    outs = [shuffled(s, x, y, key=KEY, blocks=blocks) for blocks in (1, 16)]
    assert np.array_equal(outs[0].numbers("y"), outs[1].numbers("y"))
    assert outs[0].facts == outs[1].facts
    assert not np.array_equal(outs[0].numbers("y"), shuffled(s, x, y).numbers("y"))


def test_a_column_is_not_its_own_predictor():
    with pytest.raises(EngineError, match="either shuffled or a predictor"):
        Shuffling.of({"columns": ["x"], "predictors": ["x"]})
