"""The codebook that is published with a file: columns, what was done, the figures needed to work with it."""

import numpy as np
import pytest

from tests.engine.running import recipe_of, run, table_of
from worker.engine import catalogue
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.recipes import codebook


def told(method: str, params: dict, labels: dict | None = None) -> tuple[str, dict]:
    recipe = recipe_of(sample_columns(), [], [(method, params)], [])
    _, report = run(recipe, sample_table())
    return codebook.written(recipe, report, labels or {}), report["steps"][0]


def table_after(text: str, title: str) -> list[list[str]]:
    """The rows of the first table below a title."""
    lines = text[text.index(title) :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [rows[0], *rows[2:]]


def test_the_matrix_in_the_codebook_leads_back_to_the_estimates():
    text, facts = told("pram", {"column": "disease", "keep": 0.7})
    matrix = np.array([[float(x) for x in row[1:]] for row in table_after(text, "Transition matrix")[1:]])
    estimates = table_after(text, "Original frequencies of disease")
    assert estimates[0] == ["disease", "Released", "Estimated original", "Estimated original ±"]
    released = np.array([float(row[1]) for row in estimates[1:]])
    assert matrix.sum(axis=1) == pytest.approx(1, abs=1e-8)
    back = released @ np.linalg.inv(matrix)
    assert back == pytest.approx([float(row[2]) for row in estimates[1:]], abs=1e-4)
    errors = np.array(facts["standard_errors"]) * 1.96
    assert errors == pytest.approx([float(row[3]) for row in estimates[1:]], rel=1e-3)


def test_a_matrix_made_from_the_data_is_rounded_before_it_is_published():
    text, facts = told("pram", {"column": "disease", "keep": 0.7137, "invariant": True})
    shown = [cell for row in table_after(text, "Transition matrix")[1:] for cell in row[1:]]
    assert max(len(cell.partition(".")[2]) for cell in shown) == 3
    assert max(len(f"{cell:.9f}".rstrip("0")) for row in facts["matrix"] for cell in row) > 6
    assert "rounded to 3 digits" in text


def test_local_privacy_is_told_and_said_not_to_be_charged():
    params = {"column": "disease", "categories": ["asthma", "flu", "none", "ulcer"], "epsilon": "1"}
    text, facts = told("randomized-response", params)
    assert "ε = 1 per answer" in text
    assert "no privacy budget is charged" in text
    assert f"± {facts['error95_central']:.3g}" in text
    text, _ = told("pram", {"column": "disease", "keep": 0.7})
    assert "no privacy budget is charged" in text
    assert "ε = 1.946" in text  # ln(0.7 / 0.1)


def test_columns_are_those_that_leave_with_their_meaning():
    text, _ = told("pseudonyms", {"column": "name", "key": "release"}, {"age": "Age in | years"})
    rows = {row[0]: row for row in table_after(text.replace("\\|", "/"), "## Columns")[1:]}
    assert "weight" not in rows
    assert rows["name"][2] == "text"
    assert rows["age"][1] == "Age in / years"


def test_how_far_a_column_was_generalized_is_said():
    recipe = recipe_of(sample_columns(), [("k-anonymity", {"k": 3})], [("generalization", {})], [])
    _, report = run(recipe, sample_table())
    lines = {line.name: line.treatment for line in codebook.column_lines({}, report, {})}
    heights, levels = report["steps"][0]["heights"], report["steps"][0]["levels"]
    for name, level in levels.items():
        whole = level and level == heights[name]
        wanted = (
            "suppressed" if whole else f"level {level} of {heights[name]}" if level else "not generalized"
        )
        assert wanted in lines[name]


def test_a_report_of_an_older_engine_still_gives_a_codebook():
    recipe = recipe_of(sample_columns(), [], [("pram", {"column": "disease"})], [])
    text = codebook.written(recipe, {"steps": [{"method": "pram"}]}, {})
    assert "| disease |" in text
    assert "| name |" not in text


@pytest.mark.parametrize("cls", [c for c in catalogue.methods().values() if c.presets()])
def test_every_chart_of_a_step_stays_within_its_table(cls):
    for example in cls.examples():
        goals = [("k-anonymity", {"k": 2})] if cls.enforces else []
        recipe = recipe_of(sample_columns(), goals, [(cls.slug, example.params())], [])
        _, report = run(recipe, sample_table())
        for chart in example.charts(report["steps"][0]):
            assert not chart.internal
            assert chart.note.endswith(".")


def test_the_values_of_the_file_are_listed_and_a_column_of_stars_is_suppressed():
    """Only what the file holds: no value that was generalized away, and no number."""
    columns = {
        "city": {
            "role": "quasi-identifier",
            "kind": "categorical",
            "hierarchy": ["Rome;south;*", "Oslo;north;*"],
        },
        "sex": {"role": "quasi-identifier", "kind": "categorical"},
        "age": {"role": "other", "kind": "integer"},
    }
    rows = [
        {"city": c, "sex": s, "age": str(i)} for i, (c, s) in enumerate((("Rome", "f"), ("Oslo", "m")) * 3)
    ]
    step = ("generalization", {"levels": {"city": [1, 1], "sex": [1, 1]}})
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], [step], [])
    held: dict[str, tuple[str, ...]] = {}
    _, report = run(recipe, table_of(rows), categories=held)
    assert held == {"city": ("north", "south"), "sex": ("*",)}
    report = codebook.with_lists(recipe, report, held)
    text = codebook.written(recipe, report, {"city": "Where they live"})
    assert table_after(text, "## Values") == [["Column", "Values in the file"], ["city", "north; south"]]
    lines = {line[0]: line for line in table_after(text, "## Columns")}
    assert lines["sex"][3] == "suppressed: every value is *"
    assert lines["city"][1] == "Where they live"
    assert "Rome" not in text


TREE = {"builder": "tree", "tree": {"north": ["Oslo", "Vaasa"], "south": ["Rome", "Bari"]}}
LINES = ["Rome;south;*", "Oslo;north;*", "Bari;south;*", "Vaasa;north;*", "Turku;north;*"]


@pytest.mark.parametrize("hierarchy", [LINES, TREE])
@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ({"categories": ["Oslo", "Rome", "Vaasa"], "provenance": "the list of towns"}, True),
        ({"categories": ["Oslo", "Rome", "Vaasa"]}, False),
        ({}, False),
    ],
)
def test_original_values_are_named_only_where_they_were_declared(hierarchy, declared, named):
    """All that were declared, whether they occur or not, and nothing that only the hierarchy lists."""
    columns = {
        "city": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": hierarchy, **declared}
    }
    rows = [{"city": city} for city in ("Rome", "Oslo") * 3]
    recipe = recipe_of(
        columns, [("k-anonymity", {"k": 2})], [("generalization", {"levels": {"city": [1, 1]}})], []
    )
    held: dict[str, tuple[str, ...]] = {}
    _, report = run(recipe, table_of(rows), categories=held)
    report = codebook.with_lists(recipe, report, held)
    text = codebook.written(recipe, report, {})
    assert ("| city | north | Oslo; Vaasa |" in text) == named
    assert ("| city | south | Rome |" in text) == named
    for hidden in ("Turku", "Bari", *(() if named else ("Oslo", "Rome", "Vaasa"))):
        assert hidden not in text
    (line,) = codebook.column_lines({}, report, {})
    assert line.values == ("north", "south")
    assert bool(line.stands_for) == named


def test_cells_hidden_one_by_one_until_none_is_left_are_suppressed_too():
    rows = [{"a": str(i), "b": "x"} for i in range(6)]
    columns = {name: {"role": "quasi-identifier", "kind": "categorical"} for name in "ab"}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 3})], [("suppression", {})], [])
    held: dict[str, tuple[str, ...]] = {}
    _, report = run(recipe, table_of(rows), categories=held)
    report = codebook.with_lists(recipe, report, held)
    lines = {line[0]: line for line in table_after(codebook.written(recipe, report, {}), "## Columns")}
    assert lines["a"][3] == "suppressed: every value is *"
    assert lines["b"][3] != "suppressed: every value is *"


@pytest.mark.parametrize(
    ("method", "params", "column", "treatment"),
    [
        ("noise", {"column": "income"}, "income", "other values in place of the original ones"),
        ("noise", {"column": "income"}, "age", "as recorded"),
        ("rounding", {"column": "age"}, "age", "coarser values, which follow from the original ones"),
        ("shuffling", {"columns": ["income"]}, "income", "the original values, in other rows"),
        ("pseudonyms", {"column": "name"}, "name", "made by a step below, not recorded"),
    ],
)
def test_each_column_says_what_was_done_to_it(method, params, column, treatment):
    text, _ = told(method, params)
    rows = {row[0]: row[-1] for row in table_after(text, "## Columns")}
    assert rows[column] == treatment


def test_of_a_column_in_an_older_report_only_its_level_is_known():
    columns = {"age": {"role": "quasi-identifier"}, "sex": {"role": "other"}}
    report = {"steps": [{"levels": {"age": 1}, "heights": {"age": 3}}]}
    age, sex = codebook.column_lines(columns, report, {})
    assert age.treatment == "generalized to level 1 of 3"
    assert sex.treatment == "as recorded, unless a step below says otherwise"
