"""Rows of the original in the parts of one column, so that figures can be told of each."""

from __future__ import annotations

import numpy as np

from worker.engine.comparable.drawn import Drawn
from worker.engine.comparable.words import words_of
from worker.engine.contracts.scene import Scene
from worker.engine.tables.column import Codes, Mask

LEAST_ROWS = 30
"""Of fewer rows no figure is told."""
MOST_PARTS = 20


def parts_of(scene: Scene, by: str, rows: Drawn) -> dict[str, Mask]:
    """Which of the rows are in each part, by the value at the released level; numbers in ten parts."""
    words = words_of(scene, by)
    return parts(by, words.texts, words.before[rows.codes[by]])


def parts(by: str, texts: tuple[str, ...], codes: Codes) -> dict[str, Mask]:
    """The largest parts, in the order of their words."""
    sizes = np.bincount(codes, minlength=len(texts))
    largest = np.argsort(-sizes, kind="stable")[:MOST_PARTS]
    told = sorted(code for code in largest.tolist() if sizes[code] >= LEAST_ROWS)
    return {f"{by} = {texts[code] or '(missing)'}": np.asarray(codes == code) for code in told}
