"""Nothing outside a method's own file says its name: pages, jobs and checks take it from the catalogue."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from worker.engine import catalogue

ROOT = Path(__file__).resolve().parents[2]
METHODS = set(catalogue.methods())
OTHERS = {*catalogue.goals(), *catalogue.measures()}
# Where names belong: their own files, goals recomputed. Migrations tell what was.
HOME = (
    "worker/engine/methods/",
    "worker/engine/goals/",
    "worker/engine/measures/",
    "worker/engine/verification/",
)
# Recipes and ready-made policies, a file each; a policy may demand any figure of any measure.
PRESETS = ("stewardapp/presets/", "stewardapp/management/demo")
# A word that is also a measure's: the questions of a desk, a column of the records, an attack on its answers.
WORDS = {
    "stewardapp/models/query.py": {"queries"},
    "stewardapp/presenters/replays.py": {"differencing"},
    "worker/engine/demonstrations/replay.py": {"differencing"},
    "worker/engine/execution/records.py": {"suda"},
}
PAST = ("stewardapp/migrations/",)


def code() -> Iterator[tuple[str, str]]:
    """Every file of the product that could name something, with its text."""
    for folder, endings in (
        ("stewardapp", {".py", ".json"}),
        ("worker", {".py"}),
        ("templates", {".html", ".txt"}),
        ("static/js", {".js"}),
        ("static/css", {".css"}),
    ):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in endings and not name.startswith((*HOME, *PRESETS, *PAST)):
                yield name, path.read_text(encoding="utf-8")


def said(name: str, text: str) -> set[str]:
    """The slugs a file says as a whole text or word of an attribute; docstrings and comments may explain."""
    known = METHODS | OTHERS
    if name.endswith(".py"):
        values = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
        return {slug for slug in known if slug in values}
    return {slug for slug in known if re.search(rf"[\"'`.#/-]{re.escape(slug)}\b[\"'`\s/{{]", text)}


def test_no_file_but_its_own_says_the_name_of_a_method() -> None:
    assert {"generalization", "rounding", "suppression"} <= METHODS
    assert {name: found for name, text in code() if (found := said(name, text) & METHODS)} == {}


def test_goals_and_measures_are_named_by_files_of_data_alone() -> None:
    assert {name: found for name, text in code() if (found := said(name, text) & OTHERS)} == WORDS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "if step.method == 'rounding':\n    pass"),
        ("a.html", '{% if slug == "rounding" %}'),
        ("a.css", ".rounding { color: red }"),
    ],
)
def test_the_scan_sees_a_name(name: str, text: str) -> None:
    assert said(name, text) == {"rounding"}
