"""Microaggregation as a run carries it out: shared values, missing cells, rounding, what is told."""

import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.methods.running import numbers, run
from tests.engine.running import recipe_of, rows_of, table_of
from tests.engine.running import run as run_recipe
from worker.engine.errors import LimitExceeded, NoSolution
from worker.engine.methods.microaggregation import Microaggregation
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table
from worker.engine.verification.verify import verify

ALGORITHMS = ("mdav", "univariate", "principal-component")
CELLS = st.sampled_from(["", "1", "2", "3.5", "7", "-4.25", "100"])


def columns_of(rows, names):
    texts = zip(*rows, strict=True)
    return Table(Column.of_texts(name, list(t), Kind.DECIMAL) for name, t in zip(names, texts, strict=True))


@settings(max_examples=120, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30),
    k=st.integers(2, 4),
    algorithm=st.sampled_from(ALGORITHMS),
    aggregate=st.sampled_from(["mean", "median"]),
)
def test_every_value_is_shared_by_k_rows(rows, k, algorithm, aggregate):
    if any(all(row[i] == "" for row in rows) for i in range(2)):
        return
    method = Microaggregation(columns=("a", "b"), k=k, algorithm=algorithm, aggregate=aggregate, decimals=6)
    try:
        out = run(columns_of(rows, "ab"), method)
    except NoSolution:
        patterns = Counter(tuple(x != "" for x in row) for row in rows)
        large = [many for pattern, many in patterns.items() if any(pattern) and many >= k]
        assert algorithm == "univariate" or not large or (len(large) == 1 and 0 < len(rows) - large[0] < k)
        return
    pairs = list(zip(out.texts("a"), out.texts("b"), strict=True))
    if algorithm == "univariate":
        for name in "ab":
            assert all(many >= k for text, many in Counter(out.texts(name)).items() if text)
    else:
        assert all(many >= k for many in Counter(pairs).values()), "who misses everything is in a class too"
    cleared = 0
    for row, new in zip(rows, pairs, strict=True):
        for old, text in zip(row, new, strict=True):
            assert old or not text, "a missing cell stays missing"
            cleared += bool(old) and not text
    assert out.facts[0]["cleared_cells"] == cleared


def test_rows_that_miss_the_same_cells_are_grouped_among_themselves():
    out = run(
        numbers(a=[1, 2, 10, 20, 5], b=[1, 2, np.nan, np.nan, np.nan]),
        Microaggregation(columns=("a", "b"), k=2, decimals=1),
    )
    assert out.texts("a")[:2] == ["1.5", "1.5"]
    assert len(set(out.texts("a")[2:])) == 1
    assert out.texts("b")[2:] == ["", "", ""]


def test_a_pattern_of_too_few_rows_is_cleared_and_counted():
    out = run(
        numbers(a=[1, 2, 3, 9, 9, 9], b=[1, 2, 3, np.nan, np.nan, 9], c=[1, 2, 3, 9, np.nan, np.nan]),
        Microaggregation(columns=("a", "b", "c"), k=3),
    )
    assert out.texts("a") == ["2", "2", "2", "", "", ""]
    assert out.facts[0]["cleared_cells"] == 5


def test_rows_that_know_nothing_are_joined_until_they_are_k():
    """One row misses a cell; alone in knowing nothing it would be the only one of its kind."""
    a, b = [1, 2, 3, 4, 5, 6, 9], [1, 2, 3, np.nan, np.nan, np.nan, np.nan]
    out = run(numbers(a=[*a[:-1], np.nan], b=b), Microaggregation(columns=("a", "b"), k=3))
    assert out.texts("a") == ["2", "2", "2", "", "", "", ""]
    assert out.facts[0]["cleared_cells"] == 3


def test_integers_stay_integers_and_decimals_keep_their_places():
    table = Table(
        [
            Column.of_texts("whole", ["1", "2", "2"], Kind.INTEGER),
            Column.of_texts("money", ["1.10", "1.25", "2"], Kind.DECIMAL),
        ]
    )
    out = run(table, Microaggregation(columns=("whole", "money")))
    assert out.texts("whole") == ["2", "2", "2"]
    assert out.texts("money") == ["1.45", "1.45", "1.45"]
    exact = run(table, Microaggregation(columns=("whole",), decimals=3))
    assert exact.texts("whole") == ["1.667"] * 3
    assert exact["whole"].kind is Kind.DECIMAL


def test_totals_stay_and_groups_are_told():
    draw = np.random.default_rng(1)
    table = numbers(a=draw.normal(size=1001), b=draw.exponential(size=1001))
    for algorithm in ALGORITHMS:
        out = run(table, Microaggregation(columns=("a", "b"), k=5, algorithm=algorithm, decimals=9))
        for name in "ab":
            assert out.numbers(name).sum() == pytest.approx(table[name].numbers.sum(), abs=1e-5)
        facts = out.facts[0]
        assert facts["smallest_group"] == 5
        assert facts["largest_group"] < 10
        assert facts["variance_kept"]["a"] == pytest.approx(
            np.var(out.numbers("a")) / np.var(table["a"].numbers), abs=1e-5
        )
        told = Microaggregation(columns=("a", "b"), k=5, algorithm=algorithm).guidance(facts)
        assert "at least 5" in told[0]


def test_univariate_loses_less_than_grouping_together():
    draw = np.random.default_rng(1)
    table = numbers(a=draw.normal(size=500), b=draw.normal(size=500))
    kept = [
        run(table, Microaggregation(columns=("a", "b"), k=5, algorithm=one)).facts[0]["variance_kept"]["a"]
        for one in ("univariate", "mdav", "principal-component")
    ]
    assert kept == sorted(kept, reverse=True)


def test_too_few_rows_are_no_solution():
    with pytest.raises(NoSolution) as caught:
        run(numbers(a=[1, 2]), Microaggregation(columns=("a",), k=3))
    assert caught.value.param == "k"


def test_more_rows_than_fit_are_refused_before_anything_is_done():
    with pytest.raises(LimitExceeded):
        run(numbers(a=np.arange(10_000)), Microaggregation(columns=("a",)), memory=100_000)


@pytest.mark.parametrize("algorithm", ["mdav", "principal-component"])
def test_averaged_quasi_identifiers_are_k_anonymous_on_the_bytes(algorithm):
    draw = np.random.default_rng(2)
    rows = [
        {"age": str(a), "height": f"{h:.1f}", "weight": "" if i % 7 == 0 else str(w)}
        for i, (a, h, w) in enumerate(
            zip(
                draw.integers(18, 90, 300).tolist(),
                draw.normal(170, 10, 300).tolist(),
                draw.integers(50, 99, 300).tolist(),
                strict=True,
            )
        )
    ]
    kinds = {"age": "integer", "height": "decimal", "weight": "integer"}
    columns = {name: {"role": "quasi-identifier", "kind": kind} for name, kind in kinds.items()}
    step = ("microaggregation", {"columns": list(kinds), "k": 4, "algorithm": algorithm})
    recipe = recipe_of(columns, [("k-anonymity", {"k": 4})], [step])
    released, report = run_recipe(recipe, table_of(rows))
    sizes = Counter(tuple(row.values()) for row in rows_of(released))
    assert min(sizes.values()) >= 4
    (result,) = verify(recipe, io.BytesIO(released))
    assert result.holds
    assert result.achieved == min(sizes.values()) == report["goals"][0]["achieved"]
