"""`dict[str, Any]` says nothing of what is in it: what crosses a layer is a dataclass or a TypedDict.

Those that are left are counted, layer by layer; the numbers only fall.
"""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOOSE = {"dict", "Mapping", "MutableMapping"}
# Exactly so many: whoever takes some away lowers the number, and nobody raises one.
LEFT = {
    "stewardapp/actions": 8,
    "stewardapp/anchors.py": 1,
    "stewardapp/domain": 3,
    "stewardapp/entrance": 1,
    "stewardapp/forms": 30,
    "stewardapp/logs.py": 1,
    "stewardapp/management": 6,
    "stewardapp/models": 10,
    "stewardapp/presenters": 33,
    "stewardapp/sessions.py": 3,
    "stewardapp/settings.py": 2,
    "stewardapp/views": 8,
    "worker/commands": 2,
    "worker/engine/contracts": 4,
    "worker/engine/demonstrations": 1,
    "worker/engine/dp": 3,
    "worker/engine/execution": 2,
    "worker/engine/hierarchies": 7,
    "worker/engine/io": 6,
    "worker/engine/kernels": 1,
    "worker/engine/marginals": 3,
    "worker/engine/recipes": 3,
    "worker/engine/tables": 2,
    "worker/engine/verification": 1,
    "worker/process": 1,
    "worker/queue": 1,
}


def loose(text: str) -> int:
    """How often a text says `dict[str, Any]`, or hides it behind a wider name."""
    return sum(is_loose(node) for node in ast.walk(ast.parse(text)))


def is_loose(node: ast.AST) -> bool:
    """Whether this is a mapping of names to anything."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in LOOSE):
        return False
    return ast.unparse(node.slice) in ("(str, Any)", "str, Any")


def layer(path: Path) -> str:
    """`stewardapp/forms`, `worker/engine/dp`; the file for what stands in no folder."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[: 3 if parts[:2] == ("worker", "engine") else 2])


def found() -> Counter[str]:
    """How many each layer has."""
    counted = Counter[str]()
    for folder in ("stewardapp", "worker"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.name != "migrations":  # history
                counted[layer(path)] += loose(path.read_text(encoding="utf-8"))
    return +counted


def test_shapes_that_say_nothing_are_as_many_as_are_left() -> None:
    assert found() == LEFT


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def f(a: dict[str, Any]) -> None: ...", 1),
        ("def f(a: list[dict[str, Any]]) -> Mapping[str, Any]: ...", 2),
        ("a = cast(dict[str, Any], b)", 1),
        ("def f(a: dict[str, int]) -> dict[int, Any]: ...", 0),
    ],
)
def test_the_count_sees_what_is_loose(text: str, count: int) -> None:
    assert loose(text) == count
