"""The scan of the columns that leave: which of them single rows out, tagged or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import (
    SECONDS_PER_CELL,
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    register,
)
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.contracts.traces import ReleaseFamily, Trace, Traces
from worker.engine.scan.counting import Table
from worker.engine.scan.looking_up import singled_out
from worker.engine.scan.subsets import Scanned, scan
from worker.engine.scan.told_apart import Names, ToldApart
from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.tables.questions import CountsOf, Question
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema
from worker.engine.wording import percent, thousands

KNOWN = (Role.QUASI_IDENTIFIER, Role.OTHER)
EQUAL = (Trace.KEPT, Trace.COARSER)
"""What is left of a column in which a row can be looked up by equal values."""
NAMED = 5
"""So many sets are named in words."""
NOTHING_LEAVES = "No quasi-identifier and no column kept as it is leaves, so that nothing can be looked up."
NOBODY_KNOWS = (
    "Every column that leaves is sensitive or declared unknown to others: nothing can be looked up."
)
MOVED = {
    ReleaseFamily.MADE_UP: "The values were made up, so that rows belong to nobody: whether they give away "
    "who they were made from is what hold-out distances answer.",
    ReleaseFamily.PERTURBED: "The values were moved, so that nobody is found by equal ones: record linkage "
    "answers.",
}


@register
class KeptColumns(Measure):
    """How many rows the columns that leave single out, whether or not they are tagged as quasi-identifiers.

    A column kept as it is can be known to others too. Rows equal on all quasi-identifiers and all kept
    columns form a class; a class of one is a row that whoever knows these columns of a person finds for
    certain. A kept column that is declared unknown to others does not count there, and neither do sensitive
    columns, which are what an attacker wants to learn; what they would add is told apart. The scan looks at
    every set of up to so many of all columns that leave, sensitive ones too: distinction is the number of
    combinations divided by rows, separation the pairs of rows that differ divided by all pairs. A column
    whose values were moved or made up cannot be looked up by equal values and is left out. Where all columns
    make more than two million combinations, or more than memory allows, sets that can make many are estimated
    from a sample of these, with its error; what all known columns single out together stays exact. A missing
    value and `*` are values of their own. With a person key, persons are singled out instead of rows: who
    stands alone with one of their rows; equal rows of a person count once.
    """

    slug = "kept-columns"
    title = "Columns that leave"
    section = Section.RISK
    references = ("Motwani & Xu (2007), Efficient algorithms for masking and finding quasi-identifiers",)
    figures: ClassVar = (
        Figure(
            "unique_share",
            "Share of rows singled out",
            "Unique rows divided by rows, in the quasi-identifiers and the kept columns others could know.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            public=True,
            headline=True,
            example="{unique_rows} rows are found for certain: {unique_share}",
        ),
        Figure(
            "unique_rows",
            "Rows singled out",
            "Rows, or persons, that no other row equals in all of these columns.",
            unit="count",
            better="low",
            public=True,
        ),
        Figure(
            "columns",
            "Columns",
            "Quasi-identifiers and kept columns that others could know, counted together.",
            unit="count",
            public=True,
        ),
        Figure(
            "kept",
            "Kept",
            "Those of them that are kept as they are and that no goal looks at.",
            unit="count",
            public=True,
        ),
        Figure(
            "rows",
            "Rows",
            "Rows looked at; rows with * in every one of these columns are not among them.",
            unit="count",
            public=True,
        ),
        Figure(
            "adds",
            "What it adds",
            "The share of rows that the quasi-identifiers and this kept column single out, less what "
            "the quasi-identifiers single out alone.",
            unit="share",
            better="low",
            usual=(0, 0.01),
            per="column",
            roles=(Role.OTHER,),
        ),
        Figure(
            "would_add",
            "What it would add",
            "The same of a column that is not counted, sensitive or declared unknown: if others knew it.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "unknown",
            "Declared unknown to others",
            "Why nobody else could know this kept column, as it was declared.",
            unit="words",
            per="column",
        ),
        Figure(
            "left_out",
            "Not looked up",
            "Why this column is in no set: nobody is found by equal values of it.",
            unit="words",
            per="column",
        ),
        Figure(
            "smallest_set_size",
            "Columns that suffice",
            "The fewest columns, of all that leave, that single out the share of rows asked about; none "
            "where no set that was looked at does.",
            unit="count",
            better="high",
        ),
        Figure(
            "smallest_sets",
            "Smallest sets",
            "The smallest sets of columns, of all that leave, that single out the share of rows asked about.",
            unit="words",
        ),
        Figure(
            "all_share",
            "All columns together",
            "The share that all columns that leave single out together: no set of them singles out more.",
            unit="share",
            better="low",
        ),
        Figure(
            "singled_out",
            "Singled out, set by set",
            "Rows that no other row equals in these columns, divided by rows.",
            unit="share",
            better="low",
            per="part",
        ),
        Figure(
            "distinction",
            "Distinction, set by set",
            "Combinations of values that occur, divided by rows: 1 where all rows differ.",
            unit="share",
            better="low",
            per="part",
        ),
        Figure(
            "separation",
            "Separation, set by set",
            "Pairs of rows that differ in one of these columns, divided by all pairs.",
            unit="share",
            better="low",
            per="part",
        ),
        Figure(
            "sets",
            "Sets looked at",
            "How many sets of columns were counted, of how many, and how exactly.",
            unit="words",
        ),
        Figure(
            "others_at_most",
            "Sets not looked at, at most",
            "No set that was not counted singles out a larger share than this; 0 where all were.",
            unit="share",
            better="low",
        ),
        Figure(
            "error",
            "Error of the sets",
            "Half the width of a 95 % interval of the least certain share; 0 where sets were counted.",
            unit="share",
            better="low",
        ),
    )

    size: int = Field(
        3, ge=1, le=6, title="Columns in a set", description="Sets of up to so many columns are looked at."
    )
    share: float = Field(
        0.05,
        gt=0,
        le=1,
        title="Share of rows",
        description="Sets that single out such a share are named, the smallest ones first.",
    )
    listed: int = Field(
        60,
        ge=1,
        le=20_000,
        title="Sets listed",
        description="So many sets have their own figures: single columns, then those that single out most.",
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        known = [name for role in KNOWN for name in outlook.schema.named(role)]
        if not known:
            return NOTHING_LEAVES
        if any(_is_equal(outlook.traces, name) for name in known):
            return None
        return MOVED.get(outlook.traces.family if outlook.traces else ReleaseFamily.TRUTHFUL, NOTHING_LEAVES)

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(_leaving(outlook.schema))
        return Effort(seconds=2 * outlook.rows * columns * SECONDS_PER_CELL)

    def questions(self, schema: Schema) -> Sequence[Question]:
        return (CountsOf(_leaving(schema), persons=True),)

    def read(self, side: Side) -> Found:
        columns = _Columns.of(side.statistics, side.traces)
        if not columns.known:
            raise DoesNotApply(NOBODY_KNOWS)
        tuples = side.statistics.tuples(columns.leaving, persons=True)  # first: the others follow from them
        table = Table(tuples)
        adding = _adding(table, columns)
        figures = {
            **_looked_up(side.statistics, columns),
            "adds": {name: one for name, one in adding.items() if name in columns.known},
            "would_add": {name: one for name, one in adding.items() if name not in columns.known},
            "unknown": columns.unknown,
            "left_out": columns.left_out,
            "all_share": table.whole(),
            **self._scanned(scan(table, self.size)),
        }
        return Found(figures, charts=_charts(adding))

    def _scanned(self, found: Scanned) -> Figures:
        smallest = found.smallest(self.share)
        sets = {" + ".join(names): found.sets[names] for names in found.worst(self.listed)}
        return {
            "smallest_set_size": len(smallest[0]) if smallest else None,
            "smallest_sets": _named(smallest, found.sets) or "none",
            "singled_out": {name: one.singled_out for name, one in sets.items()},
            "distinction": {name: one.distinction for name, one in sets.items()},
            "separation": {name: one.separation for name, one in sets.items()},
            "sets": _how(found),
            "others_at_most": found.at_most,
            "error": min(found.error, 1.0),
        }


@dataclass(frozen=True)
class _Columns:
    """Those that leave, by what somebody who looks rows up could do with them."""

    leaving: Names
    """In which rows can be looked up by equal values."""
    quasi: Names
    known: Names
    unknown: Mapping[str, str]
    left_out: Mapping[str, str]

    @classmethod
    def of(cls, statistics: Statistics, traces: Traces | None) -> _Columns:
        schema = statistics.schema
        weights = (name for name in schema.named(Role.WEIGHT) if statistics.declaration(name).release)
        every = (*_leaving(schema), *weights)
        leaving = tuple(name for name in every if _is_equal(traces, name))
        unknown = {
            name: statistics.declaration(name).why
            for name in schema.named(Role.OTHER)
            if not statistics.declaration(name).known
        }
        known = tuple(name for name in leaving if schema[name].role in KNOWN and name not in unknown)
        quasi = tuple(name for name in leaving if schema[name].role is Role.QUASI_IDENTIFIER)
        left_out = {name: str(traces[name]) for name in every if traces is not None and name not in leaving}
        return cls(leaving, quasi, known, unknown, left_out)


def _leaving(schema: Schema) -> Names:
    """The columns that leave, whatever else is declared of them."""
    return tuple(field.name for field in schema if field.role in RELEASED)


def _is_equal(traces: Traces | None, name: str) -> bool:
    return traces is None or traces[name] in EQUAL


def _looked_up(statistics: Statistics, columns: _Columns) -> Figures:
    """What gates: the rows that the columns which others could know single out together."""
    kept = [name for name in columns.known if name not in columns.quasi]
    found = singled_out(statistics.tuples(columns.known, persons=True))
    return {
        "columns": len(columns.known),
        "kept": len(kept),
        "rows": found.rows,
        "unique_rows": found.alone,
        "unique_share": found.alone / found.everybody if found.everybody else None,
    }


def _adding(table: Table, columns: _Columns) -> dict[str, float | None]:
    """What each column adds to the quasi-identifiers."""
    beside = {name: _ordered(columns, (*columns.quasi, name)) for name in columns.leaving}
    beside = {name: names for name, names in beside.items() if name not in columns.quasi}
    told = table.told_apart(filter(None, dict.fromkeys([columns.quasi, *beside.values()])))
    alone = told[columns.quasi].singled_out if columns.quasi in told else 0.0
    return {
        name: max(told[names].singled_out - alone, 0.0) if names in told else None
        for name, names in beside.items()
    }


def _ordered(columns: _Columns, names: Iterable[str]) -> Names:
    return tuple(sorted(names, key=columns.leaving.index))


def _named(smallest: Sequence[Names], sets: Mapping[Names, ToldApart]) -> str:
    named = (f"{' + '.join(names)} ({percent(sets[names].singled_out)})" for names in smallest[:NAMED])
    more = f"; {thousands(len(smallest) - NAMED)} more" if len(smallest) > NAMED else ""
    return "; ".join(named) + more


def _how(found: Scanned) -> str:
    counted = "all " if found.is_whole else f"{thousands(len(found.sets))} of "
    exactly = "estimated from a sample of the combinations" if found.error else "counted"
    rest = "" if found.is_whole else "; those that could single out most, and the others bounded"
    return f"{counted}{thousands(found.possible)}, {exactly}{rest}"


def _charts(adding: Mapping[str, float | None]) -> tuple[Chart, ...]:
    shares = {name: one for name, one in adding.items() if one is not None}
    if not shares:
        return ()
    return (
        Chart(
            "adds",
            "What each column adds to the quasi-identifiers",
            "bar",
            Axis("Column", scale="category"),
            Axis("Rows singled out in addition", scale="percent"),
            (Series("", tuple(shares), tuple(shares.values())),),
            note="Rows that nobody finds by the quasi-identifiers alone, but with this column too.",
            internal=True,
        ),
    )
