"""What ε promises is worded in one module (`worker/engine/dp/promises.py`); nothing else says it by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from worker.engine.dp import promises

ROOT = Path(__file__).resolve().parents[2]
WORDED = ROOT / "worker" / "engine" / "dp" / "promises.py"
STATED = re.compile(
    r"\bodds\b|times as likely|(?:at most|more than|factor|up to)\s+e(?:\^|<sup>)|\bpower of (?:it|ε|this)"
)
CODE = [
    path for folder in ("stewardapp", "worker") for path in (ROOT / folder).rglob("*.py") if path != WORDED
]
# The pages of claims are the proofs: they write with the symbols, and are compared with the code elsewhere.
PAPERS = [
    path
    for folder in ("templates", "static/js", "docs")
    for path in (ROOT / folder).rglob("*.*")
    if path.suffix in {".html", ".txt", ".js", ".md"} and path.parent.name != "claims"
]
PLANTED = (
    "The odds change by at most e^ε.",
    "changes by a factor e<sup>ε</sup>",
    "is three times as likely",
    "at most e to the power of ε",
)


def sayings(path: Path) -> Iterator[str]:
    """The texts of a file: of code, its strings and documentation."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield " ".join(text.split())
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


def worded() -> str:
    """Every sentence of the module, as far as it does not depend on numbers."""
    return "\n".join(
        value for value in (*vars(promises).values(), *promises.GUARANTEED.values()) if isinstance(value, str)
    )


def test_only_one_module_says_what_epsilon_promises() -> None:
    assert len(CODE) > 300
    assert len(PAPERS) > 100
    generated = re.compile("|".join(re.escape(one) for one in promises.GUARANTEED.values()))
    assert [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in (*CODE, *PAPERS, ROOT / "README.md", ROOT / "DEVELOPERS.md")
        for text in sayings(path)
        for found in STATED.finditer(generated.sub("", text))
    ] == []


def test_the_page_of_claims_says_the_same() -> None:
    text = " ".join((ROOT / "docs" / "claims" / "README.md").read_text(encoding="utf-8").split())
    assert promises.GENERAL in text
    assert STATED.search(text.replace(promises.GENERAL, "")) is None


def test_the_module_has_both_statements() -> None:
    assert "e^ε" in worded()
    assert "e^(2ε)" in worded()


@pytest.mark.parametrize("text", PLANTED)
def test_the_scan_sees_a_statement(text: str) -> None:
    assert STATED.search(text)
