"""Local suppression on random tables: the goals hold on the bytes, and nothing but stars was written."""

from collections import Counter, defaultdict
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.errors import EngineError, NoSolution
from worker.engine.goals.average_risk import AverageRisk
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.goals.t_closeness import TCloseness
from worker.engine.methods import suppression

NAMES = ("a", "b", "c")
CELLS = st.sampled_from(["x", "y", "", "*"])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS, st.sampled_from("pq")), min_size=1, max_size=12),
    st.integers(1, 4),
    st.booleans(),
    st.permutations(NAMES),
)
def test_goals_hold_and_only_stars_are_new(rows, k, diverse, importance):
    columns = {name: {"role": "quasi-identifier"} for name in NAMES} | {"s": {"role": "sensitive"}}
    if any(all(row[at] == "" for row in rows) for at in range(3)):
        return
    goals = [("l-diversity", {"column": "s", "l": 2})] if diverse else []
    recipe = recipe_of(columns, goals, [("suppression", {"k": k, "importance": importance[:2]})])
    table = table_of([dict(zip((*NAMES, "s"), row, strict=True)) for row in rows])
    try:
        released, report = run(recipe, table, keep_order=True)
    except NoSolution:
        assert no_row_can_be_helped(rows, k, diverse)
        return
    out = rows_of(released)
    for row, new in zip(rows, out, strict=True):
        assert all(new[name] in (old, "*") for name, old in zip(NAMES, row, strict=False))
    pairs = [
        (old, new[n])
        for row, new in zip(rows, out, strict=True)
        for old, n in zip(row[:3], NAMES, strict=True)
    ]
    assert report["steps"][0]["suppressed_cells"] >= sum(old != new for old, new in pairs)
    classes = defaultdict(list)
    for new in out:
        classes[tuple(new[name] for name in NAMES)].append(new["s"])
    if len(classes) > 1:
        classes.pop(("*",) * 3, None)
    assert all(len(values) >= k for values in classes.values())
    assert all(len(Counter(values)) >= 2 for values in classes.values()) or not diverse


def no_row_can_be_helped(rows, k, diverse):
    """Everything ends in one class of stars, and that class does not do."""
    return len(rows) < k or (diverse and len({row[3] for row in rows}) < 2)


def test_enough_rows_lose_nothing():
    rows = [{"a": "x", "b": "1"}, {"a": "x", "b": "1"}]
    columns = {name: {"role": "quasi-identifier"} for name in "ab"}
    _, report = run(recipe_of(columns, [], [("suppression", {"k": 2})]), table_of(rows))
    assert report["steps"][0]["suppressed_cells"] == 0


def test_the_most_important_column_is_kept_longest():
    rows = [{"a": a, "b": b} for a in "xy" for b in "12"]
    columns = {name: {"role": "quasi-identifier"} for name in "ab"}
    for important, hidden in (("a", "b"), ("b", "a")):
        recipe = recipe_of(columns, [], [("suppression", {"k": 2, "importance": [important]})])
        _, report = run(recipe, table_of(rows))
        assert report["steps"][0]["suppressed_per_column"] == {important: 0, hidden: 4}


@pytest.mark.parametrize("more", [0, 10])
def test_among_important_columns_the_first_is_kept_longest(more):
    """With many columns a fixed order is followed, with few all sets are tried."""
    rest = {f"c{i}": "same" for i in range(more)}
    rows = [{"a": a, "b": b, **rest} for a in "xy" for b in "12"]
    columns = {name: {"role": "quasi-identifier"} for name in rows[0]}
    for order in (["a", "b"], ["b", "a"]):
        recipe = recipe_of(columns, [], [("suppression", {"k": 2, "importance": order})])
        _, report = run(recipe, table_of(rows))
        hidden = report["steps"][0]["suppressed_per_column"]
        assert (hidden[order[0]], hidden[order[1]]) == (0, 4)


def test_many_quasi_identifiers_are_hidden_in_one_order():
    names = [f"q{i:02d}" for i in range(20)]
    rows = [dict.fromkeys(names, "same") | {"q00": str(i)} for i in range(4)]
    columns = {name: {"role": "quasi-identifier"} for name in names}
    recipe = recipe_of(columns, [], [("suppression", {"k": 2, "importance": names[1:]})])
    _, report = run(recipe, table_of(rows))
    assert report["steps"][0]["suppressed_cells"] == 4


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.sampled_from(["x", "y", "z", ""])] * 3, st.sampled_from("pq")), min_size=1, max_size=25
    ),
    st.integers(1, 4),
    st.sampled_from(
        [
            None,
            ("l-diversity", {"column": "s", "l": 2, "variant": "entropy"}),
            ("t-closeness", {"column": "s", "t": 0.3}),
            ("beta-likeness", {"column": "s", "beta": 0.6}),
        ]
    ),
    st.permutations(NAMES),
)
def test_looking_only_at_the_rows_left_finds_the_same(rows, k, goal, importance):
    columns = {name: {"role": "quasi-identifier"} for name in NAMES} | {"s": {"role": "sensitive"}}
    goals = [goal] if goal else []
    recipe = recipe_of(columns, goals, [("suppression", {"k": k, "importance": importance[:2]})], [])
    table = table_of([dict(zip((*NAMES, "s"), row, strict=True)) for row in rows])

    def released(quick):
        with mock.patch.object(suppression._Hiding, "_apart", quick):
            try:
                return run(recipe, table, keep_order=True)[0]
            except EngineError as refusal:
                return refusal.code

    assert released(True) == released(False)


def test_a_star_in_the_data_and_goals_about_the_release_take_the_longer_way():
    rows = [{"a": "*", "b": b} for b in "1233"] + [{"a": "x", "b": "1"}]
    columns = {name: {"role": "quasi-identifier"} for name in "ab"}
    for goal in (("k-anonymity", {"k": 2}), ("average-risk", {"limit": 0.5})):
        _, report = run(recipe_of(columns, [goal], [("suppression", {})]), table_of(rows))
        assert report["goals"][0]["holds"]


def test_goals_about_the_other_classes_take_the_longer_way():
    assert not suppression._judges_alone(KAnonymity(k=2, missing="wildcard"))
    assert not suppression._judges_alone(AverageRisk())
    assert suppression._judges_alone(KAnonymity(k=2))
    assert suppression._judges_alone(TCloseness(column="s"))


def test_the_order_in_which_sets_of_columns_are_tried():
    order = list(suppression.patterns(("few", "many", "some"), (), {"few": 2, "many": 9, "some": 5}))
    assert order[:3] == [frozenset({"many"}), frozenset({"some"}), frozenset({"few"})]
    strict = list(suppression.patterns(("few", "many", "some"), ("many",), {"few": 2, "many": 9, "some": 5}))
    assert strict.index(frozenset({"some", "few"})) < strict.index(frozenset({"many"}))


WILD = ("k-anonymity", {"k": 2, "missing": "wildcard"})


def agreeing(rows, k):
    """Whether every row agrees with k rows where both tell something; rows of stars alone do not count."""
    shown = [row for row in rows if row != ("*",) * 3] or rows
    return all(
        sum(all(x == y or {x, y} & {"", "*"} for x, y in zip(row, other, strict=True)) for other in shown)
        >= k
        for row in shown
    )


def tuples(released):
    return [tuple(row[name] for name in NAMES) for row in rows_of(released)]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from(["x", "y", "z", ""])] * 3), min_size=1, max_size=14),
    st.integers(1, 4),
    st.permutations(NAMES),
)
def test_a_goal_of_wildcards_holds_for_the_steps_own_k_and_no_cell_is_hidden_in_vain(rows, k, importance):
    if any(all(row[at] == "" for row in rows) for at in range(3)):
        return
    columns = {name: {"role": "quasi-identifier", "kind": "categorical"} for name in NAMES}
    recipe = recipe_of(columns, [WILD], [("suppression", {"k": k, "importance": importance[:1]})], [])
    table = table_of([dict(zip(NAMES, row, strict=True)) for row in rows])
    try:
        released, report = run(recipe, table, keep_order=True)
    except NoSolution:
        assert len(rows) < max(k, 2)
        return
    out = tuples(released)
    assert agreeing(out, max(k, 2))
    hidden = [(i, at) for i, row in enumerate(out) for at in range(3) if row[at] == "*"]
    assert report["steps"][0]["suppressed_cells"] == len(hidden)
    assert report["goals"][0]["holds"]
    alike = Counter(rows)
    for i, at in hidden:
        if alike[rows[i]] > 1 or out[i] == ("*",) * 3:
            continue  # rows that were alike are treated alike
        more = [list(row) for row in out]
        more[i][at] = rows[i][at]
        assert not agreeing([tuple(row) for row in more], max(k, 2))


def test_wildcards_hide_far_fewer_cells_than_stars_that_equal_only_stars():
    rows = [{"a": f"a{i % 7}", "b": f"b{i % 11}", "c": f"c{i % 13}"} for i in range(300)]
    columns = {name: {"role": "quasi-identifier"} for name in NAMES}
    recipes = [recipe_of(columns, goals, [("suppression", {"k": 5})], []) for goals in ([WILD], [])]
    wild, own = (run(recipe, table_of(rows))[1]["steps"][0]["suppressed_cells"] for recipe in recipes)
    with mock.patch("worker.engine.suppression.hiding.is_feasible", return_value=False):
        set_by_set = run(recipes[0], table_of(rows))[1]["steps"][0]["suppressed_cells"]
    assert wild < 0.8 * set_by_set
    assert set_by_set <= own


@pytest.mark.parametrize("more", [{"who": {"role": "person-key"}}, {}])
def test_persons_and_other_goals_beside_wildcards_hold_too(more):
    rows = [{"a": f"a{i % 5}", "b": f"b{i % 4}", "c": f"c{i % 3}", "who": f"p{i // 2}"} for i in range(60)]
    columns = {name: {"role": "quasi-identifier"} for name in NAMES} | more
    goals = [WILD] if more else [WILD, ("k-anonymity", {"k": 3})]
    _, report = run(recipe_of(columns, goals, [("suppression", {"k": 3})], []), table_of(rows))
    assert all(goal["holds"] for goal in report["goals"])
