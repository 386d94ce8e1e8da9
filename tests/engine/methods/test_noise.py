"""Noise has the stated distribution, and touches only what it should."""

import multiprocessing

import numpy as np
import pytest

from tests.engine.methods.judging import ROWS, is_noise
from tests.engine.methods.running import numbers, run
from worker.engine.errors import EngineError
from worker.engine.methods.noise import Noise
from worker.engine.methods.sampling import Sampling
from worker.engine.randomness import fresh_key, key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import BLOCK, Table

KEY = key_from_seed(1)


def draws(distribution: str, amount: float = 0.1) -> tuple[np.ndarray, float]:
    """The noise that was added to numbers of standard deviation 1 000, and what it should deviate."""
    before = 1000.0 * np.random.default_rng(1).standard_normal(ROWS)
    out = run(numbers(x=before), Noise(column="x", amount=amount, distribution=distribution, decimals=9))
    return out.numbers("x") - before, amount * float(before.std(ddof=1))


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "uniform"])
def test_the_noise_has_the_stated_distribution(distribution):
    noise, deviation = draws(distribution)
    assert is_noise(noise, distribution, deviation)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "uniform"])
def test_the_judgement_rejects_mutants(distribution):
    noise, deviation = draws(distribution)
    assert not is_noise(noise * 1.05, distribution, deviation), "a scale wrong by 5 %"
    assert not is_noise(noise / 2, distribution, deviation), "half the scale"
    assert not is_noise(noise + deviation / 20, distribution, deviation), "a mean that is not 0"
    other = "laplace" if distribution == "gaussian" else "gaussian"
    assert not is_noise(noise, other, deviation), "another distribution"


def test_no_two_blocks_and_no_two_columns_share_their_noise():
    zeros = np.random.default_rng(1).standard_normal(2 * BLOCK)
    out = run(
        numbers(a=zeros, b=zeros),
        Noise(column="a", amount=1, decimals=12),
        Noise(column="b", amount=1, decimals=12),
    )
    a, b = out.numbers("a") - zeros, out.numbers("b") - zeros
    parts = np.array([a[:BLOCK], a[BLOCK:], b[:BLOCK], b[BLOCK:]])
    correlations = np.corrcoef(parts)[np.triu_indices(4, 1)]
    assert np.abs(correlations).max() < 0.03


def test_the_same_step_twice_draws_twice():
    before = np.random.default_rng(1).standard_normal(1000)
    step = Noise(column="x", mode="multiplicative", amount=1, decimals=12)
    once = run(numbers(x=before), step, key=KEY).numbers("x")
    twice = run(numbers(x=before), step, step, key=KEY).numbers("x")
    assert not np.allclose(twice / once, once / before, rtol=0.01)


def test_multiplicative_noise_grows_with_the_value():
    before = np.repeat([10.0, 1000.0], ROWS // 2)
    out = run(numbers(x=before), Noise(column="x", amount=0.1, mode="multiplicative", decimals=12))
    assert is_noise(out.numbers("x") / before - 1, "gaussian", 0.1)


def test_missing_cells_and_on_request_zeros_stay():
    before = np.tile([0.0, 5.0, np.nan, -3.0], 500)
    out = run(numbers(x=before), Noise(column="x", amount=1, keep_zeros=True, decimals=6)).numbers("x")
    assert np.array_equal(np.isnan(out), np.isnan(before))
    assert (out[before == 0] == 0).all()
    assert (out[before == 5] != 5).all()
    touched = run(numbers(x=before), Noise(column="x", amount=1, decimals=6)).numbers("x")
    assert (touched[before == 0] != 0).all()


def test_integers_stay_integers_and_decimals_keep_their_places():
    whole = Column.of_texts("x", ["1", "20", "300", ""] * 50, Kind.INTEGER)
    out = run(Table([whole]), Noise(column="x", amount=1))["x"]
    assert out.kind is Kind.INTEGER
    assert all(text == "" or text.lstrip("-").isdigit() for text in out.texts())
    cents = Column.of_texts("x", ["1.5", "2.25", "3"] * 50, Kind.DECIMAL)
    texts = run(Table([cents]), Noise(column="x", amount=1))["x"].texts()
    assert max(len(text.partition(".")[2]) for text in texts) == 2


def test_results_are_clipped_to_bounds_and_counted():
    before = np.random.default_rng(1).uniform(0, 1, 10_000)
    out = run(numbers(x=before), Noise(column="x", amount=1, lower=0.2, upper=0.8, decimals=3))
    after = out.numbers("x")
    assert after.min() == 0.2
    assert after.max() == 0.8
    free = run(numbers(x=before), Noise(column="x", amount=1, decimals=3), key=KEY).numbers("x")
    bound = run(numbers(x=before), Noise(column="x", amount=1, decimals=3), key=KEY, declared=unit_bounds())
    assert bound.facts[0]["clipped_cells"] == ((free < 0) | (free > 1)).sum() > 0
    assert (bound.numbers("x") == np.clip(free, 0, 1)).all()


@pytest.mark.parametrize("mode", ["additive", "multiplicative"])
def test_the_codebook_says_by_how_much_bounds_moved_the_mean(mode):
    """Not "unbiased": what is cut off below 0 is not made up for above."""
    before = np.random.default_rng(1).exponential(1, 100_000).round(3)
    step = Noise(column="x", amount=1, mode=mode, decimals=3, lower=0)
    out = run(numbers(x=before), step)
    clipped, facts = out.facts[0]["clipped"]["x"], out.facts[0]
    moved = clipped["added"] / 100_000
    assert moved > 0.05
    error = out.numbers("x") - before
    assert abs(error.mean() - moved) < 6 * error.std() / np.sqrt(100_000), "and nothing else moved it"
    said = " ".join(step.codebook(facts))
    assert f"made the mean too large by {moved:.3g}" in said
    assert "unbiased but for" in said
    free = Noise(column="x", amount=1, mode=mode, decimals=3)
    told = " ".join(free.codebook(run(numbers(x=before), free).facts[0]))
    assert "unbiased." in told
    assert "bound" not in told


def test_zeros_that_are_left_alone_are_not_counted_as_clipped():
    before = np.where(np.arange(10_000) % 2, np.random.default_rng(1).uniform(0, 1, 10_000), 0)
    step = Noise(column="x", amount=0.5, keep_zeros=True, decimals=6)
    free = run(numbers(x=before), step, key=KEY).numbers("x")
    bounded = run(numbers(x=before), step, key=KEY, declared=unit_bounds())
    assert bounded.facts[0]["clipped_cells"] == ((free < 0) | (free > 1)).sum() > 0
    above = run(numbers(x=before), Noise(column="x", keep_zeros=True, lower=0.5))
    assert (above.numbers("x")[before == 0] == 0).all()


def unit_bounds():
    return {"x": Declaration(bounds=("0", 1))}


def test_a_household_shares_its_noise_whatever_the_cutting():
    households = [f"h{i % 700}" if i % 10 else "" for i in range(3 * BLOCK)]
    before = np.random.default_rng(1).standard_normal(3 * BLOCK)
    table = Table([*numbers(x=before).columns, Column.of_texts("h", households)])
    step = Noise(column="x", amount=1, shared_by="h", decimals=9)
    noise = run(table, step, key=KEY, blocks=1).numbers("x") - before
    assert np.array_equal(noise, run(table, step, key=KEY).numbers("x") - before)
    keys = np.array(households)
    assert np.ptp(noise[keys == "h1"]) < 1e-6
    assert len(np.unique(noise[keys == ""].round(6))) > 1000, "rows without a key have their own"
    shared = np.array([noise[keys == f"h{i}"][0] for i in range(1, 700) if (keys == f"h{i}").any()])
    assert 0.7 < shared.std() < 1.3


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "uniform"])
def test_shared_noise_has_the_stated_distribution_over_the_households(distribution):
    before = 1000.0 * np.random.default_rng(1).standard_normal(ROWS)
    homes = Column.of_texts("h", [f"h{i}" for i in range(ROWS)])
    step = Noise(column="x", distribution=distribution, shared_by="h", decimals=9)
    noise = run(Table([*numbers(x=before).columns, homes]), step).numbers("x") - before
    deviation = 0.1 * float(before.std(ddof=1))
    assert is_noise(noise, distribution, deviation)
    assert not is_noise(noise * 1.05, distribution, deviation), "a scale wrong by 5 %"


def test_a_row_has_the_same_noise_whichever_other_rows_are_there():
    before = np.random.default_rng(1).uniform(1, 2, BLOCK + 500)
    factor = Noise(column="x", mode="multiplicative", amount=0.1, decimals=12)
    index = np.arange(len(before), dtype=float)
    all_rows = run(numbers(x=before, i=index), factor, key=KEY).numbers("x")
    some = run(numbers(x=before, i=index), Sampling(share=0.5), factor, key=KEY)
    assert len(some.table) < 0.6 * len(before)
    assert np.array_equal(some.numbers("x"), all_rows[some.numbers("i").astype(int)])


def test_moving_other_steps_does_not_change_what_a_step_draws():
    before = np.random.default_rng(1).standard_normal((2, 2000))
    one, other = Noise(column="a", amount=1), Noise(column="b", amount=1)
    there = run(numbers(a=before[0], b=before[1]), one, other, key=KEY)
    back = run(numbers(a=before[0], b=before[1]), other, one, key=KEY)
    alone = run(numbers(a=before[0], b=before[1]), one, key=KEY)
    assert np.array_equal(there.numbers("a"), back.numbers("a"))
    assert np.array_equal(there.numbers("b"), back.numbers("b"))
    assert np.array_equal(there.numbers("a"), alone.numbers("a"))


def test_same_key_same_bytes_and_chunked_is_whole():
    before = np.random.default_rng(1).standard_normal(3 * BLOCK + 7).round(3)
    step = Noise(column="x", amount=0.5)
    texts = [run(numbers(x=before), step, key=KEY, blocks=blocks).texts("x") for blocks in (1, 2, 16, 16)]
    assert all(one == texts[0] for one in texts)
    assert run(numbers(x=before), step).texts("x") != texts[0]


def _draw(queue):
    queue.put(run(numbers(x=np.arange(100.0)), Noise(column="x", amount=1), key=fresh_key()).texts("x"))


def test_two_forked_processes_never_draw_the_same_noise():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=_draw, args=(queue,)) for _ in range(2)]
    for child in children:
        child.start()
    first, second = queue.get(timeout=60), queue.get(timeout=60)
    for child in children:
        child.join(60)
    assert first != second


def test_a_column_without_spread_is_left_as_it_is():
    out = run(numbers(x=[5.0] * 10), Noise(column="x", amount=1))
    assert out.texts("x") == ["5"] * 10


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(EngineError, match="lower bound"):
        Noise.of({"column": "x", "lower": 2, "upper": 1})


def test_the_codebook_tells_how_to_correct():
    step = Noise(column="x", amount=0.5)
    facts = run(numbers(x=np.random.default_rng(1).standard_normal(1000)), step).facts[0]
    said = " ".join(step.guidance(facts))
    assert f"{facts['noise_deviation'] ** 2:.6g}" in said
    assert "x" in said


def test_the_report_and_the_codebook_tell_when_rounding_undoes_the_noise():
    coins = Column.of_texts("x", ["0", "1"] * 5000, Kind.INTEGER)
    step = Noise(column="x", amount=0.1)
    out = run(Table([coins]), step)
    assert out.texts("x") == coins.texts()
    assert out.facts[0]["changed_cells"] == 0
    assert out.facts[0]["noisy_cells"] == 10_000
    assert "none of the values differ" in " ".join(step.guidance(out.facts[0]))
    strong = Noise(column="x", amount=4)
    told = run(Table([coins]), strong)
    changed = sum(a != b for a, b in zip(told.texts("x"), coins.texts(), strict=True))
    assert told.facts[0]["changed_cells"] == changed > 5000
    assert "undid" not in " ".join(strong.guidance(told.facts[0]))


def test_the_correction_in_the_codebook_is_right_for_rounded_numbers_and_kept_zeros():
    half = np.where(np.arange(ROWS) % 2, 0, np.random.default_rng(1).integers(50, 60, ROWS))
    whole = Column.of_numbers("x", "integer", half)
    step = Noise(column="x", amount=0.016, keep_zeros=True)
    out = run(Table([whole]), step)
    said = " ".join(step.guidance(out.facts[0]))
    left = float(said.partition("variance ")[2].partition(":")[0])
    assert (out.numbers("x") - half).var() == pytest.approx(left / 2, rel=0.05)
    assert left != pytest.approx(out.facts[0]["noise_deviation"] ** 2, rel=0.05), "what was drawn"
    assert "times the share of values that are not 0" in said
