"""Rows in the parts of one column, so that figures can be told of each."""

from __future__ import annotations

import numpy as np

from worker.engine.comparable.drawn import Drawn, lot
from worker.engine.comparable.words import Words, words_of
from worker.engine.contracts.scene import Scene
from worker.engine.tables.column import Codes, Mask

LEAST_ROWS = 30
"""Of fewer rows no figure is told."""
MOST_PARTS = 20


def parts_of(scene: Scene, by: str, rows: Drawn) -> dict[str, Mask]:
    """Which of the original's rows are in each part: by the value at the released level, numbers in ten."""
    words = words_of(scene, by)
    codes = words.before[rows.codes[by]]
    return {part: np.asarray(codes == code) for part, code in _told(by, words, codes).items()}


def parts_of_both(scene: Scene, by: str, drawn: tuple[Drawn, Drawn]) -> dict[str, tuple[Mask, Mask]]:
    """The same of rows of both sides."""
    words, (was, became) = words_of(scene, by), drawn
    before = words.before[was.codes[by]]
    after = words.of_release(became.codes[by], lot(scene.source, by, len(became)))
    return {part: (before == code, after == code) for part, code in _told(by, words, before).items()}


def _told(by: str, words: Words, codes: Codes) -> dict[str, int]:
    """The word of each part that is large enough: the largest ones, in the order of their words."""
    sizes = np.bincount(codes, minlength=len(words))
    largest = np.argsort(-sizes, kind="stable")[:MOST_PARTS].tolist()
    told = sorted(code for code in largest if sizes[code] >= LEAST_ROWS)
    return {f"{by} = {words.texts[code] or '(missing)'}": code for code in told}
