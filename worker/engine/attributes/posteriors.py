"""What somebody who finds a person's class believes of the sensitive value, beside what the table tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from worker.engine.attributes.ordering import ordered_distances
from worker.engine.tables.classes import Classes, Ids
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import Counts, Domain

AT_ONCE = 1 << 15


@dataclass(frozen=True)
class Posteriors:
    """One entry per value that occurs in a class, in the order of classes: the class, the code of the value,
    how many in the class hold it. What is worked out for every entry of many is worked out in `parts`.

    `people` is the size of each class and `overall` how often each value occurs in the whole table; both in
    persons where a key tells them apart. `harmless` marks the values that need no protection.
    """

    domain: Domain
    ids: Ids
    codes: Codes
    inside: Counts
    people: Counts
    overall: Counts
    harmless: Mask

    @classmethod
    def of(cls, classes: Classes, column: str, benign: Iterable[str] = ()) -> Posteriors:
        """A sensitive column in the classes of a table counted by the keys of the classes and this column."""
        domain = classes.table.domain(column)
        texts = (domain.find(text) for text in benign)
        harmless = np.zeros(len(domain), bool)
        harmless[[code for code in texts if code >= 0]] = True
        entries = _persons(classes, column) if classes.table.persons is not None else _rows(classes, column)
        return cls(domain, *entries, classes.sizes, classes.overall(column), harmless)

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.people)

    @cached_property
    def held(self) -> Counts:
        """How many values each class holds in all: a person with two values holds both."""
        parts = [np.bincount(one.ids, one.inside, one.number).astype(np.int64) for one in self.parts()]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    @property
    def posterior(self) -> Floats:
        """The share of each entry's value in its class."""
        return np.asarray(self.inside / self.held[self.ids])

    @cached_property
    def prior(self) -> Floats:
        """The share of each value in the whole table."""
        return np.asarray(self.overall / max(int(self.overall.sum()), 1))

    @property
    def gain(self) -> Floats:
        """By how much the class tells more of each entry's value than the table."""
        return np.asarray(self.posterior - self.prior[self.codes])

    @property
    def harmful(self) -> Mask:
        """The entries whose value is to be protected."""
        return np.asarray(~self.harmless[self.codes])

    @cached_property
    def distinct(self) -> Counts:
        """How many different values each class holds."""
        return np.bincount(self.ids, minlength=self.number)

    @cached_property
    def judged(self) -> Mask:
        """Classes that hold anything to be protected."""
        return np.bincount(self.ids, self.harmful, self.number) > 0

    @cached_property
    def effective(self) -> Floats:
        """How many equally frequent values would be as hard to guess: e to the entropy."""
        counts = self.inside.astype(np.float64)
        spent = np.bincount(self.ids, counts * np.log(counts), self.number)
        return np.asarray(np.maximum(np.exp(np.log(self.held) - spent / self.held), 1.0))

    def apart(self) -> Floats:
        """Half the sum of |p − q| of each class: all values are equally far apart."""
        seen = np.abs(self.gain)
        unseen = 1 - np.bincount(self.ids, self.prior[self.codes], self.number)
        return np.asarray((np.bincount(self.ids, seen, self.number) + unseen) / 2)

    def apart_in_order(self, ranks: Codes) -> Floats:
        """Σ |cumulative (p − q)| / (m − 1) of each class over the m values that occur, by rank."""
        present = np.flatnonzero(self.overall)
        place = np.zeros(len(self.overall), np.int32)
        place[present[np.argsort(ranks[present], kind="stable")]] = np.arange(len(present))
        shares = np.zeros(len(present))
        shares[place[present]] = self.prior[present]
        found = [ordered_distances(*part._ordered(place), shares) for part in self.parts()]
        return np.concatenate(found) if found else np.zeros(0)

    def _ordered(self, place: Codes) -> tuple[Ids, Codes, Counts]:
        """The entries by class and place."""
        places = place[self.codes]
        order = np.lexsort((places, self.ids))
        return self.ids[order], places[order], self.inside[order]

    def parts(self) -> Iterator[Posteriors]:
        """Whole classes, numbered anew, not too many at once. Every class has an entry."""
        start = 0
        while start < len(self.ids):
            first, last = int(self.ids[start]), int(self.ids[min(start + AT_ONCE, len(self.ids)) - 1])
            end = int(np.searchsorted(self.ids, last, side="right"))
            some, people = slice(start, end), self.people[first : last + 1]
            ids, codes, inside = self.ids[some] - first, self.codes[some], self.inside[some]
            yield replace(self, ids=ids, codes=codes, inside=inside, people=people)
            start = end


def _rows(classes: Classes, column: str) -> tuple[Ids, Codes, Counts]:
    """Every tuple is one value of one class."""
    ids, codes, counts = classes.ids, classes.table.column(column), classes.table.counts
    member = ids >= 0
    return (ids, codes, counts) if member.all() else (ids[member], codes[member], counts[member])


def _persons(classes: Classes, column: str) -> tuple[Ids, Codes, Counts]:
    """Several tuples may tell of one value of a class, each of somebody else."""
    found = classes.contents(column)
    return found.ids, found.codes, found.counts
