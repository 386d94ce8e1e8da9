"""How well a model tells the classes of rows it has not seen: area under the curve, accuracy, the curve."""

from __future__ import annotations

import numpy as np

from worker.engine.tables.column import Codes, Floats, Mask

Curve = tuple[float, ...]
STEPS = 20
"""The points of a curve: too few to tell a single row."""
LEAST_GAIN = 0.01
"""A model that gains less than this over knowing nothing tells nothing that could be lost."""


def area(scores: Floats, labels: Mask) -> float | None:
    """The chance that a labelled row scores higher than one that is not, ties counting half; None where one
    sort is missing."""
    many = int(labels.sum())
    few = len(labels) - many
    if not many or not few:
        return None
    return float((_ranks(scores)[labels].sum() - many * (many + 1) / 2) / (many * few))


def area_of_classes(chances: Floats, classes: Codes) -> float | None:
    """The mean over classes, the columns of `chances`, of each against the others, by its rows."""
    rows = np.bincount(classes, minlength=chances.shape[1])
    found = [area(chances[:, one], classes == one) for one in range(chances.shape[1])]
    known = [(one, count) for one, count in zip(found, rows.tolist(), strict=True) if one is not None]
    whole = sum(count for _, count in known)
    return sum(one * count for one, count in known) / whole if whole else None


def accuracy(chances: Floats, classes: Codes) -> float | None:
    """The share of rows whose likeliest class, the first of equal ones, is their own."""
    return float((chances.argmax(axis=1) == classes).mean()) if len(classes) else None


def curve(scores: Floats, labels: Mask) -> tuple[Curve, Curve]:
    """Shares of false alarms, and the share of labelled rows that is found at each."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    alarms, hits = (
        np.append(0, np.cumsum(side[order])[last] / max(int(side.sum()), 1)) for side in (~labels, labels)
    )
    at = np.arange(STEPS + 1) / STEPS
    return tuple(at.tolist()), tuple(np.interp(at, alarms, hits).tolist())


def kept(release: float | None, original: float | None, blind: float | None) -> float | None:
    """Of what the model of the original gains over knowing nothing, the part that the other gains too; None
    where there was nothing to gain."""
    if release is None or original is None or blind is None or original - blind < LEAST_GAIN:
        return None
    return min(max((release - blind) / (original - blind), 0.0), 1.0)


def _ranks(scores: Floats) -> Floats:
    """From 1, equal ones sharing their mean rank."""
    _, places, rows = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(rows) - (rows - 1) / 2)[places.reshape(-1)])
