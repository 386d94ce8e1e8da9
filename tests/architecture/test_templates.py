"""Pages hold no code and no style of their own, nothing unescaped, and load nothing from elsewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
OURS = [path for folder in ("js", "css", "img") for path in sorted((ROOT / "static" / folder).iterdir())]

IN_TEMPLATES = {
    "a style element": r"<style\b",
    "a style attribute": r"\sstyle\s*=",
    "an event attribute": r"\son[a-z]+\s*=",
    "a script of its own": r"<script\b(?![^>]*\bsrc=)",
    "code in an address": r"javascript:",
    "code in an attribute of htmx": r"\bhx-(on|vars)\b|hx-vals\s*=\s*[\"']js:",
    "unescaped text": r"\|\s*safe\b|autoescape\s+off|\bsafeseq\b",
    "a link to another host": r"(?:href|src|action|content|hx-\w+)\s*=\s*[\"']?\s*(?:https?:)?//",
}
IN_FILES = {
    "another host": r"(?:https?:)?//(?!www\.w3\.org/)[a-z0-9-]+\.[a-z]",
    "text taken for markup": r"\b(?:inner|outer)HTML\s*=|insertAdjacentHTML|document\.write\b",
    "text taken for code": r"\beval\(|new Function\(|set(?:Timeout|Interval)\(\s*[\"'`]",
    "a style sheet from elsewhere": r"@import",
}
PLANTED = {
    "a style element": "<style>p{}</style>",
    "a style attribute": '<p style="color:red">',
    "an event attribute": '<p onclick="go()">',
    "a script of its own": "<script>go()</script>",
    "code in an address": '<a href="javascript:go()">',
    "code in an attribute of htmx": '<p hx-on:click="go()">',
    "unescaped text": "{{ text|safe }}",
    "a link to another host": '<img src="//cdn.example.org/x.png">',
    "another host": "fetch('https://cdn.example.org/x')",
    "text taken for markup": "element.innerHTML = text",
    "text taken for code": "eval(text)",
    "a style sheet from elsewhere": "@import url(x.css);",
}


def offences(path: Path, rules: dict[str, str]) -> Iterator[str]:
    """`file:line what` for every rule a file breaks."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        for what, pattern in rules.items():
            if re.search(pattern, line, re.IGNORECASE):
                yield f"{path.relative_to(ROOT)}:{number} {what}"


def test_templates_hold_no_code_no_style_and_nothing_unescaped() -> None:
    assert len(TEMPLATES) > 50
    assert [one for path in TEMPLATES for one in offences(path, IN_TEMPLATES)] == []


def test_what_browsers_load_asks_no_other_host_and_trusts_no_text() -> None:
    assert [one for path in OURS for one in offences(path, IN_FILES)] == []


def test_python_marks_nothing_as_safe_by_hand() -> None:
    """`format_html` escapes what it puts in; nothing else makes markup."""
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "stewardapp").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\bmark_safe\b|\bSafeString\(|\bSafeText\b|\|safe\b", line)
    ]
    assert found == []


@pytest.mark.parametrize("what", PLANTED)
def test_the_scan_sees_what_is_planted(what: str) -> None:
    assert re.search({**IN_TEMPLATES, **IN_FILES}[what], PLANTED[what], re.IGNORECASE)
