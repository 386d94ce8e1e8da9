"""Who fits a class, column by column: what fits the first label is looked at for the second, and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def narrow(
    keys: Sequence[Any],
    classes: Any,
    candidates: Any,
    fits: Callable[[int, int, Any], Any],
    found: Callable[[Any, Any], None],
    column: int = 0,
) -> None:
    """Calls `found(classes, candidates)` for classes of one key with the candidates that fit it.

    `keys` hold a label per class and column; `fits(column, label, candidates)` tells which fit a label.
    """
    if column == len(keys):
        found(classes, candidates)
        return
    labels = keys[column][classes]
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    for some in np.split(order, ends) if len(order) else []:
        label = int(labels[some[0]])
        narrow(keys, classes[some], candidates[fits(column, label, candidates)], fits, found, column + 1)
