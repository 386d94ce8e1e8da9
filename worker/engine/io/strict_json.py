"""JSON that somebody sent: read within limits, or refused in words that name the place and never a value.

The one door for JSON of others: recipes, hierarchies, drafts that a page carries, answers to surveys, what a
file says of itself. What comes out can be stored, counted and written again: no name twice, no NaN, no number
beyond all use, no text that is none, nothing nested so deeply that whoever walks it falls.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from worker.engine.io.sent_text import is_text
from worker.engine.wording import thousands

DIGITS = 100


class BadJson(ValueError):
    """What is wrong, as the end of a sentence that begins with what it is; `twice` is a name said twice."""

    def __init__(self, what: str, twice: str | None = None) -> None:
        super().__init__(what)
        self.what, self.twice = what, twice


@dataclass(frozen=True)
class Limits:
    """How much may be sent: characters, values in it, and how deeply they are nested."""

    length: int = 2_000_000
    values: int = 200_000
    depth: int = 32


PAGE = Limits()
"""What a page may send."""


def loads(text: str | bytes, limits: Limits = PAGE, decimal: Callable[[str], Any] = float) -> Any:
    """The value, with `decimal` for numbers that are not whole."""
    if len(text) > limits.length:
        raise BadJson(f"is longer than {thousands(limits.length)} characters")
    try:
        found = json.loads(
            text if isinstance(text, str) else text.decode("utf-8-sig"),
            object_pairs_hook=_unique,
            parse_constant=_constant,
            parse_int=_whole,
            parse_float=lambda digits: _finite(digits, decimal),
        )
    except UnicodeDecodeError:
        raise BadJson("is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"is not valid JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise BadJson("is nested too deeply") from None
    _check(found, limits)
    return found


def _check(found: Any, limits: Limits) -> None:
    """Every value and every name, without recursion: level by level."""
    level, count, depth = [found], 0, 0
    while level:
        count, depth = count + len(level), depth + 1
        if count > limits.values:
            raise BadJson(f"holds more than {thousands(limits.values)} values")
        if depth > limits.depth:
            raise BadJson("is nested too deeply")
        below: list[Any] = []
        for one in level:
            if isinstance(one, str) and not is_text(one):
                raise BadJson("holds a character that is none: a NUL or half a surrogate pair")
            if isinstance(one, dict):
                below += one
                below += one.values()
            elif isinstance(one, list):
                below += one
        level = below


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise BadJson("says a name twice in one object", twice=name)
        found[name] = value
    return found


def _constant(name: str) -> NoReturn:
    raise BadJson(f"holds {name}, which is not a number")


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise BadJson(f"holds a number of more than {DIGITS} digits")
    return int(digits)


def _finite(digits: str, decimal: Callable[[str], Any]) -> Any:
    if len(digits) > DIGITS:
        raise BadJson(f"holds a number of more than {DIGITS} digits")
    if not isfinite(float(digits)):
        raise BadJson("holds a number that is too large")
    return decimal(digits)
