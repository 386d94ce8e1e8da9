"""Several values in one line: a semicolon between them, and double quotes around one that has a semicolon."""

from __future__ import annotations

import re
from collections.abc import Iterable

QUOTED = r'"(?:[^"]|"")*"'
ITEM = re.compile(rf"\s*(?P<value>{QUOTED}|[^\";\s][^;]*|)\s*(?P<end>;|$)")


class Unquoted(ValueError):
    """A quote that is opened and not closed before the next semicolon or the end."""


def split(line: str) -> list[str]:
    """The values of a line; a quote inside quotes is written twice. What is empty and not quoted is none."""
    values, at = [], 0
    while True:
        item = ITEM.match(line, at)
        if item is None:
            raise Unquoted
        found = item["value"]
        quoted = found.startswith('"')
        if quoted or found.strip():
            values.append(found[1:-1].replace('""', '"') if quoted else found.strip())
        if item["end"] == "":
            return values
        at = item.end()


def joined(values: Iterable[str]) -> str:
    """The line that `split` takes apart again."""
    return "; ".join(_written(value) for value in values)


def _written(value: str) -> str:
    plain = value == value.strip() != "" and ";" not in value and not value.startswith('"')
    return value if plain else '"' + value.replace('"', '""') + '"'
