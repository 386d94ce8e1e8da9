"""A model trained on the release that guesses people's sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.attributes import guessing
from worker.engine.attributes.attacker import both_have, clues, leaving, parted
from worker.engine.attributes.gaps import Gap, above, apart
from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import (
    SECONDS_PER_CELL,
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    register,
)
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.information.alike import Alike, readings
from worker.engine.randomness import Source
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Role
from worker.engine.tables.table import Schema, Table

NO_KEY = "No column that leaves is tagged quasi-identifier, so that there is nothing to guess from."
NO_TARGET = "No column that leaves is tagged sensitive, so that there is nothing to guess."
TABLE = "A table leaves and no rows: ε and δ answer."
NO_ROWS = "There is no row to learn from or to guess."
NO_HOLD_OUT = (
    "No rows were held out. Every file of use predicts, so that the gain alone does not tell what was learnt "
    "of the people in the data."
)
SECONDS_PER_ROW = 1e-3
"""Learning and guessing, for each column, roughly."""


@register
class Inference(Measure):
    """How much better a model trained on the release guesses sensitive values than somebody without it.

    A random forest learns from rows of the release which value goes with the keys, and guesses the value of
    rows of the original. The *gain* is how much oftener it is right than whoever always says the value that
    is commonest in the release. Every useful file predicts: that smokers fall ill is not learnt of one of
    them. What counts is the *advantage*, how much oftener the model is right about people in the data than
    about people from whom no step learnt anything; where no rows were held out there is none, because on a
    finished release nobody can be taken out of what was learnt. Of a release with more rows than are learnt
    from, trees remember a part only: there the advantage is a lower bound.

    Numbers and dates are read in ten quantile bins of the original, a column released at a level of its
    hierarchy at that level; beyond the 30 commonest values none is learnt, and guesses about rarer ones are
    wrong. Intervals are at 95 %, by the normal approximation of a mean over rows.
    """

    slug = "inference"
    title = "Inference"
    section = Section.ATTACK
    by_default = False
    references = ("Giomi et al. (2023), A unified framework for quantifying privacy risk in synthetic data",)
    figures: ClassVar = (
        Figure(
            "advantage",
            "Advantage",
            "How much oftener the model is right about rows in the data than about rows held out; 0 where it "
            "is not.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            per="column",
            headline=True,
        ),
        Figure(
            "advantage_low",
            "Advantage, at least",
            "The lower end of its interval; below 0 the difference may be chance.",
            per="column",
        ),
        Figure("advantage_high", "Advantage, at most", "The upper end of its interval.", per="column"),
        Figure(
            "no_advantage",
            "Without advantage",
            "Why there is no advantage to tell.",
            unit="words",
            per="column",
        ),
        Figure(
            "gain",
            "Gain",
            "How much oftener the model is right than the baseline: about rows held out, or about rows in "
            "the data where none were held out. Below 0 it is worse.",
            better="low",
            per="column",
            headline=True,
        ),
        Figure("gain_low", "Gain, at least", "The lower end of its interval.", per="column"),
        Figure("gain_high", "Gain, at most", "The upper end of its interval.", per="column"),
        Figure(
            "accuracy",
            "Right about rows in the data",
            "The share of rows in the data whose value the model says.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "accuracy_held_out",
            "Right about rows held out",
            "The share of rows held out whose value the model says: the control.",
            unit="share",
            per="column",
        ),
        Figure(
            "baseline",
            "Baseline",
            "Of the rows that the gain is about, the share that holds the value commonest in the release.",
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
    rows: Annotated[int, Unit("rows")] = Field(
        20_000, ge=100, le=50_000, title="Rows learnt from", description="A sample of the release."
    )
    targets: Annotated[int, Unit("rows")] = Field(
        10_000, ge=100, le=50_000, title="Rows guessed", description="A sample of the original."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        some = {"rows": 6_000, "targets": 6_000}
        return (cls(**some), cls(keys=("age", "sex"), target=("disease",), **some))

    @model_validator(mode="after")
    def _known_or_wanted(self) -> Self:
        if set(self.keys) & set(self.target):
            raise ValueError("A column is known or wanted, not both: take it out of the keys or the targets.")
        return self

    def does_not_apply(self, outlook: Outlook) -> str | None:
        if outlook.traces is not None and outlook.traces.tabulated:
            return TABLE
        if not clues(self._keys(outlook.schema), outlook.traces):
            return NO_KEY
        return None if leaving(self._targets(outlook.schema), outlook.traces) else NO_TARGET

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(self._targets(outlook.schema))
        read = 2 * outlook.rows * (len(self._keys(outlook.schema)) + columns) * SECONDS_PER_CELL
        learnt, guessed = min(outlook.rows, self.rows), min(outlook.rows, self.targets)
        seconds = read + columns * (learnt + guessed) * SECONDS_PER_ROW
        return Effort(seconds, guessing.memory_of(learnt, guessed))

    def compare(self, scene: Scene) -> Found:
        schema, traces = scene.before.schema, scene.traces
        keys = both_have(clues(self._keys(schema), traces), scene.before, scene.after)
        targets = both_have(leaving(self._targets(schema), traces), scene.before, scene.after)
        if not keys or not targets:
            raise DoesNotApply(NO_TARGET if keys else NO_KEY)
        names = (*keys, *targets)
        alike = {name: readings(scene.before, scene.after, name) for name in names}
        learnt = _codes(scene.after.sample(names, self.rows, scene.source), alike, released=True)
        parts = parted(scene.before, scene.held_out)
        others = scene.source.for_step(f"{self.id} asked")  # not those that were learnt, drawn once more
        asked = [_codes(part.sample(names, self.targets, others), alike) for part in parts]
        if not len(learnt[keys[0]]) or not all(len(one[keys[0]]) for one in asked):
            raise DoesNotApply(NO_ROWS)
        told = {}
        for name in targets:
            scene.reporter.checkpoint()
            told[name] = _Guessed.of(learnt, asked, keys, name, scene.source).figures()
        figures = told[targets[0]]
        found = {figure: {name: one[figure] for name, one in told.items()} for figure in figures}
        why = {} if parts[1:] else dict.fromkeys(targets, NO_HOLD_OUT)
        return Found({**found, "no_advantage": why}, charts=(_chart(found),))

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        named = schema.named(Role.QUASI_IDENTIFIER)
        return self.keys or tuple(name for name in named if name not in self.target)

    def _targets(self, schema: Schema) -> tuple[str, ...]:
        named = schema.named(Role.SENSITIVE)
        return self.target or tuple(name for name in named if name not in self.keys)


Read = dict[str, Codes]
"""Sampled rows, column by column, in readings that both sides share."""


def _codes(table: Table, alike: dict[str, Alike], *, released: bool = False) -> Read:
    return {
        name: one.after[one.released.translate(table[name])]
        if released
        else one.before[one.original.translate(table[name])]
        for name, one in alike.items()
    }


@dataclass(frozen=True)
class _Guessed:
    """Which guesses were right about rows in the data and, where there are any, about rows held out: by the
    model, and by always saying the commonest value of the release."""

    right: tuple[Floats, ...]
    blindly: tuple[Floats, ...]

    @classmethod
    def of(cls, learnt: Read, asked: Sequence[Read], keys: Sequence[str], name: str, source: Source) -> Self:
        """Learn a column from the keys, and guess it."""
        values = guessing.commonest(learnt[name])
        known = np.isin(learnt[name], values)
        wanted = [_together(one, keys) for one in asked]
        said = guessing.guessed(
            _together(learnt, keys)[known], learnt[name][known], wanted, source.stream(name, 0)
        )
        right = tuple((says == one[name]).astype(float) for says, one in zip(said, asked, strict=True))
        return cls(right, tuple((one[name] == values[0]).astype(float) for one in asked))

    def figures(self) -> dict[str, Scalar]:
        """By name."""
        gain = above(self.right[-1], _each(self.right[-1]), self.blindly[-1])
        advantage = self._advantage
        assert gain is not None
        return {
            "advantage": None if advantage is None else max(advantage.difference, 0.0),
            "advantage_low": None if advantage is None else advantage.low,
            "advantage_high": None if advantage is None else advantage.high,
            "gain": gain.difference,
            "gain_low": gain.low,
            "gain_high": gain.high,
            "accuracy": float(self.right[0].mean()),
            "accuracy_held_out": float(self.right[1].mean()) if self.right[1:] else None,
            "baseline": float(self.blindly[-1].mean()),
        }

    @cached_property
    def _advantage(self) -> Gap | None:
        if not self.right[1:]:
            return None
        inside, outside = self.right
        return apart(inside, _each(inside), outside, _each(outside))


def _each(values: Floats) -> Counts:
    return np.ones(len(values), np.int64)


def _together(read: Read, keys: Sequence[str]) -> Codes:
    return np.stack([read[name] for name in keys], axis=1)


def _chart(found: dict[str, dict[str, Scalar]]) -> Chart:
    """How often the model is right about rows in the data and others, beside the baseline."""
    titles = {"accuracy": "Rows in the data", "accuracy_held_out": "Rows held out", "baseline": "Baseline"}
    series = []
    for figure, title in titles.items():
        known = {name: share for name, share in found[figure].items() if isinstance(share, float)}
        if known:
            series.append(Series(title, tuple(known), tuple(known.values()), reference=figure == "baseline"))
    return Chart(
        "inference",
        "Values guessed by a model of the release",
        "bar",
        Axis("Column", "", "category"),
        Axis("Right guesses", "", "percent"),
        tuple(series),
        note="Above the baseline the file predicts, as every useful file does. Where the first bar is far "
        "above that of rows held out, it tells of the people in the data.",
    )
