"""The guide: the pages of docs/, rendered as the desk's own pages under Help.

The same files are read on a code host and in an editor, so nothing here is a dialect: plain CommonMark with
tables. Raw HTML is not passed on, and a link leads to another page of the guide, to a picture of it, or
outside; what a page says of a file of the code stays words.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(settings.BASE_DIR) / "docs"
INDEX = "README"
SCROLLING = '<div class="table-wrap" tabindex="0" role="region" aria-label="Table {}">\n<table>\n'


@dataclass(frozen=True)
class Heading:
    """A second-level heading, for the list beside a page."""

    anchor: str
    text: str


@dataclass(frozen=True)
class Page:
    """One page of the guide."""

    title: str
    body: SafeString
    headings: tuple[Heading, ...]


@dataclass(frozen=True)
class Entry:
    """One line of the index."""

    name: str
    title: str
    about: str


@dataclass(frozen=True)
class Part:
    """The pages that belong together in the index."""

    title: str
    entries: tuple[Entry, ...]


def names() -> frozenset[str]:
    """Every page by its path below docs/, without the ending."""
    found = (path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.md"))
    return frozenset(found)


def page(name: str) -> Page | None:
    """A page; None where there is none of that name."""
    if name not in names():
        return None
    path = FOLDER / f"{name}.md"
    return _rendered(name, path.stat().st_mtime_ns)


def picture(name: str) -> Path | None:
    """The file of a picture; None where there is none of that name."""
    path = FOLDER / "pictures" / name
    return path if path.name == name and path.suffix == ".png" and path.is_file() else None


LINE = re.compile(r"^\* \[(?P<title>[^\]]+)\]\((?P<name>[\w/.-]+)\.md\)(?: – (?P<about>.+))?$")


def index() -> tuple[Part, ...]:
    """The parts of docs/README.md with the pages they list."""
    text = (FOLDER / f"{INDEX}.md").read_text(encoding="utf-8")
    parts = []
    for part in text.split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        found = (LINE.match(line) for line in rest.splitlines())
        entries = tuple(Entry(m["name"], m["title"], m["about"] or "") for m in found if m)
        parts.append(Part(title, entries))
    return tuple(parts)


@lru_cache(maxsize=128)
def _rendered(name: str, _changed: int) -> Page:
    """Rendered once for each state of the file, which the time of its last change tells apart."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    text = re.sub(r"\A<!--.*?-->\s*", "", text, flags=re.S)
    tokens = list(_sections(_parser().parse(text)))
    title = tokens[1].content if tokens and tokens[0].tag == "h1" else name
    body = tokens[3:] if tokens and tokens[0].tag == "h1" else tokens
    for number, table in enumerate((one for one in body if one.type == "table_open"), start=1):
        table.meta["number"] = number  # each region of a page has a name of its own
    headings: list[Heading] = []
    for token, inside in pairwise(body):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(inside.content))
            if token.tag == "h2":
                headings.append(Heading(_anchor(inside.content), _plain(inside)))
        elif token.type == "inline":
            _mend_links(token, posixpath.dirname(name))
    html = _parser().renderer.render(body, _parser().options, {})
    return Page(title, mark_safe(html), tuple(headings))  # noqa: S308 - raw HTML is off in the parser


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    render = parser.renderer
    render.rules["table_open"] = lambda tokens, at, *_: SCROLLING.format(tokens[at].meta["number"])  # type: ignore[attr-defined]
    render.rules["table_close"] = lambda *_: "</table>\n</div>\n"  # type: ignore[attr-defined]
    return parser


def _sections(tokens: list[Token]) -> Iterator[Token]:
    """Without diagrams, which need a program of their own and repeat the table below them."""
    for token in tokens:
        if token.type == "fence" and token.info == "mermaid":
            continue
        if token.type in ("fence", "code_block"):
            token.attrSet("tabindex", "0")
        yield token


def _mend_links(token: Token, folder: str) -> None:
    """Addresses of the guide in place of paths in the folder."""
    leads = True
    for child in token.children or ():
        if child.type == "link_open":
            address = _address(str(child.attrGet("href") or ""), folder)
            leads = address is not None
            child.attrSet("href", address or "")
        if child.type in ("link_open", "link_close") and not leads:
            child.tag, child.attrs = "span", {}
        elif child.type == "image":
            source = posixpath.basename(str(child.attrGet("src") or ""))
            child.attrSet("src", reverse("help-picture", args=[source]))


def _address(href: str, folder: str) -> str | None:
    """Where a link leads; None for a file that is no page of the guide."""
    if "://" in href or href.startswith("#"):
        return href
    path, hash_sign, anchor = href.partition("#")
    name = posixpath.normpath(posixpath.join(folder, path))
    if name.endswith(".md") and name.removesuffix(".md") in names():
        return reverse("help-page", args=[name.removesuffix(".md")]) + hash_sign + anchor
    return None


def _anchor(text: str) -> str:
    """As code hosts make it, so that the same link works in both places."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _plain(token: Token) -> str:
    return "".join(child.content for child in token.children or ())
