"""How many people of a population file fit each class of released rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.verification.finding import Facts, Params
from worker.engine.verification.grouping import Group
from worker.engine.verification.narrowing import narrow
from worker.engine.verification.released import Released
from worker.engine.verification.tallying import Tally
from worker.engine.verification.trees import Tree


class People:
    """A population file, reduced to its distinct quasi-identifiers."""

    def __init__(self, params: Params, facts: Facts) -> None:
        self._quasi = facts.quasi_identifiers()
        file = facts.populations.get(str(params.get("population")))
        if file is None:
            raise EngineError("no-population-file", "The population file is not there.", "population")
        read = Released(file, self._quasi)
        names = [read.name_of(name) for name in self._quasi]
        if None in names:
            raise EngineError("population-column", "The population file lacks a column.", "population")
        tally = Tally(float("inf"))
        for _, columns, _ in read.pieces([name for name in names if name]):
            tally.add(columns)
        *self._codes, self._rows = tally.columns() or [np.zeros(0, np.int64)] * (len(names) + 1)
        blank = facts.missing | {""}
        texts = [read.texts(name) for name in names if name]
        self._texts = [["" if text in blank else text for text in some] for some in texts]
        self._seen = np.zeros(len(self._rows), bool)
        self._trees = [Tree(facts.columns[name], facts.hierarchies, facts.missing) for name in self._quasi]

    @property
    def all_seen(self) -> bool:
        """Whether everybody fitted one of the classes that were asked about."""
        return bool(self._seen.all())

    def fitting(self, group: Group, released: Released) -> Any:
        """People per class."""
        known = [at for at, name in enumerate(self._quasi) if released.name_of(name)]
        labels = [released.texts(released.name_of(self._quasi[at]) or "") for at in known]
        counts = np.zeros(group.number, np.int64)
        known_fits: dict[tuple[int, int], Any] = {}

        def fits(column: int, label: int, people: Any) -> Any:
            if (column, label) not in known_fits:
                tree, texts = self._trees[known[column]], self._texts[known[column]]
                known_fits[column, label] = np.array(
                    [tree.fits(labels[column][label], t) for t in texts], bool
                )
            return known_fits[column, label][self._codes[known[column]][people]]

        def found(classes: Any, people: Any) -> None:
            counts[classes] = self._rows[people].sum()
            self._seen[people] = True

        narrow(group.keys, np.arange(group.number), np.arange(len(self._rows)), fits, found)
        return counts
