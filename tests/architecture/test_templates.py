"""Pages hold no code and no style of their own, nothing unescaped, and load nothing from elsewhere; a line of
a template is as far in as what is open says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.template_lines import LONGEST, complaints

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
    """`format_html` escapes what it puts in; nothing else makes markup but the guide, whose parser passes no
    HTML on (tests/unit/test_guide.py tries)."""
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "stewardapp").rglob("*.py"))
        if path != ROOT / "stewardapp" / "guide.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\bmark_safe\b|\bSafeString\(|\bSafeText\b|\|safe\b", line)
    ]
    assert found == []


@pytest.mark.parametrize("what", PLANTED)
def test_the_scan_sees_what_is_planted(what: str) -> None:
    assert re.search({**IN_TEMPLATES, **IN_FILES}[what], PLANTED[what], re.IGNORECASE)


LANDMARK = re.compile(
    r"""<(?:section|nav|aside|form|(?=[^>]*role="region")\w+)\b[^>]*aria-label="[^"]*{{[^>]*>""", re.DOTALL
)
ONE_A_PAGE = {"templates/reviews/_file.html"}


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ('<section aria-label="Preview of {{ title }}">', True),
        ('<div class="wrap"\n    role="region"\n    aria-label="{{ title }}: {{ caption }}">', True),
        ('<div role="group" aria-label="Preview of {{ title }}">', False),
        ('<section aria-label="Verdict">', False),
    ],
)
def test_landmarks_named_by_what_they_hold_are_seen(markup: str, found: bool) -> None:
    assert bool(LANDMARK.search(markup)) == found


def test_landmarks_are_not_named_by_what_may_stand_there_twice() -> None:
    """A step or a measure may stand in a recipe several times: what is made for each is a group."""
    named = {str(path.relative_to(ROOT)) for path in TEMPLATES if LANDMARK.search(path.read_text("utf-8"))}
    assert named == ONE_A_PAGE


def test_every_line_of_a_template_stands_where_it_belongs() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number} {what}"
        for path in TEMPLATES
        for number, what in complaints(path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


BENT = {
    "a long line": "x" * (LONGEST + 1),
    "an odd indentation": "<p>\n   text\n</p>",
    "a tabulator": "<p>\n\ttext\n</p>",
    "a child as far in as its parent": "<div>\n<p>text</p>\n</div>",
    "a child too far in": "<div>\n    <p>text</p>\n</div>",
    "an end further in than its beginning": "<div>\n  text\n  </div>",
    "an end of a block further in": "{% if a %}\n  text\n  {% endif %}",
    "a branch further in": "{% if a %}\n  x\n  {% elif b %}\n  y\n{% endif %}",
    "an element begun in a branch and ended in another": "{% if a %}\n  <a>\n{% endif %}\ntext</a>",
    "an element that another one ends": "<p>\n  <b>text</p>",
    "an element that nothing ends": "<ul>\n  <li>text\n</ul>",
    "an end of nothing": "text\n</div>",
    "an attribute as far in as a child": '<a\n  href="/">text</a>',
}
STRAIGHT = {
    "text that flows": "<p>Some\n  text{% if a %}, and\n    more{% endif %}.</p>",
    "quotes and signs": '<a{% if a == "b" %} class="{% if c > 1 %}d{% endif %}"{% endif %}>\n  x\n</a>',
    "attributes, then children": '<a class="b"\n    href="/">\n  <br>\n  text\n</a>',
    "branches": "{% if a %}\n  x\n{% elif b %}\n  y\n{% else %}\n  z\n{% endif %}",
    "a loop over nothing": "{% for a in b %}\n  x\n{% empty %}\n  y\n{% endfor %}",
    "text that is kept as it is": "<p>\n  <textarea name='a'>\nx\n   y</textarea>\n</p>",
    "a tag that takes a text": "{% notice 'warn' %}\n  x\n{% endnotice %}",
}


@pytest.mark.parametrize("what", BENT)
def test_what_is_bent_is_seen(what: str) -> None:
    assert list(complaints(BENT[what]))


@pytest.mark.parametrize("what", STRAIGHT)
def test_what_is_straight_passes(what: str) -> None:
    assert list(complaints(STRAIGHT[what])) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_fetched_by_the_clock_keeps_nobody_signed_in(path: Path) -> None:
    """Whoever left the desk is signed out, whatever page they left open."""
    tags = re.findall(r"<\w[^>]*hx-trigger=\"[^\"]*\bevery\b[^>]*>", path.read_text(encoding="utf-8"))
    assert [tag for tag in tags if "Looks-By-Itself" not in tag] == []
