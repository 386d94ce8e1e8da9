"""The search against brute force, and the worked example of the lectures."""

import csv
import io
import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import figures_of, recipe_of, rows_of, run, table_of
from worker.engine.errors import EngineError, NoSolution
from worker.engine.search.obstacles import share_of
from worker.engine.search.optimal import Search
from worker.engine.verification import examine

LECTURE = """Ethnicity,Birth,Gender,ZIP,Condition
Black,1965,M,02141,short breath
Black,1965,M,02142,chest pain
Black,1965,F,02131,hypertension
Black,1965,F,02132,hypertension
Black,1964,F,02131,obesity
Black,1964,F,02132,chest pain
White,1964,M,02131,chest pain
White,1964,M,02132,obesity
White,1964,M,02133,short breath
White,1967,M,02131,chest pain
White,1967,M,02132,chest pain
"""
QIS = ("Ethnicity", "Birth", "Gender", "ZIP")


def lecture():
    return table_of(list(csv.DictReader(io.StringIO(LECTURE))))


def lecture_columns():
    columns = {name: {"role": "quasi-identifier"} for name in QIS}
    columns["ZIP"]["hierarchy"] = {"builder": "mask", "side": "right"}
    columns["Condition"] = {"role": "sensitive"}
    return columns


@pytest.mark.parametrize(("drop", "told"), [(True, "are left out"), (False, "show * in every")])
def test_the_codebook_names_what_is_coarser_and_what_is_missing(drop, told):
    few = {"suppression_limit": 0.2, "levels": {"ZIP": [1, 1]}, "drop_suppressed": drop}
    recipe = recipe_of(lecture_columns(), [("k-anonymity", {"k": 3})], [("generalization", few)])
    step = run(recipe, lecture())[1]["steps"][0]
    coarser, missing = step["codebook"]
    assert coarser.startswith(f"{', '.join(name for name in QIS if step['levels'][name])}: coarser")
    assert step["suppressed_rows"] > 0
    assert told in missing
    kept = recipe_of(lecture_columns(), [("k-anonymity", {"k": 1})], [("generalization", {})])
    assert run(kept, lecture())[1]["steps"][0]["codebook"] == []


def test_the_lecture_table_has_one_minimal_two_anonymous_generalization():
    recipe = recipe_of(lecture_columns(), [("k-anonymity", {"k": 2})], [("generalization", {})])
    released, report = run(recipe, lecture(), nodes=True)
    step = report["steps"][0]
    assert step["minimal_nodes"] == [{"Ethnicity": 0, "Birth": 0, "Gender": 0, "ZIP": 1}]
    assert step["levels"] == {"Ethnicity": 0, "Birth": 0, "Gender": 0, "ZIP": 1}
    assert step["optimal"]
    assert {row["ZIP"] for row in rows_of(released)} == {"0214*", "0213*"}
    assert report["goals"][0]["achieved"] == 2


@pytest.mark.parametrize(
    ("node", "holds"), [((0, 0, 1, 0), False), ((0, 0, 1, 1), True), ((0, 0, 0, 1), True)]
)
def test_the_nodes_shown_in_the_lecture(node, holds):
    levels = {name: [level, level] for name, level in zip(QIS, node, strict=True)}
    recipe = recipe_of(
        lecture_columns(), [("k-anonymity", {"k": 2})], [("generalization", {"levels": levels})]
    )
    if holds:
        assert run(recipe, lecture())[1]["goals"][0]["holds"]
    else:
        with pytest.raises(NoSolution):
            run(recipe, lecture())


# -- brute force: plain Python, sharing nothing with the search

VALUES = ("a", "b", "c", "d")
TREES = (
    {"a": ("x", "*"), "b": ("x", "*"), "c": ("y", "*"), "d": ("y", "*")},
    {"a": ("x", "xy", "*"), "b": ("x", "xy", "*"), "c": ("y", "xy", "*"), "d": ("z", "z", "*")},
    {"a": ("*",), "b": ("*",), "c": ("*",), "d": ("*",)},
)


@st.composite
def problems(draw):
    width = draw(st.integers(1, 3))
    trees = [draw(st.sampled_from(TREES)) for _ in range(width)]
    size = draw(st.integers(1, 14))
    rows = [tuple(draw(st.sampled_from(VALUES)) for _ in range(width)) for _ in range(size)]
    secrets = [draw(st.sampled_from("pqr")) for _ in range(size)]
    goals = draw(
        st.lists(
            st.sampled_from(
                [
                    ("k", 1),
                    ("k", 2),
                    ("k", 3),
                    ("distinct", 2),
                    ("entropy", 2),
                    ("recursive", 2),
                ]
            ),
            min_size=1,
            max_size=2,
            unique=True,
        )
    )
    return trees, rows, secrets, goals, draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))


def ok(goal, values):
    kind, need = goal
    counts = sorted(Counter(values).values(), reverse=True)
    if kind == "k":
        return len(values) >= need
    if kind == "distinct":
        return len(counts) >= need
    if kind == "entropy":  # in whole numbers: a class that is evenly filled meets its l exactly
        return len(values) ** len(values) >= need ** len(values) * math.prod(n**n for n in counts)
    return len(counts) >= need and counts[0] < 3 * sum(counts[need - 1 :])


def classes_at(trees, rows, secrets, node):
    classes = defaultdict(list)
    for row, secret in zip(rows, secrets, strict=True):
        label = tuple((v, *t[v])[level] for v, t, level in zip(row, trees, node, strict=True))
        classes[label].append(secret)
    return classes


def judge(trees, rows, secrets, goals, limit, node):
    """(feasible, suppressed rows, loss) of one node."""
    classes = classes_at(trees, rows, secrets, node)
    bad = {label for label, values in classes.items() if not all(ok(goal, values) for goal in goals)}
    hidden = sum(len(classes[label]) for label in bad)
    feasible = hidden <= limit
    if len(bad) == len(classes):
        feasible = feasible and all(ok(goal, secrets) for goal in goals)
    losses = []
    for at, (tree, level) in enumerate(zip(trees, node, strict=True)):
        cover = Counter((v, *tree[v])[level] for v in tree)
        total = sum(
            len(values) * (1 if label in bad else cover[label[at]] / len(tree))
            for label, values in classes.items()
        )
        n = len(rows)
        losses.append(max(total - n / len(tree), 0) / (n - n / len(tree)))
    return feasible, hidden, sum(losses) / len(losses)


def goal_params(goal):
    kind, need = goal
    if kind == "k":
        return ("k-anonymity", {"k": need})
    return ("l-diversity", {"column": "secret", "l": need, "variant": kind, "c": 3})


@settings(max_examples=250, deadline=None)
@given(problems())
def test_the_search_equals_brute_force(problem):
    trees, rows, secrets, goals, limit = problem
    names = [f"q{i}" for i in range(len(trees))]
    columns = {
        name: {"role": "quasi-identifier", "hierarchy": [";".join((v, *path)) for v, path in tree.items()]}
        for name, tree in zip(names, trees, strict=True)
    }
    columns["secret"] = {"role": "sensitive"}
    table = table_of(
        [dict(zip([*names, "secret"], (*r, s), strict=True)) for r, s in zip(rows, secrets, strict=True)]
    )
    recipe = recipe_of(
        columns,
        [goal_params(g) for g in goals],
        [("generalization", {"suppression_limit": limit})],
        measures=[],
    )
    allowed = math.floor(limit * len(rows))
    heights = [len(next(iter(tree.values()))) for tree in trees]
    nodes = list(itertools.product(*(range(h + 1) for h in heights)))
    judged = {node: judge(trees, rows, secrets, goals, allowed, node) for node in nodes}
    feasible = [node for node in nodes if judged[node][0]]
    if not feasible:
        with pytest.raises(NoSolution):
            run(recipe, table)
        return
    released, report = run(recipe, table, nodes=True)
    step = report["steps"][0]
    chosen = tuple(step["levels"].values())
    best = min(judged[node][2] for node in feasible)
    assert chosen in feasible
    assert step["score"] == pytest.approx(best, abs=1e-9)
    assert step["suppressed_rows"] == judged[chosen][1]
    minimal = {
        node
        for node in feasible
        if not any(o != node and all(a <= b for a, b in zip(o, node, strict=True)) for o in feasible)
    }
    assert {tuple(node.values()) for node in step["minimal_nodes"]} == minimal
    assert step["nodes"] == len(nodes)
    check_released(released, names, goals)
    assert all(goal["holds"] for goal in report["goals"])


def check_released(released, names, goals):
    """The goals hold on the bytes, by a count of plain texts."""
    classes = defaultdict(list)
    for row in rows_of(released):
        classes[tuple(row[name] for name in names)].append(row["secret"])
    stars = ("*",) * len(names)
    if len(classes) > 1:
        classes.pop(stars, None)
    assert all(ok(goal, values) for values in classes.values() for goal in goals)


# -- behaviour


def test_nodes_are_listed_when_somebody_asks_and_cost_nothing_when_nobody_does(monkeypatch):
    recipe = recipe_of(lecture_columns(), [("k-anonymity", {"k": 2})], [("generalization", {})])
    listed = run(recipe, lecture(), nodes=True)[1]["steps"][0]
    assert (listed["minimal_complete"], listed["not_listed"]) == (True, None)
    assert len(listed["explored"]) > 1
    best = next(one for one in listed["explored"] if one["levels"] == listed["levels"])
    assert [best[name] for name in ("classes", "smallest_class", "suppressed_rows")] == [
        listed[name] for name in ("classes", "smallest_class", "suppressed_rows")
    ]
    assert all((one["classes"] is not None) is one["feasible"] for one in listed["explored"])
    monkeypatch.setattr(Search, "list_minimal", None)
    step = run(recipe, lecture())[1]["steps"][0]
    assert (step["minimal_nodes"], step["explored"], step["minimal_complete"]) == ([], [], False)
    assert "--nodes" in step["not_listed"]
    assert [step[name] for name in ("levels", "score", "nodes")] == [
        listed[name] for name in ("levels", "score", "nodes")
    ]


def simple(rows, **params):
    columns = {"q": {"role": "quasi-identifier"}, "other": {"role": "other"}}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", params)])
    return run(recipe, table_of(rows))


def test_suppressed_rows_stay_with_stars_or_are_left_out():
    rows = [{"q": q, "other": str(i)} for i, q in enumerate("aaabbc")]
    kept, report = simple(rows, suppression_limit=0.2)
    assert sorted(row["q"] for row in rows_of(kept)) == ["*", "a", "a", "a", "b", "b"]
    assert figures_of(report, "reidentification")["suppressed_rows"] == 1
    assert report["goals"][0]["suppressed_hold"] is False
    dropped, report = simple(rows, suppression_limit=0.2, drop_suppressed=True)
    assert sorted(row["q"] for row in rows_of(dropped)) == ["a", "a", "a", "b", "b"]
    assert (report["input"]["rows"], report["output"]["rows"]) == (6, 5)


@pytest.mark.parametrize(("limit", "level", "hidden"), [(0.4, 1, 2), (0.39, 2, 0)])
@pytest.mark.parametrize("drop", [False, True])
def test_rows_that_the_hierarchy_alone_hides_are_suppressed_rows(limit, level, hidden, drop):
    lines = ["a;*;*", "b;g;*", "c;g;*"]
    columns = {"q": {"role": "quasi-identifier", "hierarchy": lines}}
    params = {"suppression_limit": limit, "drop_suppressed": drop}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 3})], [("generalization", params)])
    released, report = run(recipe, table_of([{"q": value} for value in "aabbc"]), nodes=True)
    step = report["steps"][0]
    assert (step["levels"], step["suppressed_rows"]) == ({"q": level}, hidden)
    assert (step["classes"], step["smallest_class"]) == (1, 5 - hidden)
    assert step["minimal_nodes"] == [{"q": level}]
    assert len(rows_of(released)) == 5 - hidden * drop
    assert examine(recipe, io.BytesIO(released)).suppressed_rows == hidden * (not drop)


def test_the_limit_is_taken_as_written():
    """0.29 × 100 is 28.999… in binary, but 29 rows are allowed."""
    rows = [{"q": "a", "other": ""}] * 71 + [{"q": f"rare {i}", "other": ""} for i in range(29)]
    _, report = simple(rows, suppression_limit=0.29)
    assert report["steps"][0]["suppressed_rows"] == 29


def test_k_larger_than_the_table_is_no_solution_and_says_so():
    columns = {"q": {"role": "quasi-identifier"}}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 50})], [("generalization", {"suppression_limit": 1})])
    with pytest.raises(NoSolution, match="10 rows"):
        run(recipe, table_of([{"q": str(i)} for i in range(10)]))


def test_a_missing_value_is_a_value_of_its_own():
    rows = [{"q": q, "other": ""} for q in ("", "", "a", "a", "")]
    released, report = simple(rows)
    assert report["steps"][0]["levels"] == {"q": 0}
    assert report["steps"][0]["smallest_class"] == 2
    assert sorted(row["q"] for row in rows_of(released)) == ["", "", "", "a", "a"]


def test_bounds_of_levels_are_kept():
    rows = [{"q": q, "other": ""} for q in "aabb"]
    _, report = simple(rows, levels={"q": [1, 1]})
    assert report["steps"][0]["levels"] == {"q": 1}
    with pytest.raises(EngineError, match="no level above 1") as caught:
        simple(rows, levels={"q": [3, 4]})
    assert caught.value.param == "steps[0].params.levels"


def test_a_lattice_too_large_is_refused_with_a_way_out():
    names = [f"q{i}" for i in range(64)]
    columns = {name: {"role": "quasi-identifier"} for name in names}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", {})])
    with pytest.raises(EngineError, match="fewer quasi-identifiers") as caught:
        run(recipe, table_of([dict.fromkeys(names, v) for v in "aabb"]))
    assert caught.value.code == "lattice-too-large"


def test_sixty_four_columns_in_few_nodes_do_not_overflow():
    """The packed key of 64 columns exceeds 64 bits many times over."""
    names = [f"q{i}" for i in range(64)]
    rows = [{name: str((i * 31 + j * 7) % 5) for j, name in enumerate(names)} for i in range(20)] * 2
    columns = {name: {"role": "quasi-identifier"} for name in names}
    levels = {name: [0, 0] for name in names}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", {"levels": levels})])
    _, report = run(recipe, table_of(rows))
    assert report["goals"][0]["achieved"] == 40 / len({tuple(r.values()) for r in rows})


def test_with_a_person_key_classes_count_persons():
    rows = [{"q": "a", "pid": "1"}, {"q": "a", "pid": "1"}, {"q": "b", "pid": "2"}, {"q": "b", "pid": "3"}]
    columns = {"q": {"role": "quasi-identifier"}, "pid": {"role": "person-key"}}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", {})])
    released, report = run(recipe, table_of(rows))
    assert report["steps"][0]["levels"] == {"q": 1}
    assert report["goals"][0]["unit"] == "person"
    assert report["goals"][0]["achieved"] == 3
    assert "pid" not in rows_of(released)[0]
    explored = run(recipe, table_of(rows), nodes=True)[1]["steps"][0]["explored"]
    (chosen,) = [one for one in explored if one["levels"] == {"q": 1}]
    assert [chosen[name] for name in ("classes", "smallest_class", "in_classes")] == [1, 3, 3]


def test_benign_values_need_no_protection():
    rows = [
        {"q": "a", "s": "healthy"},
        {"q": "a", "s": "healthy"},
        {"q": "b", "s": "flu"},
        {"q": "b", "s": "ulcer"},
    ]
    columns = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}
    params = {"column": "s", "l": 2}
    for benign, level in (([], 1), (["healthy"], 0)):
        recipe = recipe_of(columns, [("l-diversity", {**params, "benign": benign})], [("generalization", {})])
        assert run(recipe, table_of(rows))[1]["steps"][0]["levels"] == {"q": level}


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ("aecs", 6 / 3),
        ("discernibility", 9 + 4 + 6 * 1),
        ("discernibility-star", 9 + 4 + 1),
        ("ambiguity", 5 * 1 + 1 * 3),
        ("precision", 1 / 6),
        ("height", 0.0),
        ("entropy", 0.0),
        ("loss", ((5 * 1 / 3 + 1) - 6 / 3) / (6 - 6 / 3)),
    ],
)
def test_objectives_by_hand(objective, expected):
    """Three a, two b, one suppressed c, at level 0 of a hierarchy with three rows."""
    rows = [{"q": q, "other": ""} for q in "aaabbc"]
    _, report = simple(rows, suppression_limit=0.2, objective=objective, levels={"q": [0, 0]})
    assert report["steps"][0]["score"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("arithmetic-mean", 0.5),
        ("geometric-mean", math.sqrt(2) - 1),
        ("max", 1.0),
        ("sum", 1.0),
        ("rank", [1.0, 0.0]),
    ],
)
def test_aggregates_by_hand(aggregate, expected):
    rows = [{"p": v, "q": v} for v in "aabb"]
    columns = {name: {"role": "quasi-identifier"} for name in "pq"}
    params = {"aggregate": aggregate, "levels": {"p": [0, 0], "q": [1, 1]}}
    _, report = run(
        recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", params)]), table_of(rows)
    )
    assert report["steps"][0]["score"] == pytest.approx(expected, abs=1e-9)


def refusal(goals, limit, rows, levels=None):
    columns = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}, "u": {"role": "sensitive"}}
    params = {"suppression_limit": limit, "levels": levels or {}}
    table = table_of([dict(zip("qsu", row, strict=True)) for row in rows])
    with pytest.raises(NoSolution) as caught:
        run(recipe_of(columns, goals, [("generalization", params)], []), table)
    return caught.value


TEN = [("a", "x", "1")] * 6 + [("b", "y", "1")] * 3 + [("c", "x", "2")]


def test_the_goal_in_the_way_is_named_with_what_comes_nearest():
    found = refusal([("l-diversity", {"column": "s", "l": 2}), ("k-anonymity", {"k": 11})], 0.1, TEN)
    assert found.param == "goals[1]"
    assert "k-anonymity" in found.message
    assert "11 that can be reached there is 10." in found.message
    assert "More suppression does not help" in found.message


MENDED = [
    ([("k-anonymity", {"k": 4})], 0.1, {"q": (0, 0)}, [("suppression_limit", 0.4), ("k", 3)]),
    ([("k-anonymity", {"k": 11})], 0.1, None, [("k", 10)]),
    ([("l-diversity", {"column": "s", "l": 2})], 0.0, {"q": (0, 0)}, []),
    ([("l-diversity", {"column": "u", "l": 3})], 0.0, None, [("l", 2)]),
    ([("t-closeness", {"column": "s", "t": 0.01})], 0.0, {"q": (0, 0)}, [("t", 0.7)]),
    ([("k-anonymity", {"k": 4}), ("t-closeness", {"column": "s", "t": 0.01})], 0.1, {"q": (0, 0)}, []),
]


@pytest.mark.parametrize(("goals", "limit", "levels", "offered"), MENDED)
def test_what_is_offered_would_have_had_a_solution(goals, limit, levels, offered):
    found = refusal(goals, limit, TEN, levels)
    assert [(mend.param, mend.value) for mend in found.mends] == offered
    for mend in found.mends:
        params = {"suppression_limit": limit, "levels": levels or {}}
        changed = [(name, dict(said)) for name, said in goals]
        (params if mend.part == "step" else changed[mend.at][1])[mend.param] = mend.value
        columns = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}, "u": {"role": "sensitive"}}
        table = table_of([dict(zip("qsu", row, strict=True)) for row in TEN])
        run(recipe_of(columns, changed, [("generalization", params)], []), table)


@given(rows=st.integers(1, 3_000_000), part=st.floats(0, 1))
def test_the_share_offered_lets_so_many_rows_go(rows, part):
    wanted = max(1, round(part * rows))
    share = share_of(wanted, rows)
    assert Fraction(repr(share)) * rows >= wanted
    assert (Fraction(repr(share)) - Fraction(2, 10_000)) * rows < wanted


def test_with_bounded_levels_the_nearest_counts_what_may_be_suppressed():
    found = refusal([("k-anonymity", {"k": 4})], 0.1, TEN, {"q": (0, 0)})
    assert "4 of 10 rows would have to be suppressed, where 1 may be" in found.message
    assert "can be reached there is 3." in found.message
    assert "4 rows, a share of 0.4000, would do" in found.message


def test_goals_that_are_possible_only_one_by_one_say_so():
    goals = [("l-diversity", {"column": "s", "l": 2}), ("l-diversity", {"column": "u", "l": 2})]
    rows = [("a", "x", "1"), ("a", "x", "2"), ("b", "x", "1"), ("b", "y", "1")] + [("c", "x", "1")] * 0
    found = refusal(goals, 0.5, rows, {"q": (0, 0)})
    assert "satisfies all goals" in found.message
    assert found.param == "goals[0]"
    assert "weaken the goal" in found.message


def test_a_refusal_quotes_no_value():
    rows = [("s3cret", "pr1vate", "1"), ("b", "x", "2")]
    found = refusal([("t-closeness", {"column": "s", "t": 0})], 0, rows, {"q": (0, 0)})
    assert "s3cret" not in found.message
    assert "pr1vate" not in found.message


def test_a_column_that_counts_less_is_generalized_rather():
    """Either column alone makes two of two; the weights say which, and a column not named weighs 0.5."""
    rows = [{"a": a, "b": b} for a in "xy" for b in "12"]
    columns = {name: {"role": "quasi-identifier"} for name in "ab"}
    for objective in ("loss", "entropy", "precision", "height"):
        for weights, levels in (({"a": 0.1}, {"a": 1, "b": 0}), ({"a": 0.9}, {"a": 0, "b": 1})):
            params = {"objective": objective, "weights": weights}
            recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", params)], [])
            _, report = run(recipe, table_of(rows))
            assert report["steps"][0]["levels"] == levels


def test_weights_are_relative_to_the_largest():
    """Height 1 of the column that counts a third of the other."""
    rows = [{"a": a, "b": "1"} for a in "xy"]
    columns = {name: {"role": "quasi-identifier"} for name in "ab"}
    params = {"objective": "height", "weights": {"a": 0.2, "b": 0.6}}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", params)], [])
    assert run(recipe, table_of(rows))[1]["steps"][0]["score"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "params",
    [{"weights": {"a": -1}}, {"weights": {"none": 1}}, {"weights": {"a": "much"}}],
)
def test_weights_that_mean_nothing_are_refused(params):
    recipe_parts = ({"a": {"role": "quasi-identifier"}}, [("k-anonymity", {"k": 1})])
    with pytest.raises(EngineError) as caught:
        run(recipe_of(*recipe_parts, [("generalization", params)], []), table_of([{"a": "x"}]))
    assert "weights" in str(caught.value.param)
