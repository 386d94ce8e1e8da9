"""Columns as the numbers of a regression, the same ones on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.comparable.drawn import Drawn
from worker.engine.comparable.words import Words, words_of
from worker.engine.contracts.scene import Scene
from worker.engine.information.bins import ORDERED, Line
from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask

OTHER = "(other)"
FEWEST = 10
"""Values with fewer rows than this on a side count as one."""
MOST_VALUES = 20


@dataclass(frozen=True)
class Term:
    """What one column adds: the names of coefficients, and for each side a line of numbers for each row; NaN
    where a row has none."""

    names: tuple[str, ...]
    sides: tuple[Floats, Floats]


def term_of(scene: Scene, name: str, drawn: tuple[Drawn, Drawn]) -> Term:
    """A column of numbers or days by itself, any other as yes and no for each value but the commonest."""
    ordered = scene.before.schema[name].kind in ORDERED
    return _of_numbers(scene, name, drawn) if ordered else _of_values(scene, name, drawn)


def numbers_of(scene: Scene, name: str, drawn: tuple[Drawn, Drawn]) -> tuple[Floats, Floats]:
    """The number or day in each row of both sides, an interval by its middle."""
    line = Line.of(scene.before.counts((name,)), scene.before.schema[name].kind)
    was, became = (
        line.middles(side.distinct(name))[rows.codes[name]]
        for side, rows in zip((scene.before, scene.after), drawn, strict=True)
    )
    return was, became


def _of_numbers(scene: Scene, name: str, drawn: tuple[Drawn, Drawn]) -> Term:
    was, became = numbers_of(scene, name, drawn)
    return Term((name,), (was[:, None], became[:, None]))


def _of_values(scene: Scene, name: str, drawn: tuple[Drawn, Drawn]) -> Term:
    words = words_of(scene, name)
    codes = words.before[drawn[0].codes[name]], words.after[drawn[1].codes[name]]
    told = told_values(words, codes)
    rest = [np.isin(side, told, invert=True) for side in codes]
    columns = [[side == code for code in told[1:]] for side in codes]
    names = [f"{name} = {words.texts[code] or '(missing)'}" for code in told[1:]]
    if any(side.any() for side in rest):
        names.append(f"{name} = {OTHER}")
        columns = [[*one, side] for one, side in zip(columns, rest, strict=True)]
    made = [_known(one, side, words.star) for one, side in zip(columns, codes, strict=True)]
    return Term(tuple(names), (made[0], made[1]))


def told_values(words: Words, codes: Sequence[Codes]) -> list[int]:
    """The values that have coefficients of their own, the commonest of the original first."""
    was, became = (np.bincount(side, minlength=len(words)) for side in codes)
    often = (was >= FEWEST) & ((became >= FEWEST) | (became == 0))
    if words.star >= 0:
        often[words.star] = False
    order = np.argsort(-was, kind="stable")
    return [code for code in order.tolist() if often[code]][:MOST_VALUES]


def _known(columns: Sequence[Mask], codes: Codes, star: int) -> Floats:
    """As numbers; a suppressed cell has none."""
    found = np.zeros((len(codes), len(columns)))
    for at, column in enumerate(columns):
        found[:, at] = column
    found[codes == star] = np.nan
    return found


def two_values(scene: Scene, name: str, drawn: tuple[Drawn, Drawn]) -> tuple[Floats, Floats] | None:
    """1 where a row holds the later one of the column's two values, 0 where it holds the other, NaN where
    neither; None where the original has more values or fewer."""
    words, was = words_of(scene, name), scene.before.distinct(name)
    gone = was.missing | (np.arange(len(was)) == was.find(SUPPRESSED))
    values = sorted(set(words.before[~gone].tolist()), key=lambda code: words.texts[code])
    if len(values) != 2:
        return None
    to = np.full(len(words), np.nan)
    to[values] = 0, 1
    return to[words.before[drawn[0].codes[name]]], to[words.after[drawn[1].codes[name]]]
