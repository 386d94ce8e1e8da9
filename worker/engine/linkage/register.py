"""Matching a register of named people with a release by equal values, as somebody who holds both would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from worker.engine.linkage.fitting import Fits
from worker.engine.linkage.releases import NOWHERE, Known, Read, Standing, by_row, standing, tuples_of_rows
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.keys import among, group, pack, places_in
from worker.engine.tables.statistics import Statistics


@dataclass(frozen=True)
class Data:
    """A release beside its original, and whose each input row is: a number for its person, or for the row.

    Rows that are `aligned` may be known by where they stood; they are `certain` where the steps were seen.
    """

    before: Statistics
    after: Statistics
    rows: int
    units: Ids
    aligned: bool
    certain: bool
    read: Read = field(default_factory=dict)

    def standing(self, known: Known) -> Standing | None:
        """The class of each row. Rows whose values moved are known by where they stood, or not at all."""
        if self.certain:
            return by_row(known, self.after)
        found = standing(known, self.after, self.aligned, same_people=True)
        return by_row(known, self.after) if found is None and self.aligned else found

    def sizes(self, stand: Standing) -> Counts:
        """The rows of each class, or the persons where a column tells them apart."""
        if self.before.person_key is None:
            return stand.table.counts
        return _held(stand.classes, self.units, len(stand.table))


@dataclass(frozen=True)
class Match:
    """What a register and a release tell together, for each distinct tuple of the register: its rows, how
    many rows or persons of the release fit, and whether that is a unique match – one row of the release fits,
    and no other row of the register fits that one.

    `targets` are those of its rows that are about somebody in the data, `right` how many of these an attacker
    who picks one of the candidates at random is expected to get right. `found` marks the input rows to which
    a unique match leads rightly.
    """

    named: Counts
    candidates: Counts
    unique: Mask
    targets: Counts
    right: Floats
    found: Mask

    @property
    def matches(self) -> int:
        """Rows of the register that fit somebody."""
        return int(self.named[self.candidates > 0].sum())

    @property
    def unique_matches(self) -> int:
        """Those whose match is unique."""
        return int(self.unique.sum())

    @property
    def correct_matches(self) -> int:
        """Unique matches with the right person."""
        return int((self.unique & (self.right > 0)).sum())

    @property
    def precision(self) -> float | None:
        """The part of the unique matches that is right."""
        return self.correct_matches / self.unique_matches if self.unique_matches else None


def matched(data: Data, register: Statistics, names: Sequence[str]) -> Match | None:
    """Matched by these columns; None where nobody knows which row of the release is whose."""
    known = Known.of(data.before, names, data.rows, data.read)
    stand = data.standing(known)
    if stand is None:
        return None
    people = register.counts(names)
    fits = known.fits(stand.table, people).without(stand.hidden)
    sizes = data.sizes(stand)
    candidates = fits.held(sizes)
    about = _about(data, known, register, people)
    led = (about != NOWHERE) & (stand.classes != NOWHERE)
    led[led] = fits.hold(about[led], stand.classes[led])
    inside = _held(about, data.units, len(people))
    own = _held(np.where(led, about, NOWHERE), data.units, len(people))
    targets = np.minimum(people.counts, inside)
    unique = (candidates == 1) & (_claims(fits, people.counts) == 1)
    return Match(
        named=people.counts,
        candidates=candidates,
        unique=unique,
        targets=targets,
        right=targets * own / np.maximum(inside * candidates, 1),
        found=led & np.append(unique, False)[about],
    )


def _claims(fits: Fits, named: Counts) -> Counts:
    """For each tuple the fewest rows of the register that fit a class which fits it."""
    claims = fits.fitting(named)[fits.classes]
    fewest = np.full(fits.known, np.iinfo(np.int64).max)
    np.minimum.at(fewest, fits.people, claims)
    return fewest


def _held(places: Ids, units: Ids, number: int) -> Counts:
    """How many rows, or persons, stand at each place; those that stand nowhere are not counted."""
    there = places != NOWHERE
    each = [number, int(units.max(initial=0)) + 1]
    pairs = group(pack([places[there], units[there]], each, int(there.sum())))
    return np.bincount(places[there][pairs.first], minlength=number).astype(np.int64)


def _about(data: Data, known: Known, register: Statistics, people: FrequencyTable) -> Ids:
    """The tuple of the register that is about each input row: of the same person where both can tell, of the
    same values otherwise."""
    person = data.before.person_key
    if person is None or person not in register.schema:
        alike: Ids = np.append(_places(known.table, people), NOWHERE)[known.rows]
        return alike
    named, own = register.counts((person, *people.names)), data.before.counts((person,))
    last = np.full(len(named.domain(person)) + 1, NOWHERE, np.int64)
    last[named.column(person)] = _places(_beyond_first(named), people)
    rows = tuples_of_rows(data.before, own, data.rows)
    here = np.append(named.domain(person).places_of(own.domain(person))[own.codes[0]], NOWHERE)
    about: Ids = last[here[rows]]
    return about


def _beyond_first(table: FrequencyTable) -> FrequencyTable:
    """The same tuples, in their places, without the first column."""
    return FrequencyTable(table.domains[1:], table.codes[1:], table.counts)


def _places(some: FrequencyTable, table: FrequencyTable) -> Ids:
    """Where the tuples of one table stand in another by the same columns; -1 for those that do not."""
    pairs = zip(some.domains, table.domains, some.codes, strict=True)
    codes = [there.places_of(here)[column] for here, there, column in pairs]
    possible = np.flatnonzero(np.all([one >= 0 for one in codes], axis=0))
    both = [np.append(one, mine[possible]) for one, mine in zip(table.codes, codes, strict=True)]
    keys = pack(both, [max(len(one), 1) for one in table.domains], len(table) + len(possible))
    there, asked = np.split(keys, [len(table)])
    found = np.full(len(some), NOWHERE, np.int64)
    hit = among(asked, there)
    found[possible[hit]] = places_in(there, asked[hit])
    return found
