"""Carrying out the measures of a recipe. One that cannot be measured is an entry with a reason, and the run
goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from worker.engine.contracts.channels import Channels
from worker.engine.contracts.chart import Chart, overlaid
from worker.engine.contracts.figure import Parts, Scalar, charts_alike, rows_astray, taken, wrong_figure
from worker.engine.contracts.measure import DoesNotApply, Found, Measure, PerRecord, too_large
from worker.engine.contracts.result import Result, State
from worker.engine.contracts.scene import Outlook, Outside, Scene, Side, truthful_keys
from worker.engine.contracts.traces import Traces
from worker.engine.errors import Cancelled, EngineError, LimitExceeded, frames, is_out_of_memory
from worker.engine.execution.earlier import Earlier, Nothing, Watched, key_of, spelled, told
from worker.engine.execution.giving_back import give_back
from worker.engine.execution.worst_classes import Grouped, groups_of, judged_by, worst_chart
from worker.engine.information.side_by_side import SideBySide
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Mask
from worker.engine.tables.questions import Question
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

NO_RELEASE = "It compares a release with its original, and there is no release here."
MEMORY = "It needed more memory than it may use. Measure fewer columns or rows, or allow more memory."
UNFORESEEN = "It stopped for a reason that nobody foresaw (%s). The other figures are not touched by that."


@dataclass(frozen=True)
class Setting:
    """What all measures of a run are shown. `rows` are those of the input."""

    before: Statistics
    after: Statistics | None
    rows: int
    source: Source
    reporter: Reporter
    outside: Outside
    memory: int | None = None
    held_out: Mask | None = None
    traces: Traces | None = None
    channels: Channels = field(default_factory=Channels)
    aligned: bool = True
    left_behind: tuple[str, ...] = ()
    by_record: bool = True
    earlier: Earlier = field(default_factory=Nothing)
    declared: str = ""
    """What is declared of the data, in short."""

    @property
    def outlook(self) -> Outlook:
        """What is known before anything is read."""
        return Outlook(self.before.schema, self.rows, self.traces)

    @cached_property
    def beside(self) -> Statistics | None:
        """Both sides row by row, where it is known which row became which."""
        if self.after is None or not self.aligned:
            return None
        return self.before.over(SideBySide(self.before, self.after, self.rows))

    @cached_property
    def groups(self) -> tuple[Grouped, ...]:
        """What rows of the release have in common; figures per record are summed up by it."""
        return () if self.after is None else tuple(groups_of(self.after, self.traces, self.rows))


@dataclass(frozen=True)
class Measured:
    """Results in the order of the recipe, and the figures per record by the column they are written to."""

    results: tuple[Result, ...]
    records: Mapping[str, PerRecord] = field(default_factory=dict)


def measured(measures: Sequence[Measure], setting: Setting) -> Measured:
    """Every instance by itself."""
    results: list[Result] = []
    records: dict[str, PerRecord] = {}
    for number, measure in enumerate(measures):
        with setting.reporter.span(number / len(measures), (number + 1) / len(measures)):
            setting.reporter.stage(f"Measuring: {measure.title}")
            give_back(setting.rows)
            result, found = _instance(measure, setting)
        later = (asked_by(one, setting.before.schema) for one in measures[number + 1 :])
        setting.before.forget_but(chain.from_iterable(later))
        results.append(result)
        records |= {f"{_prefix(measure, measures)}_{name}": one for name, one in found.items()}
        setting.reporter.progress((number + 1) / len(measures))  # stops when the whole work ran out of time
    return Measured(tuple(results), records)


def not_measured(measures: Sequence[Measure], reason: str) -> tuple[Result, ...]:
    """An entry for each instance where none of them applies, for the one reason."""
    blank = (Result(one.id, one.slug, str(one.section), one.params()) for one in measures)
    return tuple(replace(one, state=State.DOES_NOT_APPLY, reason=reason) for one in blank)


def applying(measures: Sequence[Measure], outlook: Outlook) -> tuple[Measure, ...]:
    """Those that have something to say of such data, for all that is known before they are read."""
    return tuple(one for one in measures if _applies(one, outlook))


def _applies(measure: Measure, outlook: Outlook) -> bool:
    """A fault is left to its result."""
    try:
        return measure.does_not_apply(outlook) is None
    except Cancelled:
        raise
    except Exception:  # noqa: BLE001 - a measure never costs the release
        return True


def asked_by(measure: Measure, schema: Schema) -> Sequence[Question]:
    """What it says it is going to ask, of columns that are there; a fault is left to its result."""
    try:
        return [one for one in measure.questions(schema) if set(one.names) <= set(schema.names)]
    except Cancelled:
        raise
    except Exception:  # noqa: BLE001 - a measure never costs the release
        return ()


def _prefix(measure: Measure, measures: Sequence[Measure]) -> str:
    """What the columns of figures per record begin with."""
    twice = sum(one.slug == measure.slug for one in measures) > 1
    return measure.id if twice else measure.slug


def _instance(measure: Measure, setting: Setting) -> tuple[Result, Mapping[str, PerRecord]]:
    """One result. Nothing of an exception nobody foresaw is told but its type: its words may hold values."""
    began = setting.reporter.elapsed
    records: Mapping[str, PerRecord] = {}
    result = Result(measure.id, measure.slug, str(measure.section), measure.params())
    try:
        result, records = _found(measure, setting, result)
    except Cancelled:
        raise
    except DoesNotApply as told:
        result = replace(result, state=State.DOES_NOT_APPLY, reason=told.reason)
    except LimitExceeded as limit:
        result = replace(result, state=State.TOO_LARGE, reason=limit.message)
    except EngineError as error:
        result = replace(result, state=State.FAILED, reason=error.sentence)
    except Exception as error:  # noqa: BLE001 - a measure never costs the release
        if is_out_of_memory(error):
            result = replace(result, state=State.TOO_LARGE, reason=MEMORY)
        else:
            kind = type(error).__name__
            setting.reporter.trouble(measure.id, kind, frames(error))
            result = replace(result, state=State.FAILED, reason=UNFORESEEN % kind)
    return replace(result, seconds=setting.reporter.elapsed - began), records


def _found(measure: Measure, setting: Setting, result: Result) -> tuple[Result, Mapping[str, PerRecord]]:
    measure.check(setting.before.schema)
    if reason := measure.does_not_apply(setting.outlook):
        raise DoesNotApply(reason)
    if refused := too_large(measure.effort(setting.outlook), setting.memory):
        raise refused
    before = _original(measure, setting)
    after = compared = None
    if setting.after is not None:
        after = measure.read(_released(measure, setting, setting.after))
        compared = measure.compare(_scene(measure, setting, setting.after))
    found = [one for one in (before, after, compared) if one is not None]
    if not found:
        raise DoesNotApply(NO_RELEASE)
    records = _records(measure, found, setting.rows)
    made = replace(
        result,
        before=_figures(measure, before, Found(compared.before) if compared else None),
        after=_figures(measure, after, compared),
        charts=_charts(before, after, compared, _worst(measure, records, setting)),
    )
    return made, records


def _original(measure: Measure, setting: Setting) -> Found | None:
    """The original as it was read before, or as it is read now and kept. Figures per record are not kept."""
    key = key_of(measure, setting.declared)
    if setting.after is not None and (kept := setting.earlier.get(key)) is not None:
        return told(kept)
    outside = Watched(setting.outside)
    found = measure.read(replace(_side(measure, setting), outside=outside))
    if (text := spelled(measure, found, outside)) is not None:
        setting.earlier.put(key, text)
    return found


def _side(measure: Measure, setting: Setting) -> Side:
    """The original. Its rows are those that records are about where there is no release."""
    return Side(
        rows=setting.rows,
        by_record=setting.by_record and setting.after is None,
        source=setting.source.for_step(measure.id),
        reporter=setting.reporter,
        outside=setting.outside,
        statistics=setting.before,
        keys=setting.before.quasi_identifiers,
        origin=setting.before,
    )


def _released(measure: Measure, setting: Setting, after: Statistics) -> Side:
    """Both sides draw the same, so that they differ by the data alone."""
    return replace(
        _side(measure, setting),
        by_record=setting.by_record and setting.aligned,
        statistics=after,
        keys=truthful_keys(after.quasi_identifiers, setting.traces),
        origin=setting.before if setting.aligned else None,
        traces=setting.traces,
    )


def _scene(measure: Measure, setting: Setting, after: Statistics) -> Scene:
    return Scene(
        rows=setting.rows,
        by_record=setting.by_record,
        source=setting.source.for_step(measure.id),
        reporter=setting.reporter,
        outside=setting.outside,
        before=setting.before,
        after=after,
        held_out=setting.held_out,
        aligned=setting.aligned,
        traces=setting.traces,
        channels=setting.channels,
        beside=setting.beside,
        left_behind=setting.left_behind,
    )


def _figures(measure: Measure, *found: Found | None) -> dict[str, Scalar | Parts] | None:
    """The figures of one side as the report keeps them; each has one origin."""
    made: dict[str, Scalar | Parts] = {}
    for one in (one for one in found if one is not None):
        if made.keys() & one.figures.keys():
            raise wrong_figure()
        made |= taken(measure.figures, one.figures)
    return made or None


def _charts(
    before: Found | None, after: Found | None, compared: Found | None, worst: Sequence[Chart]
) -> tuple[Chart, ...]:
    """The charts of both sides over one another, and those of the comparison: each under its own name."""
    sides = [(name, one.charts) for name, one in (("Before", before), ("After", after)) if one]
    charts = (*overlaid(sides), *(compared.charts if compared else ()), *worst)
    if len({chart.slug for chart in charts}) < len(charts):
        raise charts_alike()
    return charts


def _worst(measure: Measure, records: Mapping[str, PerRecord], setting: Setting) -> tuple[Chart, ...]:
    """The classes of the release that fare worst, where it has records and somebody is going to have them."""
    if not (setting.by_record and setting.aligned):
        return ()
    figure = judged_by(measure.figures, records)
    if figure is None:
        return ()
    try:
        chart = worst_chart(figure, records[figure.name], setting.groups)
    except LimitExceeded:  # what was measured stands without them
        return ()
    return () if chart is None else (chart,)


def _records(measure: Measure, found: Sequence[Found], rows: int) -> dict[str, PerRecord]:
    """Those of the release where there is one; each is declared and has one number for each input row."""
    made = {name: one for each in found for name, one in each.records.items()}
    declared = {figure.name for figure in measure.figures if figure.per == "record"}
    if not made.keys() <= declared:
        raise wrong_figure()
    for name, one in made.items():
        if one.shape != (rows,):
            raise rows_astray(name)
    return made
