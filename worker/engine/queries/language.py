"""How a query is written: `mean income where age >= 40 and sex = female`."""

from __future__ import annotations

import re
from dataclasses import dataclass

PIECE = re.compile(r'"(?:[^"]|"")*"|<=|>=|!=|=|<|>|[^\s=<>!"]+')
ORDERED_SIGNS = ("<", "<=", ">", ">=")
SIGNS = (*ORDERED_SIGNS, "=", "!=")
OF_ROWS, OF_NUMBERS = ("count", "share"), ("sum", "mean")
FORM = "write count, share, sum COLUMN or mean COLUMN, then where COLUMN = VALUE and COLUMN >= VALUE"


@dataclass(frozen=True)
class Condition:
    """What the cells of a column have to be."""

    column: str
    sign: str
    value: str


@dataclass(frozen=True)
class Query:
    """What is asked, of which rows."""

    asks: str
    column: str | None
    conditions: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Everything it looks at, once."""
        named = [self.column] if self.column is not None else []
        return tuple(dict.fromkeys([*named, *(one.column for one in self.conditions)]))


def parsed(text: str) -> Query:
    """The query that a line says; refused with the form it should have, and without what was given."""
    pieces = PIECE.findall(text)
    if "".join(pieces) != re.sub(r'\s+(?=(?:[^"]*"[^"]*")*[^"]*$)', "", text) or not pieces:
        raise ValueError(FORM)
    asks, rest = pieces[0].lower(), pieces[1:]
    if asks not in (*OF_ROWS, *OF_NUMBERS) or (asks in OF_NUMBERS and not rest):
        raise ValueError(FORM)
    column = _plain(rest.pop(0)) if asks in OF_NUMBERS else None
    return Query(asks, column, _conditions(rest))


def _conditions(pieces: list[str]) -> tuple[Condition, ...]:
    if not pieces:
        return ()
    found = []
    for word, at in zip(("where", *["and"] * len(pieces)), range(0, len(pieces), 4), strict=False):
        if len(pieces) < at + 4 or pieces[at].lower() != word or pieces[at + 2] not in SIGNS:
            raise ValueError(FORM)
        found.append(Condition(_plain(pieces[at + 1]), pieces[at + 2], _plain(pieces[at + 3])))
    return tuple(found)


def _plain(piece: str) -> str:
    """Without its quotes, which names and values with blanks need."""
    return piece[1:-1].replace('""', '"') if piece.startswith('"') else piece
