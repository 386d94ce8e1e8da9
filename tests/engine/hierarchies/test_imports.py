"""Hierarchies of other tools: every way to write one tree gives the same hierarchy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.imports import read_any

TABLE = "flu;lungs;*\nasthma;lungs;*\nulcer;stomach;*\n"
GROUPS = {"lungs": ["flu", "asthma"], "stomach": ["ulcer"]}
NAMED = {
    "name": "Any",
    "children": [
        {"name": one, "children": [{"name": leaf} for leaf in below]} for one, below in GROUPS.items()
    ],
}
LINKS = {"children": {"Any": ["lungs", "stomach"], **GROUPS}}
STATEMENTS = "distinct\nname disease\n\nAny has lungs stomach\nlungs has flu asthma\nstomach has ulcer\n"


def labels(text: str) -> list[tuple[str, ...]]:
    hierarchy = read_any(text, "disease")
    return sorted(hierarchy.rows)


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "\ufeff" + TABLE,
        json.dumps(GROUPS),
        json.dumps(NAMED),
        json.dumps({"hierarchy": NAMED}),
        json.dumps(
            [{"label": "lungs", "nodes": ["flu", "asthma"]}, {"label": "stomach", "nodes": ["ulcer"]}]
        ),
        json.dumps(LINKS),
        STATEMENTS,
        STATEMENTS.replace("\n", "\r\n"),
    ],
)
def test_one_tree_in_many_spellings(text: str) -> None:
    assert labels(text) == labels(TABLE)


def test_a_shallow_value_stands_for_itself() -> None:
    assert ("none", "none", "none", "*") in labels(json.dumps({"ill": {"lungs": ["flu"]}, "none": []}))


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"a": ["x"], "b": ["x"]}, "twice"),
        ({}, "no value"),
        ({"children": {"a": ["b"], "b": ["a"]}}, "no value"),
    ],
)
def test_what_is_no_hierarchy(given: Any, what: str) -> None:
    with pytest.raises(EngineError, match=what) as refused:
        read_any(json.dumps(given), "disease")
    assert refused.value.param == "columns.disease.hierarchy"


@pytest.mark.parametrize("text", ["{", "[1,", "distinct\n\nlungs flu\n"])
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(EngineError) as refused:
        read_any(text, "disease")
    assert refused.value.code == "bad-hierarchy"
