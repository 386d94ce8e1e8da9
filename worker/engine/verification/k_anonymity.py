"""k-anonymity, recomputed: the smallest class of released rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.verification.finding import Facts, Finding, Params, number
from worker.engine.verification.grouping import Group
from worker.engine.verification.narrowing import narrow
from worker.engine.verification.released import Released

SLUG = "k-anonymity"


class Check:
    """Every class holds at least k persons, or rows where persons are not known."""

    def __init__(self, params: Params) -> None:
        self.required = number(params, "k", 5)
        self.slug = SLUG
        self.column: str | None = None
        self.whole = params.get("missing", "own") == "wildcard"
        if params.get("missing", "own") not in ("own", "wildcard"):
            raise EngineError("not-verified", "This reading of missing values is not recomputed.", "missing")

    def told(self, facts: Facts) -> None:
        """The order of the quasi-identifiers."""
        self._quasi = facts.quasi_identifiers()

    def find(self, group: Group, released: Released) -> Finding:
        """The smallest of these classes, and the rows in too small ones."""
        sizes = self._wild(group, released) if self.whole else group.sizes
        small = sizes < self.required
        return Finding(int(sizes.min()), int(group.rows[small].sum()))

    def _wild(self, group: Group, released: Released) -> Any:
        """Hidden and missing cells agree with everything."""
        names = [name for column in self._quasi if (name := released.name_of(column))]
        blank = [[v.find(text) for text in ("", "*")] for v in map(released.vocabulary, names)]
        sizes = np.zeros(group.number, np.int64)

        def agree(column: int, label: int, others: Any) -> Any:
            other = group.keys[column][others]
            return (other == label) | np.isin(other, blank[column]) | (label in blank[column])

        def count(classes: Any, others: Any) -> None:
            sizes[classes] = group.persons_of(others)

        everybody = np.arange(group.number)
        narrow(group.keys, everybody, everybody, agree, count)
        return sizes
