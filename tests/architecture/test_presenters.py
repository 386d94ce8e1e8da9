"""Presenters turn rows into what a template prints; what is asked of the database is asked in `reads/`."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASKING = {
    "aggregate",
    "annotate",
    "distinct",
    "exclude",
    "exists",
    "filter",
    "first",
    "order_by",
    "prefetch_related",
    "select_related",
    "values",
    "values_list",
    "visible_to",
}
# A dictionary has values too, but nobody gives it names of columns; a list counts what it is given.
NAMED, BARE = {"values", "distinct"}, {"count", "latest"}


def asking(tree: ast.AST) -> set[int]:
    """Lines that put a question to the database."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("django.db"):
            found.add(node.lineno)
        if isinstance(node, ast.Attribute) and node.attr == "objects":
            found.add(node.lineno)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and _asks(node, node.func.attr)
        ):
            found.add(node.lineno)
    return found


def _asks(call: ast.Call, verb: str) -> bool:
    given = bool(call.args or call.keywords)
    return (verb in BARE and not given) or (verb in ASKING and (verb not in NAMED or given))


def test_presenters_ask_nothing() -> None:
    found = {
        path.stem: sorted(lines)
        for path in sorted((ROOT / "stewardapp" / "presenters").glob("*.py"))
        if (lines := asking(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_the_scan_sees_a_question() -> None:
    lines = ("Run.objects.all()", "runs.filter(a=1)", "artifacts.first()", "{}.values()", "rows.values('a')")
    more = ("runs.count()", "text.count('a')", "from django.db.models import Count")
    planted = ast.parse("\n".join((*lines, *more)))
    assert asking(planted) == {1, 2, 3, 5, 6, 8}
