"""How often released rows that look like a person's hold the person's own sensitive value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from worker.engine.attributes.attacker import both_have, clues, leaving, parted
from worker.engine.attributes.attribution import Attributed, Side, attributed, cells_of
from worker.engine.attributes.gaps import Gap, above, apart
from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import DoesNotApply, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.contracts.traces import TRUE, Traces
from worker.engine.information.alike import readings
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Role
from worker.engine.tables.questions import CountsOf, Question, distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

NO_KEY = "No column that leaves is tagged quasi-identifier, so that there is nothing to look somebody up by."
NO_TARGET = "No column that leaves is tagged sensitive, so that there is nothing to attribute."
TABLE = "A table leaves and no rows: ε and δ answer."
TRUE_ALL = "Quasi-identifiers and sensitive columns are true: attribute disclosure answers, class by class."
HOLD_OUT, BASELINE = "rows held out", "what the table tells of everybody"


@register
class Attribution(Measure):
    """How often the released rows that look like a person's hold the person's own sensitive value.

    An attacker knows the keys of somebody in the data, looks for released rows with these keys, and takes
    the value of one of them. The correct attribution probability (CAP) of a row of the original is the share
    of these rows that hold its value. A CAP above that of rows from which nobody learnt (the hold-out) tells
    of the people in the data; where no rows were held out it is compared with what the table tells of
    everybody (Σ q² over the shares q of the values), and is then above it in every file that is of use.

    Numbers and dates are read in ten quantile bins of the original on both sides, among keys too; a column
    that is released at a level of its hierarchy is compared at that level. A missing value and `*` are values
    of their own. Rows are counted, also where a person has several.

    CAP over all rows is what synthpop calls DCAPd and over matched ones riskutility's `tcap_mean`; the
    baseline is synthpop's baseCAPd (riskutility takes the commonest value of the release). The targeted CAP
    is that of synthpop from 1.9-3 and riskutility's `tcap_conditional`.
    """

    slug = "attribution"
    title = "Correct attribution"
    section = Section.RISK
    references = (
        "Taub, Elliot, Pampaka & Smith (2018), Differential correct attribution probability",
        "Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data",
    )
    figures: ClassVar = (
        Figure(
            "advantage",
            "Advantage",
            "CAP of the rows in the data less that of rows held out, or less the baseline where none were "
            "held out; 0 where it is below.",
            unit="share",
            better="low",
            usual=(0, 0.1),
            headline=True,
            per="column",
        ),
        Figure(
            "advantage_low",
            "Advantage, at least",
            "The lower end of its 95 % interval, by the normal approximation of a mean over rows; below 0 "
            "the difference may be chance.",
            per="column",
        ),
        Figure(
            "advantage_high",
            "Advantage, at most",
            "The upper end of its 95 % interval.",
            per="column",
        ),
        Figure(
            "compared_with",
            "Compared with",
            "What the advantage is over: rows from which no step learnt anything, or the whole table.",
            unit="words",
            per="column",
        ),
        Figure(
            "cap",
            "CAP",
            "The mean, over all rows of the original, of the share of released rows with the row's keys that "
            "hold its value; 0 for a row whose keys are not in the release.",
            unit="share",
            better="low",
            headline=True,
            per="column",
        ),
        Figure(
            "cap_matched",
            "CAP of matched rows",
            "The same over the rows whose keys are in the release.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "matched_share",
            "Matched rows",
            "The share of rows of the original whose keys are in the release.",
            unit="share",
            per="column",
        ),
        Figure(
            "targeted",
            "Targeted CAP",
            "Of the rows whose keys have one single value in the release, the share for which it is right; "
            "none where no keys have.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "baseline",
            "Baseline",
            "Σ q² over the shares q of the values in the original: CAP of whoever draws from the table "
            "without knowing any keys.",
            unit="share",
            per="column",
        ),
        Figure(
            "most_common",
            "Commonest value",
            "The share of the commonest value in the original: right so often is whoever always says it.",
            unit="share",
            per="column",
        ),
        Figure(
            "cap_held_out",
            "CAP of rows held out",
            "CAP of rows from which no step learnt anything: what the file tells of people it is not about.",
            unit="share",
            per="column",
        ),
        Figure(
            "targeted_held_out",
            "Targeted CAP of rows held out",
            "Targeted CAP of rows from which no step learnt anything.",
            unit="share",
            per="column",
        ),
    )

    keys: Annotated[tuple[str, ...], Columns()] = Field(
        (), title="Keys", description="What the attacker knows; the quasi-identifiers where none are named."
    )
    target: Annotated[tuple[str, ...], Columns()] = Field(
        (), title="Targets", description="What he wants to learn; every sensitive column where none is named."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(keys=("age", "sex"), target=("disease",)))

    @model_validator(mode="after")
    def _known_or_wanted(self) -> Self:
        if set(self.keys) & set(self.target):
            raise ValueError("A column is known or wanted, not both: take it out of the keys or the targets.")
        return self

    def does_not_apply(self, outlook: Outlook) -> str | None:
        schema, traces = outlook.schema, outlook.traces
        if traces is not None and traces.tabulated:
            return TABLE
        keys = clues(self._keys(schema), traces)
        if not keys:
            return NO_KEY
        targets = leaving(self._targets(schema), traces)
        if not targets:
            return NO_TARGET
        return None if self._open(keys, targets, traces) else TRUE_ALL

    def questions(self, schema: Schema) -> Sequence[Question]:
        keys, targets = self._keys(schema), self._targets(schema)
        single = (distinct_of(name) for name in dict.fromkeys((*keys, *targets)))
        return (*single, *(CountsOf((*keys, name)) for name in targets))

    def compare(self, scene: Scene) -> Found:
        schema, traces = scene.before.schema, scene.traces
        keys = both_have(clues(self._keys(schema), traces), scene.before, scene.after)
        targets = both_have(leaving(self._targets(schema), traces), scene.before, scene.after)
        if not keys or not targets:
            raise DoesNotApply(NO_TARGET if keys else NO_KEY)
        if not scene.before.rows() or not scene.after.rows():
            raise DoesNotApply("There is no row to attribute anything to.")
        parts = parted(scene.before, scene.held_out)
        wanted = self._open(keys, targets, traces)
        told = {name: _Column.of(scene, parts, (*keys, name)).figures() for name in wanted}
        figures = {
            figure: {name: told[name][figure] for name in told} for figure in next(iter(told.values()))
        }
        return Found(figures, charts=(_chart(told),))

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        return self.keys or tuple(
            name for name in schema.named(Role.QUASI_IDENTIFIER) if name not in self.target
        )

    def _targets(self, schema: Schema) -> tuple[str, ...]:
        return self.target or tuple(name for name in schema.named(Role.SENSITIVE) if name not in self.keys)

    def _open(self, keys: Sequence[str], targets: Sequence[str], traces: Traces | None) -> tuple[str, ...]:
        """The targets that attribute disclosure does not answer for: there are no true classes of the
        quasi-identifiers with a true value."""
        if traces is None or self.keys or any(traces[name] not in TRUE for name in keys):
            return tuple(targets)
        return tuple(name for name in targets if self.target or traces[name] not in TRUE)


@dataclass(frozen=True)
class _Column:
    """What is attributed of one column to the rows in the data, and to those held out.

    `shares` are those of the values in the table, `blind` the share of each cell's own value.
    """

    inside: Attributed
    outside: Attributed | None
    shares: Floats
    blind: Floats

    @classmethod
    def of(cls, scene: Scene, parts: Sequence[Statistics], names: Sequence[str]) -> Self:
        """The last of the names is wanted, the others are known; `parts` are rows in the data and others."""
        alike = [readings(scene.before, scene.after, name) for name in names]
        sides = [_read(part.counts(names), [one.of_original for one in alike]) for part in parts]
        sides.append(_read(scene.after.counts(names), [one.of_released for one in alike]))
        *originals, released = cells_of(sides, [one.number for one in alike])
        shares = originals[0].shares(alike[-1].number)
        found = [attributed(one, released) for one in originals]
        return cls(found[0], found[1] if found[1:] else None, shares, shares[originals[0].values])

    def figures(self) -> dict[str, Scalar]:
        """By name."""
        gap, outside = self._gap(), self.outside
        return {
            "advantage": None if gap is None else min(max(gap.difference, 0.0), 1.0),
            "advantage_low": None if gap is None else gap.low,
            "advantage_high": None if gap is None else gap.high,
            "compared_with": BASELINE if outside is None else HOLD_OUT,
            "cap": self.inside.mean,
            "cap_matched": self.inside.mean_of_matched,
            "matched_share": self.inside.matched_share,
            "targeted": self.inside.targeted,
            "baseline": float((self.shares**2).sum()),
            "most_common": float(self.shares.max(initial=0)),
            "cap_held_out": None if outside is None else outside.mean,
            "targeted_held_out": None if outside is None else outside.targeted,
        }

    def _gap(self) -> Gap | None:
        if self.outside is None:
            return above(self.inside.share, self.inside.rows, self.blind)
        return apart(self.inside.share, self.inside.rows, self.outside.share, self.outside.rows)


def _read(table: FrequencyTable, read: Sequence[Callable[[Domain], Codes]]) -> Side:
    """A table with the reading of every value of each column."""
    return table, [one(domain) for one, domain in zip(read, table.domains, strict=True)]


def _chart(told: Mapping[str, Mapping[str, Scalar]]) -> Chart:
    """CAP of each column beside what it is compared with."""
    titles = {"cap": "Rows in the data", "cap_held_out": "Rows held out", "baseline": "Baseline"}
    series = []
    for figure, title in titles.items():
        each = ((name, one[figure]) for name, one in told.items())
        known = {name: share for name, share in each if isinstance(share, float)}
        if known:
            series.append(Series(title, tuple(known), tuple(known.values()), reference=figure == "baseline"))
    return Chart(
        "attribution",
        "Correct attribution of each column",
        "bar",
        Axis("Column", "", "category"),
        Axis("Correct attribution probability", "", "percent"),
        tuple(series),
        note="A first bar far above the others means that the release tells of the people in the data.",
    )
