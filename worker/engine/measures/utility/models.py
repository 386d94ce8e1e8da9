"""Whether a model trained on the release foretells as well as one trained on the original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from worker.engine.comparable.classes import UNKNOWN, Classes
from worker.engine.comparable.drawn import Drawn, leaving, lot
from worker.engine.comparable.parts import parts_of
from worker.engine.comparable.words import Words, own_words_of, words_of
from worker.engine.contracts.annotations import Columns, Unit
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
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.prediction.classifier import Classifier
from worker.engine.prediction.judged import accuracy, area_of_classes, curve, kept
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.kinds import RELEASED, Role

NO_TARGET = "No sensitive column is on both sides, and no target is named: there is nothing to foretell."
NO_PREDICTOR = "No other column is on both sides from which anything could be foretold."
TOO_FEW = "There are too few rows: at least {} of the original are needed to train a model and test it."
LEAST_ROWS = 50
TESTED = 0.3
"""The share of the original's rows that no model is trained on."""
BLIND = 0.5
"""The area under the curve of whoever knows nothing."""
SECONDS_PER_CELL_TRAINED = 3e-5
BYTES_PER_CELL = 200
CHARTS = 5


@register
class Models(Measure):
    """Whether a model trained on the release foretells as well as one trained on the original.

    Both are tested on the same rows of the original, which neither was trained on: those that a step held
    out, or 30 % of the rows drawn. Foretold are categories at the level at which they are released – the nine
    commonest and all others –, and of numbers and dates whether they are above the original's median.
    Predictors are values, numbers and dates in ten quantile bins of the original. The model of the release
    sees its test rows as the release would show them, mapped through the hierarchy; an interval is read as an
    original drawn from those in it. The model is a logistic regression for each class.
    """

    slug = "models"
    title = "Models trained on the release"
    section = Section.UTILITY
    by_default = False
    references = ("Reiter (2005), Releasing multiply imputed, synthetic public use microdata",)
    figures: ClassVar = (
        Figure(
            "auc_kept",
            "AUC kept",
            "(AUC of the release's model − 0.5) ÷ (AUC of the original's − 0.5), the mean over the targets: "
            "1 where it foretells as well, 0 where it knows nothing. None where the original's model gains "
            "less than 0.01.",
            unit="share",
            better="high",
            usual=(0.5, 1),
            headline=True,
        ),
        Figure(
            "accuracy_kept",
            "Accuracy kept",
            "The same of accuracy, of which the commonest class of the original's training rows is the "
            "baseline.",
            unit="share",
            better="high",
            usual=(0.5, 1),
            headline=True,
        ),
        Figure(
            "auc",
            "AUC",
            "How likely a row of a class scores higher than one of another; the mean over classes by their "
            "rows. 0.5 is knowing nothing, 1 is foretelling all.",
            unit="share",
            better="high",
            usual=(0.5, 1),
            per="column",
        ),
        Figure(
            "accuracy",
            "Accuracy",
            "The share of test rows whose class is foretold.",
            unit="share",
            better="high",
            per="column",
        ),
        Figure(
            "baseline",
            "Baseline",
            "The accuracy of always saying the commonest class of the original.",
            unit="share",
            per="column",
        ),
        Figure(
            "auc_kept_of",
            "AUC kept of each target",
            "The part of what the original's model gains over an AUC of 0.5.",
            unit="share",
            better="high",
            per="column",
        ),
        Figure(
            "auc_of_part",
            "AUC in each part",
            "Of the test rows of each part, the mean over the targets.",
            unit="share",
            better="high",
            per="part",
        ),
        Figure(
            "accuracy_of_part",
            "Accuracy in each part",
            "Of the test rows of each part, the mean over the targets.",
            unit="share",
            better="high",
            per="part",
        ),
        Figure("trained_rows", "Training rows", "Rows that the model was trained on.", unit="count"),
        Figure("tested_rows", "Test rows", "Rows of the original that both models foretold.", unit="count"),
    )

    targets: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        (), title="Targets", description="What is to be foretold. Without one: each sensitive column."
    )
    predictors: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        (),
        title="Predictors",
        description="What it is foretold from. Without one: all other columns that leave.",
    )
    by: Annotated[str | None, Columns(role=RELEASED)] = Field(
        None, title="By", description="A column whose parts are also judged one by one."
    )
    rows: Annotated[int, Unit("rows")] = Field(
        20_000, ge=100, le=50_000, title="Rows", description="How many rows to draw from each side at most."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(targets=("income",)), cls(targets=("sex",), predictors=("age", "visits"), by="zip"))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.targets or outlook.schema.named(Role.SENSITIVE) else NO_TARGET

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(outlook.schema.named(*RELEASED))
        targets = len(self.targets or outlook.schema.named(Role.SENSITIVE))
        cells = min(outlook.rows, self.rows) * columns
        reading = 2 * outlook.rows * columns * SECONDS_PER_CELL
        return Effort(reading + 2 * targets * cells * SECONDS_PER_CELL_TRAINED, cells * BYTES_PER_CELL)

    def compare(self, scene: Scene) -> Found:
        here = [one.name for one in leaving(scene)]
        targets = [one for one in self.targets or scene.before.schema.named(Role.SENSITIVE) if one in here]
        if not targets:
            raise DoesNotApply(NO_TARGET)
        names = list(dict.fromkeys([*(self.predictors or here), *targets, *([self.by] if self.by else [])]))
        data = _Data.of(scene, [name for name in names if name in here], self.rows)
        found = {}
        for target in targets:
            scene.reporter.checkpoint()
            used = [one for one in self.predictors or here if one != target and one in here]
            found[target] = data.judged(target, used)
        parts = parts_of(scene, self.by, data.tested) if self.by and self.by in here else {}
        return Found(
            {**_compared(found), **_told(found, RELEASE, parts), **data.sizes(data.release)},
            charts=tuple(_chart(name, one) for name, one in list(found.items())[:CHARTS] if len(one.classes)),
            before={**_told(found, ORIGINAL, parts), **data.sizes(data.original)},
        )


ORIGINAL, RELEASE = 0, 1


@dataclass(frozen=True)
class _Judged:
    """What both models say of the test rows of one target: for each row how likely it is of each class."""

    tested: Mask
    """Which test rows have a class."""
    classes: Codes
    blind: float | None
    chances: tuple[Floats, Floats]

    def auc(self, side: int) -> float | None:
        """The area under the curve of one model."""
        return area_of_classes(self.chances[side], self.classes)

    def accuracy(self, side: int) -> float | None:
        """The accuracy of one model."""
        return accuracy(self.chances[side], self.classes)

    def among(self, rows: Mask) -> _Judged:
        """The same of some of the test rows."""
        inside = rows[self.tested]
        one, other = (chances[inside] for chances in self.chances)
        return _Judged(self.tested & rows, self.classes[inside], self.blind, (one, other))


@dataclass(frozen=True)
class _Data:
    """Rows to train and to test on, as codes of their values."""

    scene: Scene
    original: Drawn
    release: Drawn
    tested: Drawn
    own: dict[str, Words]
    shared: dict[str, Words]

    @classmethod
    def of(cls, scene: Scene, names: Sequence[str], rows: int) -> _Data:
        before, after = (Drawn.of(side, names, rows, scene.source) for side in (scene.before, scene.after))
        if len(before) < LEAST_ROWS:
            raise DoesNotApply(TOO_FEW.format(LEAST_ROWS))
        test = _test_rows(scene, before)
        return cls(
            scene,
            before.among(~test),
            after.among(~np.isin(after.row_ids, before.row_ids[test])),
            before.among(test),
            {name: own_words_of(scene, name) for name in names},
            {name: words_of(scene, name) for name in names},
        )

    def sizes(self, trained: Drawn) -> Figures:
        """How many rows a model was trained on, and tested."""
        return {"trained_rows": len(trained), "tested_rows": len(self.tested)}

    def judged(self, target: str, predictors: Sequence[str]) -> _Judged:
        """Both models of one target."""
        if not predictors:
            raise DoesNotApply(NO_PREDICTOR)
        classes = Classes.of(self.scene, target)
        wanted = classes.before[self.tested.codes[target]]
        tested = wanted != UNKNOWN
        known = classes.before[self.original.codes[target]]
        learnt = classes.after[self.release.codes[target]]
        own, shared = ([words[name] for name in predictors] for words in (self.own, self.shared))
        ours = _trained(self._original(own, predictors, self.original), own, known, classes.number)
        theirs = _trained(self._released(shared, predictors), shared, learnt, classes.number)
        seen = ours.chances([one[tested] for one in self._original(own, predictors, self.tested)])
        told = theirs.chances([one[tested] for one in self._original(shared, predictors, self.tested)])
        return _Judged(tested, wanted[tested], _baseline(known, wanted[tested]), (seen, told))

    def _original(self, words: Sequence[Words], names: Sequence[str], rows: Drawn) -> list[Codes]:
        return [one.before[rows.codes[name]] for one, name in zip(words, names, strict=True)]

    def _released(self, words: Sequence[Words], names: Sequence[str]) -> list[Codes]:
        source, rows = self.scene.source, self.release
        return [
            one.of_release(rows.codes[name], lot(source, name, len(rows)))
            for one, name in zip(words, names, strict=True)
        ]


def _test_rows(scene: Scene, rows: Drawn) -> Mask:
    """Those from which no step learnt, or some drawn by lot."""
    if scene.held_out is not None and scene.held_out[rows.row_ids].any():
        return scene.held_out[rows.row_ids]
    return np.asarray(scene.source.stream("\x00tested", 0).random(len(rows)) < TESTED)


def _trained(columns: Sequence[Codes], words: Sequence[Words], classes: Codes, number: int) -> Classifier:
    """On the rows that have a class."""
    known = classes != UNKNOWN
    sizes = [len(one) for one in words]
    return Classifier.trained([one[known] for one in columns], sizes, classes[known], max(number, 1))


def _baseline(trained: Codes, tested: Codes) -> float | None:
    known = trained[trained != UNKNOWN]
    return float((tested == np.bincount(known).argmax()).mean()) if len(known) and len(tested) else None


def _compared(found: Mapping[str, _Judged]) -> Figures:
    """What the release's models keep of what the original's gain."""
    areas = {name: kept(one.auc(RELEASE), one.auc(ORIGINAL), BLIND) for name, one in found.items()}
    right = [kept(one.accuracy(RELEASE), one.accuracy(ORIGINAL), one.blind) for one in found.values()]
    return {"auc_kept": _mean(areas.values()), "accuracy_kept": _mean(right), "auc_kept_of": areas}


def _told(found: Mapping[str, _Judged], side: int, parts: Mapping[str, Mask]) -> Figures:
    """What one model makes of each target, and of each part of the test rows."""
    within = {part: [one.among(rows) for one in found.values()] for part, rows in parts.items()}
    right = {part: _mean(one.accuracy(side) for one in all_) for part, all_ in within.items()}
    return {
        "auc": {name: one.auc(side) for name, one in found.items()},
        "accuracy": {name: one.accuracy(side) for name, one in found.items()},
        "baseline": {name: one.blind for name, one in found.items()},
        "auc_of_part": {part: _mean(one.auc(side) for one in all_) for part, all_ in within.items()},
        "accuracy_of_part": right,
    }


def _mean(found: Iterable[float | None]) -> float | None:
    known = [one for one in found if one is not None]
    return sum(known) / len(known) if known else None


def _chart(target: str, found: _Judged) -> Chart:
    """The curve of the commonest class under both models."""
    common = np.bincount(found.classes).argmax()
    lines = []
    for name, chances in zip(("Original", "Release"), found.chances, strict=True):
        alarms, hits = curve(chances[:, common], found.classes == common)
        lines.append(Series(name, alarms, hits))
    blind = Series("Knowing nothing", (0.0, 1.0), (0.0, 1.0), reference=True)
    return Chart(
        f"roc-{target}",
        f"Foretelling {target}",
        "line",
        Axis("False alarms", "", "percent"),
        Axis("Found", "", "percent"),
        (*lines, blind),
        note="Of the commonest class against all others: the share of its rows that is found at each share "
        "of false alarms. The nearer the line of the release lies to that of the original, the better.",
        internal=True,
    )
