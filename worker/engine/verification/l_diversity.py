"""l-diversity, recomputed: how many well-represented sensitive values each class of released rows holds."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.io.formulas import PREFIX
from worker.engine.verification.finding import Finding, Params, column_of, number, texts_of
from worker.engine.verification.grouping import Contents, Group
from worker.engine.verification.released import Released

SLUG = "l-diversity"


class Check:
    """Distinct, entropy or recursive; a class of benign values alone passes. Missing is a value."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = column_of(params)
        self.required = number(params, "l", 2)
        self._variant = params.get("variant", "distinct")
        self._c = number(params, "c", 3.0)
        self._benign = texts_of(params, "benign")
        if self._variant not in ("distinct", "entropy", "recursive"):
            raise EngineError("not-verified", "This variant of l-diversity is not recomputed.", "variant")

    def find(self, group: Group, released: Released) -> Finding:
        """The least diverse of these classes, and the rows in classes that are not diverse enough."""
        assert self.column is not None
        name = released.name_of(self.column) or self.column
        contents = group.contents(name)
        distinct = np.bincount(contents.classes, minlength=group.number)
        judged = ~self._all_benign(contents, group.number, released, name)
        good = distinct >= self.required
        achieved: Any = distinct
        if self._variant == "entropy":
            spread = _entropy(contents, group.number)
            good &= _even_enough(contents, group.number, int(self.required))
            achieved = np.exp(spread)
        elif self._variant == "recursive":
            good &= _leads_little(contents, group.number, int(self.required), self._c)
        least = achieved[judged].min().item() if judged.any() else None
        return Finding(least, int(group.rows[judged & ~good].sum()))

    def _all_benign(self, contents: Contents, number: int, released: Released, name: str) -> Any:
        """Classes in which every value is declared harmless; a benign text may have been defused."""
        texts = (form for text in self._benign for form in (text, PREFIX + text))
        benign = [code for code in map(released.vocabulary(name).find, texts) if code >= 0]
        harmful = np.bincount(contents.classes, weights=~np.isin(contents.values, benign), minlength=number)
        return harmful == 0 if self._benign else np.zeros(number, bool)


def _entropy(contents: Contents, number: int) -> Any:
    """In nats, as −Σ p ln p."""
    total = np.bincount(contents.classes, weights=contents.counts, minlength=number)
    share = contents.counts / total[contents.classes]
    return np.bincount(contents.classes, weights=-share * np.log(share), minlength=number)


def _even_enough(contents: Contents, number: int, least: int) -> Any:
    """nⁿ ≥ lⁿ Π f^f: by logarithms, and where these cannot tell with sixty digits."""
    total = np.bincount(contents.classes, weights=contents.counts, minlength=number)
    counts = contents.counts.astype(np.float64)
    spent = np.bincount(contents.classes, weights=counts * np.log(counts), minlength=number)
    surplus = total * (np.log(np.maximum(total, 1)) - math.log(least)) - spent
    enough = surplus >= 0
    starts = np.searchsorted(contents.classes, np.arange(number + 1))
    for one in np.flatnonzero(np.abs(surplus) <= 1e-12 * np.maximum(spent, 1.0)):
        enough[one] = _exactly(contents.counts[starts[one] : starts[one + 1]].tolist(), least)
    return enough


def _exactly(counts: list[int], least: int) -> bool:
    """The same without a factor that all frequencies have in common: it changes nothing."""
    parts = [count // math.gcd(*counts) for count in counts]
    with localcontext(prec=60):
        spent = sum(Decimal(part).ln() * part for part in parts)
        total = sum(parts)
        return bool((Decimal(total) / least).ln() * total - spent >= -(Decimal(10) ** -40) * total)


def _leads_little(contents: Contents, number: int, least: int, c: float) -> Any:
    """The most frequent value is rarer than c times the l-th and all rarer ones together."""
    order = np.lexsort((-contents.counts, contents.classes))
    classes, counts = contents.classes[order], contents.counts[order]
    starts = np.searchsorted(classes, np.arange(number))
    place = np.arange(len(classes)) - starts[classes]
    tail = np.bincount(classes, weights=np.where(place >= least - 1, counts, 0), minlength=number)
    return counts[starts] < c * tail
