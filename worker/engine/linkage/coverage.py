"""Which values a released label covers, and how many people of a population file fit a class."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.contracts.goal import Knowledge
from worker.engine.hierarchies.hierarchy import hierarchy_for, root_of
from worker.engine.hierarchies.value_order import declared_order
from worker.engine.tables.classes import Classes
from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.keys import pack
from worker.engine.tables.kinds import Kind

_NUMBER = r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*"
_BETWEEN = re.compile(rf"^\[{_NUMBER},{_NUMBER}([\[\]])$")
_FROM_TO = re.compile(r"^\[(.*), (.*)\]$", re.DOTALL)
_BEYOND = re.compile(rf"^(<|>=){_NUMBER}$")

Paths = tuple[frozenset[str], ...]
"""For each value of a population column, every label it has on its way up its hierarchy, itself included."""


@dataclass(frozen=True)
class People:
    """A population file, counted by its quasi-identifiers, with the labels of every value."""

    table: FrequencyTable
    paths: Mapping[str, Paths]
    orders: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, table: FrequencyTable, sample: Knowledge) -> People:
        """People counted by the columns of a sample, as its hierarchies and orders have them."""
        paths, orders = {}, {}
        for values in table.domains:
            declared, own = sample.declaration(values.name), sample.distinct(values.name)
            paths[values.name] = paths_of(declared.hierarchy, own, values)
            if own.kind is Kind.ORDINAL:
                orders[values.name] = declared_order(own, declared)
        return cls(table, paths, orders)

    def inside(self, classes: Classes, seen: Mask | None = None) -> Counts:
        """How many people each class covers; a column that varies within a class narrows nothing down.

        Who is covered is marked in `seen`.
        """
        seen = np.zeros(len(self.table), bool) if seen is None else seen
        names = constant_columns(classes, self.table.names)
        first = classes.first()
        covers = [self._cover(classes.table.domain(name), name) for name in names]
        labels = [classes.table.column(name)[first] for name in names]
        people = [self.table.column(name) for name in names]
        if all(cover.sum(axis=0).max(initial=0) <= 1 for cover in (c[~_wild(c)] for c in covers)):
            return self._looked_up(covers, labels, people, classes.number, seen)
        return self._searched(covers, labels, people, classes.number, seen)

    def _cover(self, domain: Domain, name: str) -> Mask:
        """cover[label, value]: whether a label may stand for a value of the population."""
        return covers(domain, self.table.domain(name), self.paths[name], self.orders.get(name, ()))

    def _looked_up(
        self,
        covers: Sequence[Mask],
        labels: Sequence[Codes],
        people: Sequence[Codes],
        number: int,
        seen: Mask,
    ) -> Counts:
        """Every value has at most one label besides `*`: count people by label, look the classes up."""
        found = np.zeros(number, np.int64)
        wild = np.array([_wild(c)[one] for c, one in zip(covers, labels, strict=True)], bool)
        wild = wild.reshape(len(covers), number)
        patterns, which = np.unique(wild, axis=1, return_inverse=True)
        for pattern in range(patterns.shape[1] if number else 0):
            mine = np.flatnonzero(which.reshape(-1) == pattern)
            at = np.flatnonzero(~patterns[:, pattern]).tolist()
            found[mine] = self._counted([covers[i] for i in at], [labels[i][mine] for i in at],
                                        [people[i] for i in at], len(mine), seen)  # fmt: skip
        return found

    def _counted(
        self,
        covers: Sequence[Mask],
        labels: Sequence[Codes],
        people: Sequence[Codes],
        number: int,
        seen: Mask,
    ) -> Counts:
        known = np.ones(len(self.table), bool)
        mapped = []
        for cover, codes in zip(covers, people, strict=True):
            sure: Mask = cover & ~_wild(cover)[:, None]
            known &= np.asarray(sure.any(axis=0))[codes]
            mapped.append(sure.argmax(axis=0)[codes])
        both = [np.concatenate([one, m[known]]) for one, m in zip(labels, mapped, strict=True)]
        keys = pack(both, [len(cover) for cover in covers], number + int(known.sum()))
        distinct, at = np.unique(keys, return_inverse=True)
        counts = np.zeros(len(distinct), np.int64)
        which, of_people = np.split(at.reshape(-1), [number])
        np.add.at(counts, of_people, self.table.counts[known])
        taken = np.zeros(len(distinct), bool)
        taken[which] = True
        seen[np.flatnonzero(known)[taken[of_people]]] = True
        return counts[which]

    def _searched(
        self,
        covers: Sequence[Mask],
        labels: Sequence[Codes],
        people: Sequence[Codes],
        number: int,
        seen: Mask,
    ) -> Counts:
        """Labels overlap: look for the people of each class."""
        found = np.zeros(number, np.int64)
        for one in range(number):
            fits = np.ones(len(self.table), bool)
            for cover, label, codes in zip(covers, labels, people, strict=True):
                fits &= cover[label[one]][codes]
            found[one] = self.table.counts[fits].sum()
            seen |= fits
        return found


def covers(labels: Domain, values: Domain, paths: Paths, order: Sequence[str] = ()) -> Mask:
    """cover[label, value]: whether a label may stand for a value, by the labels on its way up its hierarchy,
    or by what the label itself says."""
    cover = np.zeros((len(labels), len(values)), bool)
    for value, path in enumerate(paths):
        for known in path & labels.index.keys():
            cover[labels.index[known], value] = True
    for label, text in enumerate(labels.texts):
        if text == SUPPRESSED:
            cover[label] = True
        elif not cover[label].any():
            cover[label] = between(text, values.numbers) | among(text, values, order)
    return cover


def constant_columns(classes: Classes, names: Sequence[str]) -> list[str]:
    """The columns that have one value in each class."""
    first, member = classes.first(), classes.ids >= 0
    constant = []
    for name in names:
        codes = classes.table.column(name)
        if np.array_equal(codes[member], codes[first][classes.ids[member]]):
            constant.append(name)
    return constant


def paths_of(spec: HierarchySpec | None, sample: Domain, population: Domain) -> Paths:
    """The labels of each population value.

    Values of the sample follow the hierarchy of the sample; a builder is asked about the others too. A
    missing value generalizes as in the sample: without a row it stays itself up to the root.
    """
    hierarchy = hierarchy_for(spec, sample)
    own, root = hierarchy.paths, root_of(hierarchy)
    texts = sorted({*sample.texts, *population.texts})
    rest = hierarchy_for(
        spec, Domain(sample.name, sample.kind, tuple(texts), np.array([not t for t in texts]))
    )
    absent = next((row for text in ("", *(spec.missing if spec else ())) if (row := own.get(text))), None)
    found = []
    for text, gone in zip(population.texts, population.missing, strict=True):
        path = own.get(text) or (absent[1:] if absent and gone else rest.paths.get(text))
        if path is None:
            path = (root,) if gone or text == SUPPRESSED else ()
        found.append(frozenset((text, *path)))
    return tuple(found)


def between(label: str, numbers: Floats) -> Mask:
    """Which numbers lie in the interval a label describes; none when it describes none."""
    if found := _BETWEEN.match(label):
        low, high = float(found[1]), float(found[2])
        inside: Mask = (numbers >= low) & ((numbers <= high) if found[3] == "]" else (numbers < high))
        return inside
    if found := _BEYOND.match(label):
        beyond: Mask = numbers < float(found[2]) if found[1] == "<" else numbers >= float(found[2])
        return beyond
    return np.zeros(len(numbers), bool)


def among(label: str, values: Domain, order: Sequence[str]) -> Mask:
    """Which values are members of a set, or stand between two others in a declared order or by text."""
    if label.startswith("{") and label.endswith("}"):
        members = set(next(csv.reader([label[1:-1]], skipinitialspace=True), []))
        return np.array([text in members for text in values.texts], bool)
    found = _FROM_TO.match(label)
    if found is None or _BETWEEN.match(label):
        return np.zeros(len(values), bool)
    if order:
        place = {text: number for number, text in enumerate(order)}
        low, high = place.get(found[1], len(place)), place.get(found[2], -1)
        return np.array([low <= place.get(text, -1) <= high for text in values.texts], bool)
    between_them: Mask = np.array([found[1] <= text <= found[2] for text in values.texts], bool)
    return between_them & ~values.missing


def _wild(cover: Mask) -> Mask:
    """Labels that cover everything."""
    return np.asarray(cover.all(axis=1))
