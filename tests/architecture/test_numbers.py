"""Numbers for people are written by `worker/engine/wording.py` alone: `30 162`, `20 %`; nowhere by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Access rules know no engine: what they write by themselves is compared with the wording in their tests.
WRITERS = {"worker/engine/wording.py", "stewardapp/access/thresholds.py"}
CODE = sorted(
    path
    for folder in ("stewardapp", "worker", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if str(path.relative_to(ROOT)) not in WRITERS and "migrations" not in path.parts
)
TEXTS = [
    *sorted((ROOT / "templates").rglob("*")),
    *sorted((ROOT / "static" / "js").rglob("*.js")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
]

GROUPED = re.compile(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
TIGHT = re.compile(r"\d%(?![\w(}])")
IN_CODE = {"commas": GROUPED, "a tight per cent": TIGHT}
IN_TEXTS = {
    **IN_CODE,
    "a filter of its own": re.compile(
        r"\|\s*(?:(?:floatformat|intcomma|localize)\b|stringformat:\s*\"[^\"]*[%ef]\")\b"
    ),
    "the browser's way": re.compile(r"toLocaleString|\bIntl\b"),
    "per cent by hand": re.compile(r"\}\}?[ \u00a0]?%(?!\})"),
}
PLANTED_CODE = {
    "commas": 'text = f"{rows:,} rows"',
    "commas with digits": 'text = f"{rows:,.0f} rows"',
    "underscores": 'text = f"{rows:_} rows"',
    "a share": 'text = f"{share:.0%} of them"',
    "format()": 'text = format(rows, ",")',
    "a template of format": 'text = "{:,} rows".format(rows)',
    "written out": 'text = "at most 10,000 rows"',
    "a tight per cent": 'text = "in 5% of the cases"',
    "per cent by hand": 'text = f"{share} % of them"',
}
PLANTED_TEXTS = {
    "commas": "<p>10,000 rows</p>",
    "a tight per cent": "<p>95% of them</p>",
    "a filter of its own": "{{ rows|floatformat:2 }}",
    "the browser's way": "rows.toLocaleString()",
    "per cent by hand": "<p>{{ share }} % of them</p>",
}


def by_hand(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and offence for every number that a piece of code writes in its own way."""
    documentation = _documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and _groups(node):
            yield node.lineno, "format"
        elif isinstance(node, ast.JoinedStr) and _per_cent(node):
            yield node.lineno, "per cent by hand"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "format":
            yield node.lineno, "format()"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
            yield from ((node.lineno, what) for what, one in IN_CODE.items() if one.search(node.value))
            if re.search(r"\{[^{}]*:[^{}]*[,%]\}", node.value):
                yield node.lineno, "a template of format"


def _groups(node: ast.FormattedValue) -> bool:
    spec = ast.unparse(node.format_spec)[2:-1] if node.format_spec else ""
    dated = re.search("%-?[A-Za-z]", spec)
    return re.search("[,_]|%$", spec) is not None and dated is None


def _per_cent(node: ast.JoinedStr) -> bool:
    pairs = zip(node.values, node.values[1:], strict=False)
    return any(
        isinstance(first, ast.FormattedValue) and re.match(r"[ \u00a0]?%", getattr(after, "value", "") or "")
        for first, after in pairs
        if isinstance(after, ast.Constant)
    )


def _documentation(tree: ast.AST) -> set[ast.AST]:
    """Texts that stand by themselves: they are read in the source."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def in_text(text: str) -> Iterator[tuple[int, str]]:
    """Line and offence for every number that a template, a script or a page of the docs writes by itself."""
    for number, line in enumerate(text.splitlines(), start=1):
        yield from ((number, what) for what, pattern in IN_TEXTS.items() if pattern.search(line))


def test_code_writes_numbers_in_one_way() -> None:
    assert len(CODE) > 300
    assert [
        f"{path.relative_to(ROOT)}:{line} {what}"
        for path in CODE
        for line, what in by_hand(ast.parse(path.read_text(encoding="utf-8")))
    ] == []


def test_templates_scripts_and_docs_write_numbers_in_one_way() -> None:
    files = [path for path in TEXTS if path.is_file()]
    assert len(files) > 100
    assert [
        f"{path.relative_to(ROOT)}:{line} {what}"
        for path in files
        for line, what in in_text(path.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize("what", PLANTED_CODE)
def test_the_scan_sees_what_is_planted_in_code(what: str) -> None:
    assert list(by_hand(ast.parse(PLANTED_CODE[what])))


@pytest.mark.parametrize("what", PLANTED_TEXTS)
def test_the_scan_sees_what_is_planted_in_a_text(what: str) -> None:
    assert (1, what) in in_text(PLANTED_TEXTS[what])


@pytest.mark.parametrize("text", ['f"{day:%d %B %Y}"', '"a,b,300"', 'f"{value:.4g}"', '"{% if rows %}"'])
def test_the_scan_lets_other_things_pass(text: str) -> None:
    assert list(by_hand(ast.parse(text))) == []
