"""Randomized response keeps the ε it promises, and its estimates undo it."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.methods.judging import ROWS, fits
from tests.engine.methods.running import codes, run
from worker.engine.contracts.method import Guarantee
from worker.engine.errors import EngineError
from worker.engine.methods.randomized_response import RandomizedResponse
from worker.engine.randomization.estimation import central_error95
from worker.engine.randomization.response import COARSE, FINE, of_epsilon
from worker.engine.randomness import key_from_seed
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import BLOCK, Field, Schema, Table

LABELS = ["a", "b", "c"]


def answers(rows: int = ROWS, shares=(0.6, 0.3, 0.1)):
    return codes("x", np.random.default_rng(1).choice(3, rows, p=shares), LABELS)


def ask(**params) -> RandomizedResponse:
    return RandomizedResponse.of({"column": "x", "categories": LABELS, **params})


def moves(before, after) -> np.ndarray:
    table = np.zeros((3, 3), int)
    at = [[LABELS.index(text) for text in column.texts()] for column in (before, after)]
    np.add.at(table, tuple(at), 1)
    return table


@given(st.decimals("0.000001", "20", places=6), st.integers(2, 200))
@settings(max_examples=60, deadline=None)
def test_the_implemented_ratio_never_exceeds_epsilon(epsilon, categories):
    design = of_epsilon(epsilon, categories)
    assert Fraction(design.true, design.other) <= Fraction(epsilon.exp())
    assert design.total in (COARSE, FINE)
    assert design.true > design.other
    exact = math.exp(epsilon) / (math.exp(epsilon) + categories - 1)
    assert design.true / design.total == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_answers_are_drawn_as_stated(epsilon):
    before = answers(3 * ROWS)
    out = run(Table([before]), ask(epsilon=epsilon))
    p = math.exp(float(epsilon)) / (math.exp(float(epsilon)) + 2)
    stated = np.full((3, 3), (1 - p) / 2) + np.eye(3) * (p - (1 - p) / 2)
    table = moves(before, out["x"])
    assert all(fits(table[i], stated[i]) for i in range(3))
    weaker = float(epsilon) * 1.1
    q = math.exp(weaker) / (math.exp(weaker) + 2)
    mutant = np.full((3, 3), (1 - q) / 2) + np.eye(3) * (q - (1 - q) / 2)
    assert not all(fits(table[i], mutant[i]) for i in range(3)), "an ε larger by a tenth"


def test_the_keep_probability_is_exact():
    out = run(Table([answers(2000)]), ask(keep=0.7))
    facts = out.facts[0]
    assert facts["keep_probability"] == 0.7
    assert facts["other_probability"] == pytest.approx(0.15)
    assert facts["local_epsilon"] == pytest.approx(math.log(0.7 / 0.15))


def test_estimates_follow_the_formula():
    facts = run(Table([answers(5000)]), ask(epsilon="1")).facts[0]
    p, q, n = facts["keep_probability"], facts["other_probability"], 5000
    for observed, share, error, interval in zip(
        facts["released"],
        facts["estimated_shares"],
        facts["standard_errors"],
        facts["intervals95"],
        strict=True,
    ):
        rate = observed / n
        assert share == pytest.approx((rate - q) / (p - q))
        assert error == pytest.approx(math.sqrt(rate * (1 - rate) / (n * (p - q) ** 2)))
        assert interval == pytest.approx([share - 1.96 * error, share + 1.96 * error], abs=1e-3)
    assert sum(facts["estimated_shares"]) == pytest.approx(1)


def test_the_estimates_are_unbiased_and_the_local_price_is_shown():
    before = answers(20_000)
    true = np.array([before.texts().count(label) for label in LABELS]) / 20_000
    found = []
    for seed in range(40):
        facts = run(Table([before]), ask(epsilon="1"), key=key_from_seed(seed)).facts[0]
        found.append((np.array(facts["estimated_shares"]) - true) / np.array(facts["standard_errors"]))
    assert np.abs(np.mean(found, axis=0)).max() < 6.2 / math.sqrt(40)
    assert facts["error95_local"] > 50 * facts["error95_central"] > 0


def test_the_central_error_is_that_of_the_geometric_mechanism():
    rng = np.random.default_rng(1)
    ratio = math.exp(-0.5)
    noise = rng.geometric(1 - ratio, 200_000) - rng.geometric(1 - ratio, 200_000)
    half = central_error95(0.5, 1000) * 1000
    assert (np.abs(noise) <= half).mean() >= 0.949
    assert (np.abs(noise) <= half - 1).mean() < 0.951


def test_missing_answers_are_kept_or_protected_as_asked():
    before = codes("x", np.tile([0, 1, 2, 3], 5000), [*LABELS, ""])
    kept = run(Table([before]), ask(epsilon="1")).texts("x")
    assert [t == "" for t in kept] == [t == "" for t in before.texts()]
    facts = run(Table([before]), ask(epsilon="1", missing="category"))
    drawn = facts.texts("x")
    p = math.exp(1) / (math.exp(1) + 3)
    stayed = sum(a == b == "" for a, b in zip(drawn, before.texts(), strict=True))
    assert fits([stayed, 5000 - stayed], [p, 1 - p])
    assert facts.facts[0]["covers_missing"]


def test_categories_must_be_declared_because_data_would_tell():
    schema = Schema((Field("x", Kind.TEXT, Role.OTHER),))
    with pytest.raises(EngineError) as caught:
        RandomizedResponse(column="x").require_possible(schema, (), {})
    assert caught.value.code == "no-categories"
    declared = {"x": Declaration(categories=("a", "b", "c"))}
    assert run(Table([answers(100)]), RandomizedResponse(column="x"), declared=declared).texts("x")
    with pytest.raises(EngineError) as caught:
        run(Table([answers(100)]), RandomizedResponse(column="x", categories=("a", "b")))
    assert caught.value.code == "unknown-category"


def test_it_promises_local_privacy_and_so_no_seed_is_taken():
    assert RandomizedResponse.guarantee is Guarantee.LOCAL_DIFFERENTIAL_PRIVACY
    step = {"method": "randomized-response", "params": {"column": "x", "categories": LABELS}}
    recipe = {"version": 1, "columns": {"x": {"role": "other", "kind": "categorical"}}, "steps": [step]}
    assert Recipe.parse(recipe).differentially_private


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"epsilon": "1", "keep": 0.7}, "not both"),
        ({"epsilon": None}, "Give ε"),
        ({"keep": 0.3}, "raise the keep probability"),
        ({"epsilon": "0"}, "greater than 0"),
        ({"epsilon": "0.1234567"}, "decimal"),
        ({"categories": ["a", ""]}, "missing answer"),
    ],
)
def test_wrong_parameters_are_refused_in_words(params, said):
    with pytest.raises(EngineError, match=said):
        ask(**params)


def test_same_key_same_bytes_and_chunked_is_whole():
    before = answers(2 * BLOCK + 5)
    key = key_from_seed(1)
    texts = [run(Table([before]), ask(), key=key, blocks=blocks).texts("x") for blocks in (1, 16)]
    assert texts[0] == texts[1]
    assert run(Table([before]), ask()).texts("x") != texts[0]


def test_epsilon_survives_json():
    step = ask(epsilon="0.25")
    assert RandomizedResponse.of(step.params()).epsilon == Decimal("0.25")
    assert RandomizedResponse.of(ask(keep=0.7).params()) == ask(keep=0.7)
