"""Columns that leave: what they single out, what each adds, who answers where values moved."""

import random

import pytest

from tests.engine.measures.scenes import Case, figures_of, result_of
from tests.engine.running import recipe_of, table_of
from tests.engine.scan.brute_force import sets_of, told_apart
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.execution.assessing import assess
from worker.engine.measures.risk.kept_columns import KeptColumns
from worker.engine.tables.table import MemorySource

WHY = "measured in the laboratory only"
COLUMNS = {
    "sex": {"role": "quasi-identifier", "kind": "categorical"},
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "born": {"role": "other", "kind": "categorical"},
    "lab": {"role": "other", "kind": "categorical", "known": "no", "why": WHY},
    "ill": {"role": "sensitive", "kind": "categorical"},
}
KNOWN = ("sex", "town", "born")
LEAVING = (*KNOWN, "lab", "ill")


def random_case(seed):
    draw = random.Random(seed)
    rows = draw.choice([1, 2, 5, 12, 30])

    def cells(values):
        return [draw.choice(["", "*", *map(str, range(values))]) for _ in range(rows)]

    before = {name: cells(draw.choice([1, 3, 12])) for name in COLUMNS}
    after = {name: [text if draw.random() < 0.7 else "*" for text in texts] for name, texts in before.items()}
    kept = [draw.random() < 0.8 for _ in range(rows)]
    kept[0] = True
    return Case(COLUMNS, before, after, kept)


def cells_of(case):
    released = case.released()
    return {name: [row[name] for row in released] for name in LEAVING}


def gating(cells):
    """Unique rows divided by rows; those that are * throughout are no class, unless all are."""
    rows = list(zip(*(cells[name] for name in KNOWN), strict=True))
    shown = [row for row in rows if row != ("*",) * len(KNOWN)] or rows
    unique = sum(shown.count(row) == 1 for row in shown)
    return unique / len(shown), unique, len(shown)


@pytest.mark.parametrize("seed", range(45))
def test_figures_are_those_of_a_plain_comparison(seed):
    case = random_case(seed)
    found, cells = figures_of(KeptColumns(), case), cells_of(case)
    assert (found["unique_share"], found["unique_rows"], found["rows"]) == pytest.approx(gating(cells))
    assert (found["columns"], found["kept"]) == (3, 1)
    told = {names: told_apart(cells, LEAVING, names) for names in sets_of(LEAVING, 5)}
    quasi = told["sex", "town"][0]
    adds = {name: told["sex", "town", name][0] - quasi for name in LEAVING[2:]}
    assert found["adds"] == pytest.approx({"born": adds["born"]})
    assert found["would_add"] == pytest.approx({"lab": adds["lab"], "ill": adds["ill"]})
    assert found["all_share"] == pytest.approx(told[LEAVING][0])
    for at, figure in enumerate(("singled_out", "distinction", "separation")):
        wanted = {" + ".join(names): told[names][at] for names in sets_of(LEAVING, 3)}
        assert found[figure] == pytest.approx(wanted)
    enough = [len(names) for names in sets_of(LEAVING, 3) if told[names][0] >= 0.05]
    assert found["smallest_set_size"] == min(enough, default=None)
    assert (found["others_at_most"], found["error"]) == (0, 0)


def test_a_column_declared_unknown_is_told_with_its_reason_and_does_not_count():
    rows = [{"q": "a", "lab": str(number), "ill": "no"} for number in range(4)]
    lab = {"role": "other", "known": "no", "why": WHY}
    columns = {"q": {"role": "quasi-identifier"}, "lab": lab, "ill": {"role": "sensitive"}}
    found = assessed(rows, columns)["before"]
    assert (found["unique_share"], found["columns"], found["kept"]) == (0, 1, 0)
    assert found["would_add"] == {"lab": 1.0, "ill": 0.0}
    assert found["unknown"] == {"lab": WHY}
    assert found["smallest_sets"] == "lab (100\u00a0%)"
    columns["lab"] = {"role": "other"}
    found = assessed(rows, columns)["before"]
    assert (found["unique_share"], found["adds"], found["unknown"]) == (1.0, {"lab": 1.0}, {})


def assessed(rows, columns):
    report = assess(recipe_of(columns, measures=["kept-columns"]), MemorySource(table_of(rows)))
    return report.as_dict()["measures"][0]


def test_where_nobody_could_know_a_column_there_is_nothing_to_look_up():
    columns = {"lab": {"role": "other", "known": "no", "why": WHY}}
    result = assessed([{"lab": "1"}, {"lab": "2"}], columns)
    assert (result["state"], result["before"]) == ("does-not-apply", None)
    assert "declared unknown" in result["reason"]


def test_persons_are_singled_out_instead_of_their_rows():
    columns = {"q": {"role": "quasi-identifier"}, "p": {"role": "person-key"}}
    rows = [{"q": q, "p": p} for q, p in (("a", "1"), ("a", "1"), ("b", "1"), ("b", "2"), ("b", "3"))]
    found = assessed(rows, columns)["before"]
    assert (found["unique_rows"], found["unique_share"]) == (1, pytest.approx(1 / 3))
    assert found["singled_out"] == pytest.approx({"q": 1 / 3})
    assert found["distinction"] == {"q": 2 / 4}, "equal rows of a person count once"


def test_a_weight_counts_where_it_leaves():
    rows = [{"q": "a", "w": str(number)} for number in range(1, 5)]
    columns = {"q": {"role": "quasi-identifier"}, "w": {"role": "weight", "release": True}}
    found = assessed(rows, columns)["before"]
    assert (found["would_add"], found["unique_share"]) == ({"w": 1.0}, 0)
    columns["w"] = {"role": "weight"}
    assert assessed(rows, columns)["before"]["would_add"] == {}


def moved(**traces):
    case = random_case(3)
    case.traces = dict.fromkeys(COLUMNS, Trace.KEPT) | {name: Trace(one) for name, one in traces.items()}
    return case


@pytest.mark.parametrize("trace", [Trace.PERTURBED, Trace.EXCHANGED, Trace.MADE_UP])
def test_columns_whose_values_moved_are_left_out_and_named(trace):
    case = moved(town=trace)
    found = figures_of(KeptColumns(), case)
    assert found["left_out"] == {"town": str(trace)}
    assert found["columns"] == 2
    assert not any("town" in name for name in found["singled_out"])
    assert figures_of(KeptColumns(), moved(town=Trace.COARSER))["left_out"] == {}


@pytest.mark.parametrize(
    ("trace", "who"),
    [(Trace.PERTURBED, "record linkage answers"), (Trace.MADE_UP, "hold-out distances answer")],
)
def test_where_all_values_moved_another_measure_answers(trace, who):
    result = result_of(KeptColumns(), moved(sex=trace, town=trace, born=trace, lab=trace))
    assert result.state is State.DOES_NOT_APPLY
    assert result.reason is not None
    assert who in result.reason


def test_a_release_that_makes_columns_coarser_never_adds_more():
    case = random_case(12)
    before, after = result_of(KeptColumns(), case).before, figures_of(KeptColumns(), case)
    assert before is not None
    case.kept = []
    case.after = {name: ["*"] * case.rows for name in COLUMNS}
    gone = figures_of(KeptColumns(), case)
    assert gone["all_share"] == 0
    assert before["all_share"] >= gone["all_share"] <= after["all_share"]


def test_one_column_kept_exact_beside_a_coarse_rest_is_caught():
    """The file that looked safe by its tags: sex alone tagged, everything else kept."""
    rows = 60
    cells = {name: ["x"] * rows for name in COLUMNS} | {"born": [str(number) for number in range(rows)]}
    found = figures_of(KeptColumns(), Case(COLUMNS, cells, cells))
    assert (found["unique_share"], found["adds"]) == (1.0, {"born": 1.0})
    assert found["smallest_sets"] == "born (100\u00a0%)"
