"""How many people are found again although their values moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import DoesNotApply, Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.contracts.traces import ReleaseFamily, Trace, Traces
from worker.engine.information.columns import NOT_ALIGNED
from worker.engine.information.side_by_side import exactly, original, released
from worker.engine.linkage.attackers import Release, wilson
from worker.engine.linkage.quasi_identifiers import Key, judged
from worker.engine.linkage.tuples import Tuples
from worker.engine.linkage.unchanged import Unchanged, unchanged
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

MOVED = (Trace.PERTURBED, Trace.EXCHANGED)
UNTAGGED = "No column is tagged quasi-identifier, so that there is nothing by which rows could be linked."
A_TABLE = "The release is a table under differential privacy, without rows: ε answers."
MADE_UP = "The rows are made up and nobody's: hold-out distances answer."
COARSER = "The quasi-identifiers are coarser, not perturbed: class sizes answer."
NONE_LEAVES = "No quasi-identifier leaves, so that there is nothing by which rows could be linked."
NO_ROWS = "There is no row to look for."
SECONDS_PER_PAIR = 1e-9
Both = tuple[FrequencyTable, FrequencyTable]
PARTS = ("nearest", "informed", "informed of the others too")


@register
class RecordLinkage(Measure):
    """How often an attacker picks the right row of a release whose quasi-identifiers moved.

    The attacker knows the original quasi-identifiers of a person who is in the data, and picks the likeliest
    released row. Three are tried, and the strongest counts. *Nearest* takes the closest row: numbers in
    standard deviations of the original; where other columns are among them by Gower (numbers over their
    range, categories equal or not, a label that holds the value is at distance 0). *Informed* takes the row
    that is likeliest under the published mechanism: the matrix of PRAM, the variance of noise, the bound on
    ranks; where none is published, what the rows show of it. *Informed of the others too* divides that by how
    likely the row is anyway, its mean likelihood over all originals (Fellegi and Sunter). Rows that tie are
    picked at random; a person whose row was left out or suppressed is not linked.

    A file whose rows were shifted or permuted links nobody by number and still gives everybody away: the
    share of originals unique in the data that stand unchanged anywhere in the release is shown beside it,
    less what columns in an order of their own would give. Where a release mixes both, all keys are used
    together, and class sizes still answer for those that stayed truthful. The unit is the row.
    """

    slug = "record-linkage"
    title = "Record linkage"
    section = Section.RISK
    references = (
        "Fellegi & Sunter (1969), A theory for record linkage",
        "Domingo-Ferrer & Torra (2003), Disclosure risk assessment in statistical data protection",
    )
    figures: ClassVar = (
        Figure(
            "linked_share",
            "Share of people linked correctly",
            "Targets whose own row the strongest attacker picks, divided by targets; one of several that "
            "tie is picked at random.",
            unit="share",
            better="low",
            usual=(0, 0.2),
            headline=True,
        ),
        Figure(
            "linked_low",
            "Linked, at least",
            "Lower end of the 95 % interval (Wilson) of the share linked, targets taken as a sample.",
            unit="share",
            better="low",
        ),
        Figure(
            "linked_high",
            "Linked, at most",
            "Upper end of the 95 % interval (Wilson) of the share linked.",
            unit="share",
            better="low",
        ),
        Figure(
            "unchanged_share",
            "Unique originals that stand unchanged",
            "Originals unique in the data whose values stand together in any released row, divided by all "
            "that are unique, less the share that columns permuted independently would give.",
            unit="share",
            better="low",
            usual=(0, 0.2),
            headline=True,
        ),
        Figure(
            "attackers",
            "Linked by each attacker",
            "The share linked by the nearest row, by the likeliest under the mechanism, and by the likeliest "
            "compared with how likely the row is anyway.",
            unit="share",
            better="low",
            per="part",
            parts=PARTS,
        ),
        Figure("strongest", "Strongest attacker", "The one whose share counts.", unit="words"),
        Figure(
            "chance_share",
            "Linked by guessing",
            "One divided by the released rows: what somebody gets right who picks any row.",
            unit="share",
        ),
        Figure(
            "advantage",
            "Advantage over guessing",
            "The share linked less the share linked by guessing. Below 0 the attacker does worse.",
            better="low",
        ),
        Figure(
            "own_among_nearest",
            "Own row among the nearest",
            "Share of targets whose own row is among the nearest few (parameter neighbours), ties divided.",
            unit="share",
            better="low",
        ),
        Figure(
            "highest_posterior",
            "Highest posterior",
            "The highest probability with which the attacker informed of the others can name a row as "
            "somebody's.",
            unit="share",
            better="low",
        ),
        Figure(
            "unchanged_found",
            "Unique originals found unchanged",
            "The share of originals unique in the data that stand unchanged, before anything is taken off.",
            unit="share",
            better="low",
        ),
        Figure(
            "unchanged_by_chance",
            "Unchanged by chance",
            "What that share would be if each released column lay in an order of its own.",
            unit="share",
        ),
        Figure("unique_originals", "Unique originals", "Originals that no other equals.", unit="count"),
        Figure("targets", "Targets", "People looked for: all rows, or a sample of them.", unit="count"),
        Figure(
            "targets_gone",
            "Targets without a row",
            "Targets whose row was left out or suppressed; they count as not linked.",
            unit="count",
        ),
        Figure(
            "linked",
            "Linked",
            "The probability that the strongest attacker picks the right row; empty where not sampled.",
            unit="share",
            better="low",
            per="record",
        ),
    )

    columns: Annotated[tuple[str, ...], Columns(role=Role.QUASI_IDENTIFIER)] = Field(
        (), title="Columns", description="What the attacker knows. Empty: all quasi-identifiers."
    )
    targets: Annotated[int, Unit("rows")] = Field(
        10_000, ge=1, le=1_000_000, title="Targets", description="So many people are looked for, at most."
    )
    neighbours: int = Field(
        3, ge=1, le=100, title="Neighbours", description="How many of the nearest rows are looked through."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(columns=("age", "sex"), targets=100, neighbours=5))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        names, traces = self._named(outlook.schema), outlook.traces
        if not names:
            return UNTAGGED
        return None if traces is None else _elsewhere(traces, names)

    def effort(self, outlook: Outlook) -> Effort:
        counted = super().effort(outlook)
        looked_at = outlook.rows * min(self.targets, outlook.rows)
        return Effort(counted.seconds + SECONDS_PER_PAIR * looked_at, counted.memory)

    def compare(self, scene: Scene) -> Found:
        if scene.beside is None:
            raise DoesNotApply(NOT_ALIGNED)
        names = self._leaving(scene)
        both = scene.before.counts(names), scene.after.counts(names)
        keys = tuple(_key(scene, scene.beside, name, both) for name in names)
        if not any(key.trace in MOVED for key in keys):
            raise DoesNotApply(COARSER)
        return self._found(scene, self._release(scene, scene.beside, keys, both))

    def _named(self, schema: Schema) -> tuple[str, ...]:
        return self.columns or schema.named(Role.QUASI_IDENTIFIER)

    def _leaving(self, scene: Scene) -> tuple[str, ...]:
        """Those that leave and are not made up: a made-up one is no clue to anybody."""
        names = (one for one in self._named(scene.before.schema) if one in scene.after.schema)
        gone = (Trace.REMOVED, Trace.MADE_UP)
        return tuple(one for one in names if scene.traces is None or scene.traces[one] not in gone)

    def _release(self, scene: Scene, beside: Statistics, keys: tuple[Key, ...], both: Both) -> Release:
        """The targets, drawn from the rows of both sides."""
        were, are = ([side(key.was.name) for key in keys] for side in (original, released))
        rows = beside.sample((*were, *are), self.targets, scene.source)
        targets = np.column_stack(
            [key.was.translate(rows[name]) for key, name in zip(keys, were, strict=True)]
        )
        became = np.column_stack(
            [key.became.translate(rows[name]) for key, name in zip(keys, are, strict=True)]
        )
        originals, left = (Tuples.of(table) for table in both)
        return Release.of(keys, originals, left, targets, became, scene.source, self.neighbours, rows.row_ids)

    def _found(self, scene: Scene, release: Release) -> Found:
        if not len(release.targets):
            raise DoesNotApply(NO_ROWS)
        ranked = dict(zip(PARTS, release.standings(), strict=True))
        shares = {name: float(one.among(1).mean()) for name, one in ranked.items()}
        strongest = max(PARTS, key=lambda name: shares[name])
        linked, rows = shares[strongest], int(release.released.counts.sum())
        low, high = wilson(linked, len(release.targets))
        chance = 1 / rows if rows else 0.0
        records = np.full(scene.rows, np.nan)
        records[release.rows] = ranked[strongest].among(1)
        return Found(
            {
                "linked_share": linked,
                "linked_low": low,
                "linked_high": high,
                "attackers": shares,
                "strongest": strongest,
                "chance_share": chance,
                "advantage": linked - chance,
                "own_among_nearest": float(ranked[PARTS[0]].among(self.neighbours).mean()),
                "highest_posterior": release.highest_belief(),
                "targets": len(release.targets),
                "targets_gone": int(np.count_nonzero(~release.there)),
                **_standing(unchanged(release.keys, release.originals, release.released)),
            },
            charts=(_chart(shares, chance),),
            records={"linked": records},
        )


def _elsewhere(traces: Traces, names: Sequence[str]) -> str | None:
    """Which measure answers where no quasi-identifier moved."""
    if traces.family is ReleaseFamily.TABLE:
        return A_TABLE
    left = {traces[name] for name in names} - {Trace.REMOVED}
    if left.intersection(MOVED):
        return None
    if Trace.MADE_UP in left:
        return MADE_UP
    return COARSER if left else NONE_LEAVES


def _key(scene: Scene, beside: Statistics, name: str, both: Both) -> Key:
    """What is known of a column; what became of what is asked where no mechanism says it."""
    (was, were), (became, are) = ((one.domain(name), one.marginal(name)) for one in both)
    channel = scene.channels.of(name)
    trace = None if scene.traces is None else scene.traces[name]
    pairs = None
    if trace is None or trace is Trace.COARSER or (trace in MOVED and channel is None):
        pairs = beside.counts(exactly(name).columns)
    trace = judged(pairs) if trace is None and pairs is not None else trace or Trace.PERTURBED
    return Key(was, became, were, are, pairs, trace, channel, scene.before.declaration(name).hierarchy)


def _standing(found: Unchanged) -> dict[str, float | int | None]:
    """Shares of the unique originals; without any there is no share."""
    if not found.unique:
        return {"unique_originals": 0, "unchanged_share": 0.0}
    share, chance = found.found / found.unique, found.by_chance / found.unique
    return {
        "unique_originals": found.unique,
        "unchanged_found": share,
        "unchanged_by_chance": chance,
        "unchanged_share": max(share - chance, 0.0),
    }


def _chart(shares: Mapping[str, float], chance: float) -> Chart:
    series = (
        Series("Linked correctly", tuple(shares), tuple(shares.values())),
        Series("By guessing", tuple(shares), (chance,) * len(shares), reference=True),
    )
    return Chart(
        "attackers",
        "People linked correctly, by attacker",
        "bar",
        Axis("Attacker", "", "category"),
        Axis("Share of targets", "", "percent"),
        series,
        note="The strongest attacker counts. A bar near the line of guessing means that nobody is linked.",
    )
