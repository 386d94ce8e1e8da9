"""Visits the pages a persona can reach by links, one example of each address pattern and state."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from urllib.parse import urlsplit

from playwright.sync_api import Page

IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# A number in another form than `30 162` and `20 %`: 30,162 or 30162 rows, 20%, 30k.
BY_HAND = re.compile(
    r"\b\d{1,3}(?:,\d{3})+\b(?!,)|\d%|\b\d+k\b|\b\d{5,} (?:rows|values|cells|people|bytes)\b"
)
# A release and its run look different in every state, so more than one example of these is worth a visit.
EXAMPLES = {"/releases/*/": 9, "/catalogue/*/": 2, "/releases/*/review/": 3, "/runs/*/": 2, "/versions/*/": 2}
NO_PAGES = (
    ".json",
    "/export/",
    "/download/",
    "/charts/",
    "/progress/",
    "/logout/",
    "/admin/",
    "/static/",
    "/map/",
    ".pdf",
    ".zip",
    ".sh",
)

# Links inside drawings have no plain `href` property, but every link has the attribute.
LINKS = "all => all.map(a => new URL(a.getAttribute('href'), document.baseURI).href)"


def pattern(path: str) -> str:
    """The address with every id replaced by `*`."""
    return re.sub(r"(?<=^/methods/)[a-z]+/[a-z-]+", "*", IDENTIFIER.sub("*", path))


# What everybody reads in the same words.
LIBRARY = ("/help/", "/methods/")


def pages(page: Page, start: str, without: tuple[str, ...] = ()) -> Iterator[str]:
    """Paths as they stand on the pages, breadth first, each open while it is looked at.

    Of what lies below the places left out only their first pages are visited.
    """
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(start))
    waiting, seen = deque([urlsplit(start).path]), dict[str, int]()
    found = set[str]()
    while waiting:
        path = waiting.popleft()
        kind = pattern(path)
        left_out = kind.startswith(without) and kind not in without
        if left_out or path in found or seen.get(kind, 0) >= EXAMPLES.get(kind, 1):
            continue
        seen[kind] = seen.get(kind, 0) + 1
        answer = page.goto(origin + path)
        if answer is None or answer.status != 200:
            continue
        found.add(path)
        links = page.eval_on_selector_all("a[href]", LINKS)
        waiting.extend(dict.fromkeys(urlsplit(link).path for link in links if _inside(link, origin)))
        yield path


def _inside(link: str, origin: str) -> bool:
    path = urlsplit(link).path
    return link.startswith(origin) and not any(part in path for part in NO_PAGES)
