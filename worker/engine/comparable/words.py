"""One column in words that original and release share, at the level at which it is released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.contracts.scene import Scene
from worker.engine.hierarchies.released_level import labels_at_released_level
from worker.engine.information.bins import ORDERED, Bins, Spread
from worker.engine.tables.column import SUPPRESSED, Codes, Floats
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.intervals import ends_of
from worker.engine.tables.kinds import Kind

BY_LOT = -1
"""Stands for an interval: each of its rows gets the bin of an original that lies in it."""


@dataclass(frozen=True)
class Words:
    """`before` and `after` are the word of each value of either side, as places in `texts`.

    `running` are the cumulative shares of the bins, one row for each released value that is an interval;
    `interval` is that row of each value.
    """

    texts: tuple[str, ...]
    before: Codes
    after: Codes
    interval: Codes
    running: Floats
    ordered: int = 0
    """How many words from the first on stand in order: the bins of numbers and dates."""

    @classmethod
    def of(cls, old: FrequencyTable, new: FrequencyTable, kind: Kind, spec: HierarchySpec | None) -> Words:
        """The original is mapped through the hierarchy where labels are coarser; numbers and dates lie in
        ten bins of the original; any other text is a word of its own."""
        was, became = old.domains[0], new.domains[0]
        labels = None if new is old else labels_at_released_level(was, became, spec)
        if labels is not None:
            return cls._plain(*_numbered(*labels))
        if kind in ORDERED:
            return cls._binned(Bins.of(old, kind), old, became)
        after = was.places_of(became)
        strange = np.flatnonzero(after < 0)
        after[strange] = len(was) + np.arange(len(strange), dtype=np.int32)
        texts = (*was.texts, *(became.text(code) for code in strange.tolist()))
        return cls._plain(texts, np.arange(len(was), dtype=np.int32), after)

    @classmethod
    def _plain(cls, texts: tuple[str, ...], before: Codes, after: Codes) -> Words:
        return cls(texts, before, after, np.zeros(len(after), np.int32), np.zeros((0, 0)))

    @classmethod
    def _binned(cls, bins: Bins, old: FrequencyTable, became: Domain) -> Words:
        number = len(bins.edges) + 1
        was, others_before = _in_bins(bins, old.domains[0])
        after, others_after = _in_bins(bins, became)
        ends = {
            code: (*found, became.text(code).endswith("["))
            for code in others_after.tolist()
            if bins.line.dates is None and (found := ends_of(became.text(code)))
        }
        texts = sorted(
            {old.domains[0].text(code) for code in others_before.tolist()}
            | {became.text(code) for code in others_after.tolist() if code not in ends}
        )
        place = {text: number + at for at, text in enumerate(texts)}
        was[others_before] = [place[old.domains[0].text(code)] for code in others_before.tolist()]
        after[others_after] = [place.get(became.text(code), BY_LOT) for code in others_after.tolist()]
        interval = np.zeros(len(became), np.int32)
        interval[list(ends)] = np.arange(len(ends))
        running = np.zeros((0, number))
        if ends:
            running = np.cumsum(Spread(bins, old).lying(np.array(list(ends.values()), np.float64)), axis=1)
        after[list(ends)] = BY_LOT
        names = (f"part {at + 1} of {number}" for at in range(number))
        return cls((*names, *texts), was, after, interval, running, number)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def star(self) -> int:
        """The word for a suppressed cell; -1 where there is none."""
        return self.texts.index(SUPPRESSED) if SUPPRESSED in self.texts else -1

    def of_release(self, codes: Codes, draws: Floats) -> Codes:
        """The word of each released row; `draws` decide where in its interval a row lies."""
        found = np.asarray(self.after[codes])
        rows = np.flatnonzero(found == BY_LOT)
        if len(rows):
            which, number = self.interval[codes[rows]], self.running.shape[1]
            steps = (self.running + np.arange(len(self.running))[:, None]).ravel()
            at = np.searchsorted(steps, which + draws[rows], side="right") - which * number
            found[rows] = np.clip(at, 0, number - 1)
        return found


def words_of(scene: Scene, name: str) -> Words:
    """Of a column that leaves."""
    spec = scene.before.declaration(name).hierarchy
    old, new = scene.before.counts((name,)), scene.after.counts((name,))
    return Words.of(old, new, scene.before.schema[name].kind, spec)


def own_words_of(scene: Scene, name: str) -> Words:
    """Of a column of the original as it is, which knows more than the release."""
    old = scene.before.counts((name,))
    return Words.of(old, old, scene.before.schema[name].kind, None)


def _numbered(was: Sequence[str], became: Sequence[str]) -> tuple[tuple[str, ...], Codes, Codes]:
    texts = tuple(sorted({*was, *became}))
    place = {text: code for code, text in enumerate(texts)}
    before, after = (np.array([place[text] for text in side], np.int32) for side in (was, became))
    return texts, before, after


def _in_bins(bins: Bins, domain: Domain) -> tuple[Codes, Codes]:
    """The bin of each value, and which values are in none."""
    numbers = bins.line.numbers(domain)
    return bins.bins_of(numbers), np.flatnonzero(np.isnan(numbers)).astype(np.int32)
