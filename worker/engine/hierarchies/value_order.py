"""The order of a column's values: by size, as declared, or by text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.hierarchies.hierarchy import read
from worker.engine.tables.column import Codes
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import NUMERIC, Kind


def ranks_of(domain: Domain, declared: Declaration) -> Codes:
    """The place of each value: numbers by size, ordinals as declared, everything else by text.

    A missing value comes first; values of an ordinal column that are not declared come last, by text.
    """
    if domain.kind in NUMERIC:
        keys = [(-np.inf if np.isnan(n) else n, t) for n, t in zip(domain.numbers, domain.texts, strict=True)]
    else:
        said = declared_order(domain, declared) if domain.kind is Kind.ORDINAL else ()
        place = {text: number for number, text in enumerate(said)}
        pairs = zip(domain.texts, domain.missing, strict=True)
        keys = [(-1.0 if gone else float(place.get(text, len(place))), text) for text, gone in pairs]
    ranks = np.zeros(len(domain), np.int32)
    ranks[sorted(range(len(domain)), key=keys.__getitem__)] = np.arange(len(domain))
    return ranks


def declared_order(domain: Domain, declared: Declaration) -> Sequence[str]:
    """The categories in their order, or the order of the hierarchy when it has one."""
    if declared.categories:
        return declared.categories
    spec = declared.hierarchy
    if spec is None:
        return ()
    if spec.lines is not None:
        return tuple(row[0] for row in read(spec.lines, domain.name).rows)
    values = spec.options.get("values", ()) if spec.builder == "order" else ()
    return tuple(str(value) for value in values)
