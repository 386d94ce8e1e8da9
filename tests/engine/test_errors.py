"""What a refusal says on a page: in words, beside its place, without the path of a recipe file."""

import re

import pytest

from worker.engine import catalogue
from worker.engine.errors import EngineError
from worker.engine.recipes.recipe import impossible
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema

PATH = re.compile(r"\b(columns\.\S|steps\[|goals\[|params\.)")


@pytest.mark.parametrize(
    ("message", "param", "sentence", "column"),
    [
        ("k: give a k.", "k", "Give a k.", None),
        (
            "columns.sex.categories: list every one.",
            "columns.sex.categories",
            "Column 'sex': list every one.",
            "sex",
        ),
        ("columns.a.b.bounds: too wide.", "columns.a.b.bounds", "Column 'a.b': too wide.", "a.b"),
        ("columns.w: must be above 0.", "columns.w", "Column 'w': must be above 0.", "w"),
        ("columns.w.kind: column 'w' is text.", "columns.w.kind", "Column 'w' is text.", "w"),
        ("Nothing can be done.", None, "Nothing can be done.", None),
        ("columns: 9 cells are too many.", "columns", "9 cells are too many.", None),
    ],
)
def test_a_refusal_is_worded_for_the_place_where_it_stands(message, param, sentence, column):
    error = EngineError("code", message, param=param)
    assert (error.sentence, error.column) == (sentence, column)


@pytest.mark.parametrize("slug", sorted(catalogue.methods()))
def test_no_page_ever_shows_the_path_of_a_recipe_file(slug):
    """Every example of every method, on columns of each kind of which nothing is declared, without a goal."""
    for example in catalogue.method(slug).examples():
        names = sorted({name for _, name, _ in example.named_columns()}) or ["a"]
        for kind in Kind:
            schema = Schema(tuple(Field(name, kind, Role.OTHER) for name in names))
            for _, error in impossible([example], [], schema, {}):
                assert not PATH.search(error.sentence), error.sentence
                assert error.sentence[0] == error.sentence[0].upper()
