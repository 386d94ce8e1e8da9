"""A row per column: what the steps announced, and every figure per column that is declared for the table."""

from __future__ import annotations

from typing import Any

import pytest

from stewardapp.models import Run
from stewardapp.presenters.column_table import Cell, cell, column_table, happened, known_words
from stewardapp.presenters.measures import figure_of
from tests import factories
from worker.engine.contracts.facts import Changed, Facts, Generalized
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.result import Result
from worker.engine.marginals.distributions import share_chart

NO_BREAK = "\u00a0"
LEVELS = Facts(levels=Generalized({"age": 2, "sex": 0}, {"age": 3, "sex": 1}))
MOVED = Facts(changed=Changed({"age": 200}, {"age": 50}))
SHARES = [{"value": "one", "before": 0.5, "after": 0.5}, {"value": "two", "before": 0.5, "after": 0.5}]


@pytest.mark.parametrize(
    ("name", "trace", "facts", "words"),
    [
        ("age", "coarser", [LEVELS], f"coarser, level{NO_BREAK}2 of{NO_BREAK}3"),
        ("sex", "coarser", [LEVELS], f"kept, level{NO_BREAK}0 of{NO_BREAK}1"),
        ("age", None, [LEVELS], f"coarser, level{NO_BREAK}2 of{NO_BREAK}3"),
        ("age", "perturbed", [LEVELS, MOVED], f"moved: 25{NO_BREAK}% of cells differ"),
        ("age", "exchanged", [MOVED], f"exchanged between rows: 25{NO_BREAK}% of cells differ"),
        ("age", "coarser", [], "coarser"),
        ("zip", "made up", [LEVELS], "made up"),
        ("zip", "kept", [], "kept"),
        ("age", None, [MOVED], f"25{NO_BREAK}% of cells differ"),
        ("zip", None, [], ""),
    ],
)
def test_what_happened_is_what_the_steps_announced(name: str, trace: Any, facts: Any, words: str) -> None:
    assert happened(name, trace, facts) == words


def test_a_kept_column_says_whether_others_could_know_it() -> None:
    kept = {"role": "other", "known": "no", "why": "measured in the laboratory"}
    assert known_words(kept) == "known to others: no: measured in the laboratory"
    assert known_words({"role": "other"}) == ""
    assert known_words({**kept, "role": "sensitive"}) == ""


def result_of(before: Any, after: Any) -> Result:
    return Result("m#1", "m", "risk", {}, before=before, after=after)


def test_a_cell_shows_both_sides_where_they_differ_and_a_bar_for_a_share() -> None:
    share = Figure("s", "S", ".", unit="share", per="column")
    count = Figure("n", "N", ".", unit="count", per="column")
    both = result_of({"n": {"age": 9, "sex": 2}}, {"n": {"age": 3, "sex": 2}, "s": {"age": 0.5}})
    assert cell(both, count, "age") == Cell("9 → 3")
    assert cell(both, count, "sex") == Cell("2")
    assert cell(both, share, "age") == Cell(f"50{NO_BREAK}%", 50)
    assert cell(both, share, "sex") == Cell("")


@pytest.fixture
def run(db: None) -> Run:
    made = factories.make_succeeded_run(factories.make_release(factories.make_project()))
    moved = factories.result(
        "marginals",
        "utility",
        before={"distinct": {"age": 40}},
        after={"distinct": {"age": 4}, "total_variation": {"age": 0.5}},
        charts=[share_chart("age", SHARES).as_dict()],
    )
    unknown = factories.result("of-the-future", "risk", after={"by_column": {"age": 0.5}})
    schema = [{"name": name, "kind": "integer", "role": "quasi-identifier"} for name in ("age", "zip")]
    output = {**made.report["output"], "schema": schema}
    factories.rewrite(made, report={**made.report, "output": output, "measures": [moved, unknown]})
    made.refresh_from_db()
    return made


def test_the_columns_of_the_table_are_those_that_figures_declare(run: Run) -> None:
    table = column_table(factories.seen(run), "", internal=True)
    assert [head.title for head in table.heads] == [figure_of("marginals", "distinct").title]
    age, place = table.lines
    assert (age.name, [one.words for one in age.cells]) == ("age", ["40 → 4"])
    assert [one.words for one in place.cells] == [""]
    assert age.counted == ("4 distinct",)
    assert table.chosen is not None
    assert table.chosen.line is age
    assert [one.title for one in table.chosen.pictures] == ["Shares of age"]
    assert {title for title, _, _ in table.chosen.figures} == {"Distinct", "Total variation"}


def test_a_column_can_be_chosen_and_one_that_is_not_there_is_the_first(run: Run) -> None:
    seen = factories.seen(run)
    chosen = [column_table(seen, name, internal=True).chosen for name in ("zip", "no such column")]
    assert [one.line.name for one in chosen if one] == ["zip", "age"]


def test_shapes_of_values_are_for_those_who_may_look_into_the_data(run: Run) -> None:
    seen = factories.seen(run)
    assert column_table(seen, "age", internal=True).drawn
    closed = column_table(seen, "age", internal=False)
    assert not closed.drawn
    assert closed.chosen is not None
    assert not closed.chosen.pictures


def test_a_report_that_knows_no_columns_shows_an_empty_table(run: Run) -> None:
    factories.rewrite(run, report={"steps": []})
    run.refresh_from_db()
    table = column_table(factories.seen(run), "age", internal=True)
    assert (table.lines, table.chosen) == ((), None)
