"""Recursive cuts: equal to their definition, every goal holds on the bytes, summaries and missing values."""

import io
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.methods import cutting_oracle as oracle
from tests.engine.running import recipe_of, rows_of, run, table_of, written
from tests.engine.verification import goal_oracle
from worker.engine.errors import EngineError, LimitExceeded, NoSolution
from worker.engine.tables.table import MemorySource
from worker.engine.verification import examine

QUASI = ("age", "job", "town")
JOBS = (
    "cook;service;all;*",
    "clerk;office;all;*",
    "judge;office;all;*",
    "baker;service;all;*",
    "king;odd;odd;*",
)
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "job": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": list(JOBS)},
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "s": {"role": "sensitive", "kind": "categorical"},
}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["", "1", "2", "3", "5", "8", "13", "21"]),
        st.sampled_from(["", "cook", "clerk", "judge", "baker", "king"]),
        st.sampled_from(["", "Aa", "Bb", "Cc", "Dd"]),
        st.sampled_from(["flu", "cold", "none"]),
    ),
    min_size=1,
    max_size=40,
)
Rows = list[tuple[str, ...]]


def table(rows: Rows):
    return table_of([dict(zip((*QUASI, "s"), row, strict=True)) for row in rows])


def outcome(rows: Rows, goals: list[Any], columns: Any = None, **params: Any) -> tuple[Any, Any, Any]:
    """The released rows in input order, the report, and the recipe with the bytes."""
    recipe = recipe_of(columns or COLUMNS, goals, [("mondrian", params)], [])
    released, report = run(recipe, table(rows), keep_order=True)
    return rows_of(released), report, (recipe, released)


def some_column_is_empty(rows: Rows) -> bool:
    return any(all(row[i] == "" for row in rows) for i in range(3))


def close(rows: Rows, members: list[int], t: float) -> bool:
    q, p = Counter(row[3] for row in rows), Counter(rows[i][3] for i in members)
    gaps = [abs(Fraction(p[v], len(members)) - Fraction(q[v], len(rows))) for v in q]
    return sum(gaps) / 2 <= Fraction(t)


@settings(max_examples=300, deadline=None)
@given(
    rows=ROWS,
    k=st.integers(1, 5),
    l=st.integers(1, 3),
    t=st.sampled_from([0.25, 0.5, 1.0]),
    relaxed=st.booleans(),
)
def test_equals_its_definition(rows, k, l, t, relaxed):  # noqa: E741
    if some_column_is_empty(rows):
        return
    axes = (
        oracle.Ordered([row[0] for row in rows], numbers=True),
        oracle.Tree(JOBS),
        oracle.Ordered([row[2] for row in rows], numbers=False),
    )

    def good(members: list[int]) -> bool:
        diverse = len({rows[i][3] for i in members}) >= l
        return len(members) >= k and diverse and (t == 1.0 or close(rows, members, t))

    goals = [("k-anonymity", {"k": k})]
    goals += [("l-diversity", {"column": "s", "l": l})] if l > 1 else []
    goals += [("t-closeness", {"column": "s", "t": t})] if t < 1 else []
    if not good(list(range(len(rows)))):
        with pytest.raises(NoSolution):
            outcome(rows, goals, relaxed=relaxed)
        return
    out, report, _ = outcome(rows, goals, relaxed=relaxed)
    expected = oracle.labels(rows, axes, good, relaxed)
    assert [tuple(row[name] for name in QUASI) for row in out] == expected
    assert [row["s"] for row in out] == [row[3] for row in rows]
    kept = Counter(label for label in expected if label != ("*",) * 3) or Counter(expected)
    assert report["steps"][0]["classes"] == len(kept)
    assert report["steps"][0]["smallest_class"] == min(kept.values())


GOALS = [
    ("k-anonymity", {"k": 3}),
    ("k-anonymity", {"k": 3, "missing": "wildcard"}),
    ("l-diversity", {"column": "s", "l": 2, "variant": "entropy"}),
    ("l-diversity", {"column": "s", "l": 2, "variant": "recursive", "c": 3, "benign": ["none"]}),
    ("t-closeness", {"column": "s", "t": 0.25, "distance": "ordered"}),
    ("t-closeness", {"column": "s", "t": 0.25, "distance": "hierarchical"}),
    ("beta-likeness", {"column": "s", "beta": 1.0}),
    ("beta-likeness", {"column": "s", "beta": 1.0, "variant": "basic"}),
    ("delta-disclosure", {"column": "s", "delta": 1.0}),
    ("average-risk", {"limit": 0.2}),
    ("sample-uniqueness", {"limit": 0.05}),
    ("population-uniqueness", {"limit": 0.05, "sampling_fraction": 0.2, "model": "zayatz"}),
    ("k-map", {"k": 9, "population": "p.csv"}),
    ("delta-presence", {"lower": 0.05, "upper": 0.5, "population": "p.csv"}),
]


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal[0]}-{len(goal[1])}")
@pytest.mark.parametrize("summary", ["interval", "set", "median"])
@settings(max_examples=12, deadline=None)
@given(rows=ROWS, relaxed=st.booleans())
def test_every_goal_holds_on_the_bytes(goal, summary, rows, relaxed):
    if some_column_is_empty(rows):
        return
    people = [dict(zip(QUASI, row, strict=False)) for row in rows for _ in range(3)]
    recipe = recipe_of(COLUMNS, [goal], [("mondrian", {"relaxed": relaxed, "summary": summary})], [])
    population = table_of(people, list(QUASI))
    options = {"populations": {"p.csv": MemorySource(population)}} if "population" in goal[1] else {}
    try:
        released, report = run(recipe, table(rows), **options)
    except NoSolution:
        return
    found = examine(recipe, io.BytesIO(released), populations={"p.csv": written(population)})
    assert found.results[0].holds
    assert all(found.suppressed_hold)
    achieved = report["goals"][0]["achieved"]
    assert found.results[0].achieved == (None if achieved is None else pytest.approx(achieved, rel=1e-9))
    assert report["goals"][0]["holds"]
    assert found.rows == len(rows)


@pytest.mark.parametrize("summary", ["interval", "set"])
def test_people_of_a_population_fit_intervals_of_dates_and_ordinals_and_sets(summary):
    sizes = ["small", "middle", "large", "huge"]
    names = {"day": "date", "size": "ordinal", "pet": "categorical"}
    columns = {name: {"role": "quasi-identifier", "kind": kind} for name, kind in names.items()}
    columns["size"]["categories"] = sizes
    rows = [
        {
            "day": f"20{i % 23:02d}-0{1 + i % 9}-1{i % 7}",
            "size": sizes[i % 4],
            "pet": ['a "dog"', "cat, grey", "ox"][i % 3],
        }
        for i in range(120)
    ]
    people = [row for row in rows for _ in range(2)]
    recipe = recipe_of(
        columns,
        [("k-map", {"k": 9, "population": "p.csv"}), ("k-anonymity", {"k": 2})],
        [("mondrian", {"summary": summary})],
        [],
    )
    population = table_of(people, list(names))
    released, report = run(recipe, table_of(rows), populations={"p.csv": MemorySource(population)})
    found = examine(recipe, io.BytesIO(released), populations={"p.csv": written(population)})
    assert all(result.holds for result in found.results)
    assert report["goals"][0]["achieved"] == found.results[0].achieved >= 9
    assert report["steps"][0]["classes"] > 10


def test_persons_are_counted_when_they_are_known():
    rows = [{"age": str(i % 8), "who": str(i // 4), "s": "x"} for i in range(64)]
    columns = {"age": COLUMNS["age"], "who": {"role": "person-key"}, "s": COLUMNS["s"]}
    for relaxed in (False, True):
        recipe = recipe_of(columns, [("k-anonymity", {"k": 4})], [("mondrian", {"relaxed": relaxed})], [])
        released, report = run(recipe, table_of(rows), keep_order=True)
        classes: dict[str, set[str]] = {}
        for row, new in zip(rows, rows_of(released), strict=True):
            classes.setdefault(new["age"], set()).add(row["who"])
        assert min(map(len, classes.values())) >= 4
        assert report["steps"][0]["smallest_class"] == min(map(len, classes.values()))
        assert len(classes) > 1


def test_several_sensitive_columns_are_protected_at_once():
    rows = [{"age": str(i), "a": "xy"[i % 2], "b": "uvw"[(i // 5) % 3], "name": f"n{i}"} for i in range(60)]
    columns = {"age": COLUMNS["age"], "a": {"role": "sensitive"}, "b": {"role": "sensitive"}}
    goals = [("l-diversity", {"column": "a", "l": 2}), ("l-diversity", {"column": "b", "l": 3})]
    released, _ = run(recipe_of(columns, goals, [("mondrian", {})], []), table_of(rows))
    groups: dict[str, list[Any]] = {}
    for row in rows_of(released):
        groups.setdefault(row["age"], []).append(row)
    assert len(groups) > 2
    for group in groups.values():
        assert len({row["a"] for row in group}) >= 2
        assert len({row["b"] for row in group}) >= 3


def summaries(values: list[str], kind: str, k: int = 3, **params: Any) -> list[str]:
    declared = params.pop("declared", {})
    columns = {"age": {"role": "quasi-identifier", "kind": kind, **declared}}
    recipe = recipe_of(columns, [("k-anonymity", {"k": k})], [("mondrian", params)], [])
    released, _ = run(recipe, table_of([{"age": value} for value in values]), keep_order=True)
    return [row["age"] for row in rows_of(released)]


@pytest.mark.parametrize(
    ("summary", "shown"),
    [("interval", "[1, 10]"), ("mean", "5"), ("median", "4"), ("set", "{1, 4, 10}")],
)
def test_numbers_are_summarized(summary, shown):
    assert summaries(["1", "4", "10", "100", "101", "105"], "integer", summary=summary)[:3] == [shown] * 3


def test_decimals_keep_their_places_and_equal_values_stay_themselves():
    assert summaries(["1.25", "1.5", "2"], "decimal", summary="mean") == ["1.58"] * 3
    assert summaries(["1.5"] * 4, "decimal", summary="mean") == ["1.5"] * 4
    assert summaries(["1.5"] * 4, "decimal") == ["1.5"] * 4


def test_dates_are_cut_in_their_order():
    days = ["2020-01-01", "2020-01-02", "2020-01-06", "1999-12-30", "1999-12-31", "2000-01-01"]
    assert summaries(days, "date")[0] == "[2020-01-01, 2020-01-06]"
    assert summaries(days, "date", summary="mean")[0] == "2020-01-03"
    assert summaries(days, "date", summary="median")[3:] == ["1999-12-31"] * 3


def test_ordinals_are_cut_in_their_declared_order():
    sizes = {"categories": ["small", "middle", "large", "huge"]}
    values = ["huge", "large", "small", "middle"]
    assert summaries(values, "ordinal", k=2, declared=sizes) == [
        *["[large, huge]"] * 2,
        *["[small, middle]"] * 2,
    ]
    assert summaries(values, "ordinal", k=2, declared=sizes, summary="median")[0] == "large"


def test_a_missing_value_has_a_branch_of_its_own_when_enough_share_it():
    assert summaries(["", "", "", "1", "2", "3"], "integer") == ["", "", "", *["[1, 3]"] * 3]
    mixed = summaries(["", "1", "2", "50", "51", "52"], "integer")
    assert mixed == [*["*"] * 3, *["[50, 52]"] * 3]
    assert summaries(["", "1", "2", "50", "51", "52"], "integer", summary="mean")[:3] == [""] * 3


def test_relaxed_regions_are_smaller():
    rows: Rows = [(str(i % 3), "cook", "Aa", "flu") for i in range(60)]
    goal = ("k-anonymity", {"k": 5})
    strict, relaxed = (outcome(rows, [goal], relaxed=one)[1]["steps"][0] for one in (False, True))
    assert strict["largest_class"] == 20
    assert relaxed["largest_class"] < 20
    assert relaxed["smallest_class"] >= 5


def test_without_a_goal_nothing_says_how_far_to_cut():
    with pytest.raises(EngineError) as caught:
        outcome([("1", "cook", "Aa", "flu")], [])
    assert caught.value.code == "no-goals"


def test_no_solution_names_the_goal_in_the_way_and_what_can_be_reached():
    rows: Rows = [(str(i), "cook", "Aa", "flu") for i in range(9)]
    with pytest.raises(NoSolution) as caught:
        outcome(rows, [("k-anonymity", {"k": 2}), ("l-diversity", {"column": "s", "l": 2})])
    assert caught.value.param == "goals[1]"
    assert "reaches 1" in caught.value.message


def test_relaxed_cutting_is_refused_above_the_memory_limit():
    rows: Rows = [(str(i), "cook", "Aa", "flu") for i in range(2000)]
    recipe = recipe_of(COLUMNS, [("k-anonymity", {"k": 2})], [("mondrian", {"relaxed": True})], [])
    with pytest.raises(LimitExceeded):
        run(recipe, table(rows), memory=20_000)


def test_the_oracle_of_distances_is_the_one_of_the_goals():
    rows: Rows = [("1", "", "", s) for s in ("flu", "cold", "flu", "none")]
    answer = goal_oracle.t_closeness(
        [{"s": r[3]} for r in rows], [[0, 1]], 0.25, "equal", ["cold", "flu", "none"]
    )
    assert answer[1] == close(rows, [0, 1], 0.25)
