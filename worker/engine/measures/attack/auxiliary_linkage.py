"""Looking the people of a register up in a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import AuxiliaryFile, Columns
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import DoesNotApply, Effort, Found, Measure, Section, register
from worker.engine.contracts.samples import POPULATION
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.errors import EngineError
from worker.engine.linkage.register import Data, Match, matched
from worker.engine.linkage.releases import tuples_of_rows
from worker.engine.linkage.shares import wilson
from worker.engine.tables.classes import Ids
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import NUMERIC, Kind, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

BYTES_PER_ROW = 80
MOVED = (Trace.PERTURBED, Trace.MADE_UP)
NO_KEYS = "No quasi-identifier that leaves is in the register as well, so that nobody can be looked up."
MOVED_KEYS = (
    "The keys were perturbed or made up, so that looking up equal values finds nobody: record linkage, or "
    "the distances of hold-out rows, answer."
)
NOT_ALIGNED = (
    "The release is not the original made coarser, and nobody knows which row was which: whether a match is "
    "right cannot be told."
)


@register
class AuxiliaryLinkage(Measure):
    """Whom somebody finds who holds a register with names, such as a list of voters.

    Each person of the register is looked up by the keys: a row of the release fits when its values are the
    person's, or labels that cover them – by the hierarchies of the recipe, as intervals, sets and masks. A
    match is unique when one row fits, and no other person of the register fits that row. It is correct when
    the row is that person's: by a person key that register and data share, otherwise when the original row
    equals the register on all keys. Suppressed rows (`*` in every key) are not looked up. Keys whose
    categories were exchanged or drawn are looked up by equal values; for numbers that were perturbed record
    linkage answers.

    Success is what somebody gets right who picks one of the rows that fit, over the persons of the register
    who are in the data; the baseline picks any row of the release. The interval is that of Wilson (95 %).
    """

    slug = "auxiliary-linkage"
    title = "Linkage with a register"
    section = Section.ATTACK
    references = ("Sweeney (2002), k-anonymity: a model for protecting privacy",)
    figures: ClassVar = (
        Figure(
            "correct_share",
            "Share of rows re-identified",
            "Unique matches with the right person, divided by the rows of the release.",
            unit="share",
            better="low",
            usual=(0, 0.01),
            headline=True,
        ),
        Figure(
            "matches",
            "Matches",
            "Rows of the register whom at least one row of the release fits.",
            unit="count",
        ),
        Figure(
            "unique_matches",
            "Unique matches",
            "One row of the release fits, and no other row of the register fits that one.",
            unit="count",
            better="low",
        ),
        Figure(
            "correct_matches",
            "Correct matches",
            "Unique matches with the right person.",
            unit="count",
            better="low",
            headline=True,
        ),
        Figure(
            "precision",
            "Precision",
            "Correct matches divided by unique matches: how far somebody may trust a unique match.",
            unit="share",
            better="low",
        ),
        Figure("people", "People of the register", "Rows of the register.", unit="count"),
        Figure("targets", "In the data", "Rows of the register about somebody in the data.", unit="count"),
        Figure(
            "success",
            "Success",
            "The share of these for whom one of the rows that fit, picked at random, is the right one.",
            unit="share",
            better="low",
        ),
        Figure("success_low", "Success, low", "The lower end of its interval at 95 %.", unit="share"),
        Figure("success_high", "Success, high", "The upper end of its interval at 95 %.", unit="share"),
        Figure("baseline", "Baseline", "1 ÷ rows of the release: picking any row.", unit="share"),
        Figure(
            "advantage",
            "Advantage",
            "Success less baseline: what the keys give away.",
            better="low",
        ),
        Figure(
            "matches_by",
            "Matches, by set of keys",
            "The same with all keys, with one left out, and with each alone.",
            unit="count",
            per="part",
        ),
        Figure(
            "unique_by",
            "Unique matches, by set of keys",
            "The same for unique matches.",
            unit="count",
            per="part",
        ),
        Figure(
            "correct_by",
            "Correct matches, by set of keys",
            "The same for unique matches with the right person.",
            unit="count",
            better="low",
            per="part",
        ),
        Figure(
            "precision_by",
            "Precision, by set of keys",
            "The same for the precision.",
            unit="share",
            per="part",
        ),
        Figure(
            "found",
            "Found",
            "1 where a unique match leads to this row rightly, otherwise 0.",
            unit="count",
            better="low",
            per="record",
        ),
    )

    file: Annotated[str, AuxiliaryFile()] = Field(
        title="Register", description="A table of people with names, with columns named as in the data."
    )
    keys: Annotated[tuple[str, ...], Columns()] = Field(
        (),
        title="Keys",
        description="By which people are looked up; none means every quasi-identifier that both have.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(file=POPULATION), cls(file=POPULATION, keys=("age", "sex")))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        traces = outlook.traces
        names = self.keys or outlook.schema.named(Role.QUASI_IDENTIFIER)
        if traces is None or not names:
            return None if names else NO_KEYS
        if all(traces[name] is Trace.REMOVED for name in names):
            return NO_KEYS
        return None if self._usable(names, outlook.schema, traces) else MOVED_KEYS

    def effort(self, outlook: Outlook) -> Effort:
        return Effort(super().effort(outlook).seconds, memory=outlook.rows * BYTES_PER_ROW)

    def compare(self, scene: Scene) -> Found:
        people = scene.outside.auxiliary(self.file)
        names = self._keys_in(people, scene)
        certain = scene.aligned and scene.traces is not None
        data = Data(scene.before, scene.after, scene.rows, _units(scene), scene.aligned, certain)
        found = {" + ".join(some): matched(data, people, some) for some in _sets(names)}
        known = {title: one for title, one in found.items() if one is not None}
        whole = found[" + ".join(names)]
        if whole is None:
            raise DoesNotApply(NOT_ALIGNED)
        rows = scene.after.rows() if scene.before.person_key is None else _persons(data, scene)
        return Found(
            {**_together(whole, rows), **_by_keys(known)},
            charts=(_chart(known),),
            records={"found": whole.found.astype(np.float64)},
        )

    def _keys_in(self, people: Statistics, scene: Scene) -> tuple[str, ...]:
        """The keys to go by; those that were asked for must be there."""
        for name in self.keys:
            if name not in people.schema:
                text = f"keys: the register has no column {name!r}. Give it the name that it has in the data."
                raise EngineError("no-such-column", text, param="keys")
        names = [name for name in self.keys or scene.before.quasi_identifiers if name in people.schema]
        names = [name for name in names if name in scene.after.schema]
        if not names:
            raise DoesNotApply(NO_KEYS)
        usable = self._usable(names, scene.before.schema, scene.traces)
        if not usable:
            raise DoesNotApply(MOVED_KEYS)
        return usable

    def _usable(self, names: Sequence[str], schema: Schema, traces: Traces | None) -> tuple[str, ...]:
        """The keys that can be looked up by equal values; none where somebody asked for one that cannot."""
        if traces is None:
            return tuple(names)
        there = tuple(name for name in names if traces[name] is not Trace.REMOVED)
        usable = tuple(name for name in there if not _moved(traces[name], schema[name].kind))
        return () if self.keys and usable != there else usable


def _moved(trace: Trace, kind: Kind) -> bool:
    """Whether nobody is found by equal values any more."""
    return trace is Trace.MADE_UP or (trace is Trace.PERTURBED and (kind in NUMERIC or kind is Kind.DATE))


def _sets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All keys, all but one, each alone."""
    fewer = [tuple(one for one in names if one != gone) for gone in names]
    return list(dict.fromkeys((names, *(some for some in fewer if some), *((name,) for name in names))))


def _units(scene: Scene) -> Ids:
    """Whose each row is: the person's where a column tells, the row's own otherwise."""
    key = scene.before.person_key
    if key is None:
        return np.arange(scene.rows)
    return np.maximum(tuples_of_rows(scene.before, scene.before.counts((key,)), scene.rows), 0)


def _persons(data: Data, scene: Scene) -> int:
    """The persons whose rows are released, as far as anybody knows."""
    stays = np.zeros(scene.rows, bool)
    for chunk in (scene.after if scene.aligned else scene.before).chunks(()):
        stays[chunk.row_ids] = True
    return len(distinct(data.units[stays]))


def _together(match: Match, rows: int) -> Figures:
    targets, right = int(match.targets.sum()), float(match.right.sum())
    success, baseline = right / targets if targets else None, 1 / rows if rows else None
    low, high = wilson(right, targets) or (None, None)
    return {
        "people": int(match.named.sum()),
        "matches": match.matches,
        "unique_matches": match.unique_matches,
        "correct_matches": match.correct_matches,
        "correct_share": match.correct_matches / rows if rows else None,
        "precision": match.precision,
        "targets": targets,
        "success": success,
        "success_low": low,
        "success_high": high,
        "baseline": baseline,
        "advantage": None if success is None or baseline is None else success - baseline,
    }


def _by_keys(found: Mapping[str, Match]) -> Figures:
    return {
        "matches_by": {title: one.matches for title, one in found.items()},
        "unique_by": {title: one.unique_matches for title, one in found.items()},
        "correct_by": {title: one.correct_matches for title, one in found.items()},
        "precision_by": {title: one.precision for title, one in found.items()},
    }


def _chart(found: Mapping[str, Match]) -> Chart:
    """How many people are found by each set of keys."""
    titles = tuple(found)
    return Chart(
        "register-matches",
        "People of the register found, by set of keys",
        "bar",
        Axis("Keys", "", "category"),
        Axis("People"),
        (
            Series("Matched", titles, tuple(one.matches for one in found.values())),
            Series("Matched with one row", titles, tuple(one.unique_matches for one in found.values())),
            Series("Rightly", titles, tuple(one.correct_matches for one in found.values())),
        ),
        note="The nearer the last bar comes to the first, the more the keys give away.",
        internal=True,
    )
