"""Every goal three times: judged by the engine, recomputed from the bytes, and counted plainly."""

import io
import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, run, table_of, written
from tests.engine.verification import goal_oracle as oracle
from tests.engine.verification.oracle import classes
from worker.engine.errors import EngineError, NoSolution
from worker.engine.tables.table import MemorySource
from worker.engine.verification import examine

QUASI = ("a", "b")
A, B = ("*", "", "1", "2", "[3, 4["), ("*", "x", "")
S = ("", "*", "10", "9", "cold", "flu")
TREE = (
    "10;number;thing;all",
    "9;number;thing;all",
    "cold;ill;thing;all",
    "flu;ill;thing;all",
    "*;odd;odd;all",
)
ROWS = st.lists(
    st.tuples(st.sampled_from(A), st.sampled_from(B), st.sampled_from(S)), min_size=1, max_size=40
)
NICE = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0])

Rows = list[tuple[str, ...]]


def judged(rows: Rows, slug: str, params: dict[str, Any], sensitive: Any = None, people: Any = None) -> Any:
    """The report's entry and the recomputed one, which must agree, for the rows as they are."""
    columns = {name: {"role": "quasi-identifier", "kind": "categorical"} for name in QUASI}
    columns["a"]["hierarchy"] = (
        {"builder": "interval", "width": 2, "origin": 3} if people is not None else None
    )
    columns["a"] = {key: value for key, value in columns["a"].items() if value is not None}
    columns["s"] = {"role": "sensitive", "kind": "categorical", **(sensitive or {})}
    recipe = recipe_of(columns, [(slug, params)], [], [])
    plain = [dict(zip(("a", "b", "s"), row, strict=True)) for row in rows]
    options: dict[str, Any] = {}
    if people is not None:
        options["populations"] = {"p.csv": MemorySource(table_of(people, list(QUASI)))}
    released, report = run(recipe, table_of(plain), **options)
    files = {} if people is None else {"p.csv": written(table_of(people, list(QUASI)))}
    (again,) = examine(recipe, io.BytesIO(released), populations=files).results
    (told,) = report["goals"]
    assert again.achieved == pytest.approx(told["achieved"], rel=1e-9)
    assert (again.holds, again.violating_rows) == (told["holds"], told["violating_rows"])
    assert bool(again.remark) == ("remark" in told)
    return told, plain, classes(plain, QUASI)[0]


def agrees(told: dict[str, Any], answer: oracle.Answer) -> None:
    assert told["achieved"] == pytest.approx(answer[0], rel=1e-9, abs=1e-15)
    assert (told["holds"], told["violating_rows"]) == answer[1:]


@given(ROWS, NICE, st.sampled_from(["equal", "ordered"]))
@settings(max_examples=150, deadline=None)
def test_t_closeness(rows: Rows, t: float, how: str) -> None:
    told, plain, found = judged(rows, "t-closeness", {"column": "s", "t": t, "distance": how})
    agrees(told, oracle.t_closeness(plain, found, t, how, sorted(S)))


@given(ROWS, NICE)
@settings(max_examples=60, deadline=None)
def test_t_closeness_in_numeric_order(rows: Rows, t: float) -> None:
    rows = [(a, b, {"": "", "*": "-1", "cold": "100", "flu": "2.5"}.get(s, s)) for a, b, s in rows]
    params = {"column": "s", "t": t, "distance": "ordered"}
    told, plain, found = judged(rows, "t-closeness", params, {"kind": "decimal"})
    agrees(told, oracle.t_closeness(plain, found, t, "ordered", ["", "-1", "2.5", "9", "10", "100"]))


@pytest.mark.parametrize(
    "declared",
    [
        {"categories": ["flu", "9", "cold", "10"]},
        {"hierarchy": {"builder": "order", "values": ["flu", "9", "cold", "10", "*"]}},
        {"hierarchy": ["flu;all", "9;all", "cold;all", "10;all", "*;all"]},
    ],
)
@given(rows=ROWS, t=NICE)
@settings(max_examples=25, deadline=None)
def test_t_closeness_in_declared_order(declared: dict[str, Any], rows: Rows, t: float) -> None:
    params = {"column": "s", "t": t, "distance": "ordered"}
    told, plain, found = judged(rows, "t-closeness", params, {"kind": "ordinal", **declared})
    agrees(told, oracle.t_closeness(plain, found, t, "ordered", ["", "flu", "9", "cold", "10", "*"]))


@given(ROWS, NICE)
@settings(max_examples=60, deadline=None)
def test_t_closeness_over_a_tree(rows: Rows, t: float) -> None:
    params = {"column": "s", "t": t, "distance": "hierarchical"}
    told, plain, found = judged(rows, "t-closeness", params, {"hierarchy": list(TREE)})
    tree = {line.split(";")[0]: line.split(";")[:3] for line in TREE} | {"": ["", "", ""]}
    agrees(told, oracle.t_closeness(plain, found, t, "hierarchical", sorted(S), tree))


def test_a_tree_is_compared_where_no_value_is_missing() -> None:
    """The empty text has a number of its own, which no row may hold."""
    params = {"column": "s", "distance": "hierarchical"}
    told, _, _ = judged([("*", "*", "*")], "t-closeness", params, {"hierarchy": list(TREE)})
    assert told["achieved"] == 0


def test_without_a_hierarchy_the_tree_is_flat() -> None:
    rows = [("1", "x", "flu"), ("1", "x", "cold"), ("2", "x", "flu"), ("2", "x", "9")]
    answers = [
        judged(rows, "t-closeness", {"column": "s", "distance": how})[0]["achieved"]
        for how in ("equal", "hierarchical")
    ]
    assert answers == [0.25, 0.25]


def test_a_builder_is_no_tree_that_can_be_recomputed() -> None:
    params = {"column": "s", "distance": "hierarchical"}
    with pytest.raises(EngineError) as caught:
        judged([("1", "x", "flu")], "t-closeness", params, {"hierarchy": {"builder": "mask"}})
    assert caught.value.param == "goals[0].params.distance"


@given(ROWS, st.sampled_from([0.1, 0.5, 1.0, 2.0, 7.0]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_beta_likeness(rows: Rows, beta: float, enhanced: bool) -> None:
    params = {"column": "s", "beta": beta, "variant": "enhanced" if enhanced else "basic"}
    told, plain, found = judged(rows, "beta-likeness", params)
    agrees(told, oracle.beta_likeness(plain, found, beta, enhanced))
    # What the figure cannot tell: whether a larger β would do.
    without = oracle.beta_likeness(plain, found, 1e6, enhanced)
    assert ("remark" in told) == (not without[1])


@given(ROWS, st.sampled_from([0.5, 1.0, 2.0, 3.0]))
@settings(max_examples=100, deadline=None)
def test_delta_disclosure(rows: Rows, delta: float) -> None:
    told, plain, found = judged(rows, "delta-disclosure", {"column": "s", "delta": delta})
    agrees(told, oracle.delta_disclosure(plain, found, delta))


@given(ROWS, NICE)
@settings(max_examples=60, deadline=None)
def test_risk_goals(rows: Rows, limit: float) -> None:
    told, _, found = judged(rows, "sample-uniqueness", {"limit": limit})
    agrees(told, oracle.sample_uniqueness(found, limit))
    told, _, found = judged(rows, "average-risk", {"limit": limit or 0.05})
    agrees(told, oracle.average_risk(found, limit or 0.05))


@given(ROWS, st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_wildcards(rows: Rows, k: int) -> None:
    told, plain, found = judged(rows, "k-anonymity", {"k": k, "missing": "wildcard"})
    agrees(told, oracle.wildcard(plain, found, QUASI, k))


def covers(name: str, label: str, value: str) -> bool:
    """Column a has intervals of width 2 from 3 on."""
    inside = name == "a" and label == "[3, 4[" and value == "3"
    return label in ("*", value) or inside


PEOPLE = st.lists(
    st.tuples(st.sampled_from(["", "1", "2", "3", "4"]), st.sampled_from(["x", "y", ""])), max_size=30
)


@given(ROWS, PEOPLE, st.integers(1, 5), st.tuples(NICE, NICE))
@settings(max_examples=80, deadline=None)
def test_population_goals(rows: Rows, people: Rows, k: int, limits: tuple[float, float]) -> None:
    rows = [row for row in rows if row[0] != "*" and row[0] != "[3, 4["] or [("1", "x", "flu")]
    crowd = [dict(zip(QUASI, one, strict=True)) for one in people]
    told, plain, found = judged(rows, "k-map", {"k": k, "population": "p.csv"}, people=crowd)
    fit = oracle.fitting(plain, found, crowd, covers)
    agrees(told, oracle.k_map(found, fit, k))
    params = {"lower": min(limits), "upper": max(limits), "population": "p.csv"}
    told, plain, found = judged(rows, "delta-presence", params, people=crowd)
    agrees(told, oracle.presence(found, fit, min(limits), max(limits)))


def test_when_every_row_is_suppressed_everybody_fits_them() -> None:
    """Three of three people are a; three of six are anybody."""
    columns = {"a": {"role": "quasi-identifier", "hierarchy": ["x;g;*", "y;h;*"]}}
    goal = ("delta-presence", {"upper": 0.5, "population": "p.csv"})
    step = ("generalization", {"suppression_limit": 1, "levels": {"a": [0, 1]}})
    recipe = recipe_of(columns, [goal], [step], [])
    people = {"p.csv": MemorySource(table_of([{"a": text} for text in "xxxyyy"]))}
    _, report = run(recipe, table_of([{"a": "x"}] * 3), nodes=True, populations=people)
    assert report["steps"][0]["minimal_nodes"] == [{"a": 0}]
    assert report["steps"][0]["suppressed_rows"] == 3
    assert report["goals"][0]["achieved"] == [0.5, 0.5]


def test_no_class_is_condemned_because_somebody_else_is_missing() -> None:
    rows = [("1", "x", "flu"), ("1", "x", "flu")]
    for lower, crowd, remarked in (
        (0.5, [("1", "x")] * 3, False),
        (0.5, [("1", "x")] * 3 + [("2", "x")], True),
        (0.0, [("1", "x")] * 3 + [("2", "x")], False),
    ):
        people = [dict(zip(QUASI, one, strict=True)) for one in crowd]
        params = {"lower": lower, "upper": 1.0, "population": "p.csv"}
        told, *_ = judged(rows, "delta-presence", params, people=people)
        assert told["holds"]
        assert ("remark" in told) is remarked


def test_who_is_in_no_class_is_judged_with_the_suppressed_rows() -> None:
    """Two suppressed rows fit all twelve people, who are therefore not surely absent."""
    rows = [("1", "x", "flu")] * 3 + [("*", "*", "flu")] * 2
    crowd = [("1", "x")] * 4 + [("2", "y")] * 2 + [("3", "y")] * 6
    people = [dict(zip(QUASI, one, strict=True)) for one in crowd]
    for lower, hold in ((0.1, True), (0.3, False)):
        params = {"lower": lower, "upper": 0.8, "population": "p.csv"}
        told, *_ = judged(rows, "delta-presence", params, people=people)
        assert told["holds"]
        assert "remark" not in told
        assert told["suppressed_hold"] is hold


LIFTED = {"a": [{}, dict(zip("uvwx", "ssLL", strict=True)), dict.fromkeys("uvwx", "*")],
          "b": [{}, dict.fromkeys("mn", "*")]}  # fmt: skip
TREES = {"a": ["u;s;*", "v;s;*", "w;L;*", "x;L;*"], "b": ["m;*", "n;*"]}
PAIR = st.tuples(st.sampled_from("uvwx"), st.sampled_from("mn"))


def lifted(row: tuple[str, ...], node: tuple[int, ...]) -> tuple[str, ...]:
    """The row at a node of the lattice."""
    return tuple(
        LIFTED[name][level].get(text, text) for name, text, level in zip("ab", row, node, strict=True)
    )


def feasible(
    rows: Rows, crowd: Rows, node: tuple[int, ...], limits: tuple[float, float], most: int, drop: bool
) -> bool:
    """By hand: classes outside the limits are suppressed, people without a row with them at no cost."""
    lower, upper = limits
    here, there = Counter(lifted(row, node) for row in rows), Counter(lifted(one, node) for one in crowd)
    gone = sum(n for label, n in here.items() if not lower <= n / (there[label] or 0.5) <= upper)
    if gone == len(rows):  # then everybody fits the one class that is left
        return not drop and gone <= most and lower <= len(rows) / len(crowd) <= upper
    return gone <= most


@given(
    st.lists(PAIR, min_size=1, max_size=16),
    st.lists(PAIR, max_size=12),
    st.sampled_from([(0.1, 0.8), (0.3, 1.0), (0.5, 0.9), (0.2, 0.4)]),
    st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_lower_limit_of_presence_costs_what_it_must_and_no_more(
    rows: Rows, others: Rows, limits: tuple[float, float], suppression: float, drop: bool
) -> None:
    """What the search lists, what is released and what the bytes say, against every node by hand."""
    crowd = rows + others
    columns = {name: {"role": "quasi-identifier", "hierarchy": TREES[name]} for name in "ab"}
    goal = ("delta-presence", {"lower": limits[0], "upper": limits[1], "population": "p.csv"})
    params = {"suppression_limit": suppression, "objective": "height", "drop_suppressed": drop}
    recipe = recipe_of(columns, [goal], [("generalization", params)], [])
    people = table_of([dict(zip("ab", one, strict=True)) for one in crowd])
    most = int(Fraction(str(suppression)) * len(rows))
    nodes = list(itertools.product(range(3), range(2)))
    good = [node for node in nodes if feasible(rows, crowd, node, limits, most, drop)]
    plain = table_of([dict(zip("ab", row, strict=True)) for row in rows])
    if not good:
        with pytest.raises(NoSolution):
            run(recipe, plain, populations={"p.csv": MemorySource(people)})
        return
    released, report = run(recipe, plain, nodes=True, populations={"p.csv": MemorySource(people)})
    step = report["steps"][0]
    lowest = {node for node in good if not any(o != node and all(map(int.__le__, o, node)) for o in good)}
    assert {tuple(node.values()) for node in step["minimal_nodes"]} == lowest
    assert step["optimal"]
    assert step["score"] == min(map(sum, good))
    (again,) = examine(recipe, io.BytesIO(released), populations={"p.csv": written(people)}).results
    (told,) = report["goals"]
    assert told["holds"]
    assert again.holds
    assert again.achieved == pytest.approx(told["achieved"], rel=1e-9)


@pytest.mark.parametrize("method", [("mondrian", {}), ("suppression", {})])
@given(rows=st.lists(PAIR, min_size=1, max_size=16), others=st.lists(PAIR, max_size=12))
@settings(max_examples=40, deadline=None)
def test_methods_that_enforce_keep_a_lower_limit_of_presence(method: Any, rows: Rows, others: Rows) -> None:
    columns = {name: {"role": "quasi-identifier", "hierarchy": TREES[name]} for name in "ab"}
    goal = ("delta-presence", {"lower": 0.3, "upper": 0.9, "population": "p.csv"})
    recipe = recipe_of(columns, [goal], [method], [])
    people = table_of([dict(zip("ab", one, strict=True)) for one in rows + others])
    plain = table_of([dict(zip("ab", row, strict=True)) for row in rows])
    try:
        released, report = run(recipe, plain, populations={"p.csv": MemorySource(people)})
    except NoSolution:
        return
    (again,) = examine(recipe, io.BytesIO(released), populations={"p.csv": written(people)}).results
    assert report["goals"][0]["holds"]
    assert again.holds
