"""Recipes: refusals name the path and never a value; one spelling; one hash."""

import json
from decimal import Decimal

import pytest

from worker.engine.errors import EngineError
from worker.engine.recipes.recipe import Recipe

SECRET = "s3cret"
COLUMNS = {"age": {"role": "quasi-identifier"}, "income": {"role": "sensitive", "kind": "decimal"}}


def recipe(**more):
    return {"version": 1, "columns": COLUMNS, **more}


def refused(source):
    with pytest.raises(EngineError) as caught:
        Recipe.parse(source)
    assert SECRET not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("source", "param"),
    [
        ({"columns": COLUMNS}, "version"),
        ({"version": 2, "columns": COLUMNS}, "version"),
        ({"version": 1}, "columns"),
        (recipe(colums={}), "colums"),
        (recipe(columns={"age": {"role": SECRET}}), "columns.age.role"),
        (recipe(columns={"age": {}}), "columns.age.role"),
        (recipe(columns={"age": {"role": "other", "kind": SECRET}}), "columns.age.kind"),
        (recipe(columns={"age": {"role": "other", "hierarchy": 3}}), "columns.age.hierarchy"),
        (recipe(columns={"a": {"role": "weight"}, "b": {"role": "weight"}}), "columns.b.role"),
        (recipe(columns={"a": {"role": "consent"}}), "columns.a.granted"),
        (recipe(columns={"a": {"role": "other", "release": True}}), "columns.a.release"),
        (recipe(goals=[{"goal": SECRET}]), "goals[0].goal"),
        (recipe(formats=["pdf"]), "formats[0]"),
        (recipe(columns={"a b": {"role": "other"}}, formats=["sav"]), "formats"),
        (recipe(goals=[{"goal": "k-anonymity", "params": {"k": SECRET}}]), "goals[0].params.k"),
        (recipe(goals=[{"goal": "k-anonymity", "params": {"k": 0}}]), "goals[0].params.k"),
        (recipe(goals=[{"goal": "k-anonymity", "params": {"kk": 1}}]), "goals[0].params.kk"),
        (recipe(steps=[{"method": SECRET}]), "steps[0].method"),
        (recipe(steps=[{"method": "rounding", "params": {"base": 5}}]), "steps[0].params.column"),
        (
            recipe(steps=[{"method": "rounding", "params": {"column": "age", "base": SECRET}}]),
            "steps[0].params.base",
        ),
        (
            recipe(steps=[{"method": "generalization", "params": {"levels": {"age": [2, 1]}}}]),
            "steps[0].params.levels",
        ),
        (recipe(measures=["no-such-measure"]), "measures[0].measure"),
        (recipe(data={"delimeter": ";"}), "data.delimeter"),
    ],
)
def test_a_refusal_names_the_path(source, param):
    assert refused(source).param == param
    assert refused(json.dumps(source)).param == param


def test_a_step_knows_its_number():
    error = refused(
        recipe(steps=[{"method": "rounding", "params": {"column": "age"}}, {"method": "rounding"}])
    )
    assert error.step == 1
    assert error.message.startswith("steps[1].params.column: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"version": NaN}',
        '{"version": 1, "version": 1}',
        b"\xff\xfe",
        "[" * 100_000,
        '"' + SECRET,
    ],
)
def test_what_is_not_json_is_refused(text):
    assert refused(text).code in ("recipe-not-json", "recipe-duplicate")


def test_the_message_tells_how_to_mend_it():
    assert (
        "Known parameters: k" in refused(recipe(goals=[{"goal": "k-anonymity", "params": {"kk": 1}}])).message
    )
    assert "rounding" in refused(recipe(steps=[{"method": "x"}])).message


def test_one_spelling_and_one_hash():
    text = '{"columns": {"age": {"role": "other"}}, "version": 1}'
    spaced = '{ "version": 1,\n "columns": {"age": {"role":"other"}} }'
    assert Recipe.parse(text).canonical_json() == Recipe.parse(spaced).canonical_json()
    assert Recipe.parse(text).sha256() == Recipe.parse(json.loads(spaced)).sha256()
    other = text.replace("other", "sensitive")
    assert Recipe.parse(other).sha256() != Recipe.parse(text).sha256()


def test_the_spelling_says_the_same_and_no_more():
    source = recipe(steps=[{"method": "generalization", "params": {"suppression_limit": 0.02}}])
    assert json.loads(Recipe.parse(source).canonical_json()) == source
    assert json.loads(Recipe.parse(json.dumps(source)).canonical_json()) == source


def test_decimals_are_read_exactly():
    text = json.dumps(recipe(columns={"x": {"role": "other", "bounds": [0, "B"]}})).replace('"B"', "0.1")
    assert Recipe.parse(text).columns["x"].bounds == (0, Decimal("0.1"))
    assert '"bounds":[0,0.1]' in Recipe.parse(text).canonical_json()


def test_all_measures_by_default():
    assert {measure.slug for measure in Recipe.parse(recipe()).measures} >= {"reidentification", "marginals"}
    assert [m.slug for m in Recipe.parse(recipe(measures=["marginals"])).measures] == ["marginals"]


def test_hierarchies_come_as_file_lines_or_builder():
    columns = {
        "a": {"role": "quasi-identifier", "hierarchy": "a.csv"},
        "b": {"role": "quasi-identifier", "hierarchy": ["x;*"]},
        "c": {"role": "quasi-identifier", "hierarchy": {"builder": "mask", "side": "left"}},
    }
    parsed = Recipe.parse(recipe(columns=columns))
    assert parsed.hierarchy_paths() == ("a.csv",)
    declared = parsed.declarations({"a.csv": "y;*\nz;*\n"})
    assert declared["a"].hierarchy.lines == ("y;*", "z;*")
    assert declared["b"].hierarchy.lines == ("x;*",)
    assert (declared["c"].hierarchy.builder, declared["c"].hierarchy.options) == ("mask", {"side": "left"})
    with pytest.raises(EngineError) as caught:
        parsed.declarations({})
    assert caught.value.param == "columns.a.hierarchy"


def test_granted_values_may_be_written_as_numbers():
    parsed = Recipe.parse(recipe(columns={"ok": {"role": "consent", "granted": [1]}}))
    assert parsed.columns["ok"].granted == ("1",)


def test_a_kept_column_says_whether_others_could_know_it():
    unknown = {"role": "other", "known": "no", "why": "measured in the laboratory only"}
    declared = Recipe.parse(recipe(columns={"lab": unknown, "age": {"role": "other"}})).declarations({})
    assert (declared["lab"].known, declared["lab"].why) == (False, "measured in the laboratory only")
    assert declared["age"].known


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ({"role": "other", "known": "no"}, "why"),
        ({"role": "other", "known": "no", "why": "  "}, "why"),
        ({"role": "other", "why": "nobody asks"}, "why"),
        ({"role": "quasi-identifier", "known": "no", "why": "secret"}, "known"),
        ({"role": "other", "known": "perhaps"}, "known"),
    ],
)
def test_without_a_reason_every_kept_column_counts(part, where):
    assert refused(recipe(columns={"lab": part})).param == f"columns.lab.{where}"
