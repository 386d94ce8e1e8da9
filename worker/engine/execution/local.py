"""Run a recipe on this machine: in memory, or streaming over the chunks of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from worker.engine.classes import released_classes
from worker.engine.errors import EngineError
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.output import Output, write_release
from worker.engine.execution.population import counted_population
from worker.engine.execution.records import write_records
from worker.engine.execution.tabulating import public_part, tabulate, write_tables
from worker.engine.fields import Kind, Role
from worker.engine.frequency import FrequencyTable
from worker.engine.goal import Goal
from worker.engine.measure import Measure, Section
from worker.engine.method import Method
from worker.engine.parametric import Parametric
from worker.engine.privacy import Spend
from worker.engine.randomness import Source, fresh_key, step_names
from worker.engine.replay import Replay
from worker.engine.report import Report, peak_memory
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.statistics import Statistics
from worker.engine.table import TableSource
from worker.engine.version import VERSION

if TYPE_CHECKING:
    from worker.engine.recipe import Recipe

__all__ = ["Output", "anonymize", "assess", "compare"]


DRAWN_ANEW = (
    "Randomized cells were drawn with a key of this run alone. Another file of the same data is drawn anew, "
    "and both together tell more: their local ε adds up."
)


@dataclass(frozen=True)
class Work:
    """What all three ways of running a recipe share."""

    recipe: Recipe
    reporter: Reporter
    memory: int | None
    hierarchies: Mapping[str, str]
    populations: Mapping[str, TableSource] = field(default_factory=dict)

    def goals(self, data: Dataset) -> tuple[Goal, ...]:
        """The goals, checked and told what they must know of the data."""
        statistics, bound = self.statistics(data), []
        for number, goal in enumerate(self.recipe.goals):
            try:
                goal.check(data.schema)
                bound.append(goal.bound(statistics, self.population))
            except EngineError as error:
                raise placed(error, f"goals[{number}]", goal) from None
        return tuple(bound)

    def population(self, path: str, columns: Sequence[str]) -> FrequencyTable:
        """Some columns of a population file, counted."""
        return counted_population(
            self.populations.get(path), columns, self.recipe.missing_texts, self.reporter
        )

    def dataset(self, source: TableSource, strict: bool = True, blind: bool = False) -> Dataset:
        declared = self.recipe.declarations(self.hierarchies)
        read = frozenset(self.recipe.read_columns())
        return Dataset(source, self.recipe.columns, declared, self.recipe.missing_texts, strict, read, blind)

    def statistics(self, data: Dataset, before: Statistics | None = None) -> Statistics:
        """What may be asked of the data; `before` knows them without their steps."""
        declared = self.recipe.declarations(self.hierarchies)
        replay = Replay(before, data.steps) if before else None
        return Statistics(data, declared, self.reporter, self.memory, replay)


def anonymize(
    recipe: Recipe,
    source: TableSource,
    outputs: Sequence[Output],
    *,
    key: bytes | None = None,
    reporter: Reporter | None = None,
    memory: int | None = None,
    keep_order: bool = False,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    records: BinaryIO | None = None,
    persons: BinaryIO | None = None,
    input_sha256: str | None = None,
    project_key: bytes | None = None,
    version_key: bytes | None = None,
    exact: BinaryIO | None = None,
    categories: dict[str, tuple[str, ...]] | None = None,
) -> Report:
    """Carry out the steps, write the release, measure before and after.

    A recipe that makes a table writes that instead; `exact` takes the true figures beside the released
    ones, for those who may see the data. `hierarchies` holds the text of every file the recipe refers to;
    `records` takes one line per input row, `persons` a number per released row for the verification of the
    bytes. Without a `key` the randomness is fresh from the operating system; `project_key` makes pseudonyms
    agree between a project's files, `version_key` randomized answers between files of the same data.
    `categories` is filled with the values that each released column of few values holds, for the codebook.
    """
    work = Work(recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {})
    report = Report()
    recipe.insist_on_kinds()
    work.reporter.stage("Reading the columns")
    original = work.dataset(source, blind=recipe.tabulates)
    _describe_input(report, original, source, input_sha256)
    if recipe.tabulates:
        return _tabulated(work, original, Source(key or fresh_key()), outputs, exact, report)
    goals = work.goals(original)
    with work.reporter.span(0.02, 0.6):
        before = work.statistics(original)
        randomness = Source(key or fresh_key(), project_key=project_key, version_key=version_key)
        if version_key is None and any(step.draws_of_version for step in recipe.steps):
            report.warnings.append(DRAWN_ANEW)
        data = _decide(work, original, before, goals, randomness, report)
    with work.reporter.span(0.6, 0.8):
        _write(work, data, outputs, keep_order, persons, report)
    after = work.statistics(data, before)
    with work.reporter.span(0.8, 1.0):
        _judge(after, goals, report)
        _measure(work, recipe.measures, before, after, report)
        if categories is not None:
            categories.update(_categories(after, data))
        if records is not None:
            write_records(records, original, data, after, work.reporter)
    _privacy(report, recipe, original)
    return _finished(report, work)


MOST_CATEGORIES = 200
"""Longer lists are left to the file itself."""


def _categories(after: Statistics, data: Dataset) -> dict[str, tuple[str, ...]]:
    """The values of the released columns that are categories, as the file writes them."""
    listed = {}
    for name in data.released():
        if data.schema[name].kind in (Kind.CATEGORICAL, Kind.ORDINAL, Kind.BOOLEAN):
            table = after.counts((name,))
            domain, rows = table.domain(name), table.marginal(name)
            held = np.flatnonzero((rows > 0) & ~domain.missing)
            texts = [domain.texts[i] for i in held.tolist()]
            if len(texts) <= MOST_CATEGORIES:
                listed[name] = tuple(sorted(texts))
    return listed


def assess(
    recipe: Recipe,
    source: TableSource,
    *,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    records: BinaryIO | None = None,
    input_sha256: str | None = None,
) -> Report:
    """Measures and goals of the data as they are."""
    work = Work(recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {})
    report = Report()
    data = work.dataset(source)
    _describe_input(report, data, source, input_sha256)
    goals = work.goals(data)
    before = work.statistics(data)
    _judge(before, goals, report)
    _measure(work, recipe.measures, before, None, report)
    if records is not None:
        write_records(records, data, data, before, work.reporter)
    return _finished(report, work)


def compare(
    recipe: Recipe,
    original: TableSource,
    released: TableSource,
    *,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    input_sha256: str | None = None,
    output_sha256: str | None = None,
) -> Report:
    """Measures before and after, for a released file that any tool made."""
    work = Work(recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {})
    report = Report()
    data, made = work.dataset(original), work.dataset(released, strict=False)
    _describe_input(report, data, original, input_sha256)
    report.output = {"rows": made.rows, "columns": len(released.schema), "sha256": output_sha256}
    goals = work.goals(data)
    before, after = work.statistics(data), work.statistics(made)
    _judge(after, goals, report)
    _measure(work, recipe.measures, before, after, report)
    return _finished(report, work)


def _decide(
    work: Work, data: Dataset, before: Statistics, goals: Sequence[Goal], source: Source, report: Report
) -> Dataset:
    """Each step plans on the replayed output of the steps before it."""
    steps = work.recipe.steps
    names = step_names((method.slug, method.params()) for method in steps)
    for number, method in enumerate(steps):
        with work.reporter.span(number / len(steps), (number + 1) / len(steps)):
            work.reporter.stage(f"Planning step {number + 1} of {len(steps)}: {method.title}")
            try:
                method.require_possible(data.schema, goals, before.declared)
                own = source.for_step(names[number], earlier=drawn_before(steps, number))
                asked = work.statistics(data, before) if data.steps else before
                plan = method.plan(asked, goals, own, work.reporter)
            except EngineError as error:
                raise placed(error, f"steps[{number}]", method).at_step(number) from None
            report.steps.append({"method": method.slug, "describe": method.describe(), **plan.facts})
            data = data.with_step(method, plan, own)
            work.reporter.progress(1.0)
    return data


def drawn_before(steps: Sequence[Method], number: int) -> int:
    """How many steps before this one drew for its column from the version's key."""
    column = getattr(steps[number], "column", None)
    return sum(one.draws_of_version and getattr(one, "column", None) == column for one in steps[:number])


def _tabulated(
    work: Work,
    data: Dataset,
    source: Source,
    outputs: Sequence[Output],
    exact: BinaryIO | None,
    report: Report,
) -> Report:
    """A table of noisy figures. No measure reads the true data, because a figure about them is exact."""
    work.reporter.stage(f"Planning: {work.recipe.steps[0].title}")
    with work.reporter.span(0.02, 0.9):
        method = work.recipe.steps[0]
        try:
            plan = tabulate(method, data, work.statistics(data), source, work.reporter, report)
        except EngineError as error:
            raise placed(error, "steps[0]", method).at_step(0) from None
    with work.reporter.span(0.9, 1.0):
        write_tables(plan, outputs, exact, work.reporter, report)
    _privacy(report, work.recipe, data)
    _finished(report, work)
    report.public = public_part(report, plan)
    return report


def placed(error: EngineError, part: str, contract: Parametric) -> EngineError:
    """A refusal of one of its parameters says which part of the recipe it belongs to."""
    elsewhere = ("columns", "goals[", part)
    own = error.param in type(contract).model_fields
    if error.param and (own or not error.param.startswith(elsewhere)):
        error.message = error.message.removeprefix(f"{error.param}: ")
        error.param = f"{part}.params.{error.param}"
    error.args = (error.code, error.message, error.param, error.step)
    return error


def _write(
    work: Work,
    data: Dataset,
    outputs: Sequence[Output],
    keep_order: bool,
    persons: BinaryIO | None,
    report: Report,
) -> None:
    names = data.released()
    if not names:
        text = "columns: no column leaves. Tag a column quasi-identifier, sensitive or other."
        raise EngineError("no-columns", text, param="columns")
    last = data.counting()
    written = write_release(last, names, outputs, keep_order, work.memory, work.reporter, persons)
    report.files = written.files
    first = next(iter(written.files.values()), {})
    report.output = {"rows": written.rows, "columns": len(names), "sha256": first.get("sha256")}
    fields = [last.schema[name] for name in names]
    report.output["schema"] = [{"name": f.name, "kind": str(f.kind), "role": str(f.role)} for f in fields]
    for entry, step, tallies, seconds in zip(
        report.steps, last.steps, last.tallies or (), last.seconds, strict=True
    ):
        entry.update(step.concluded(tallies))
        entry["codebook"] = list(step.method.codebook(entry))
        entry["transform_seconds"] = seconds


def _describe_input(report: Report, data: Dataset, source: TableSource, sha256: str | None) -> None:
    report.input = {
        "rows": source.rows,
        "columns": len(source.schema),
        "sha256": sha256,
        "rows_without_consent": data.rows_without_consent(),
    }


def _judge(statistics: Statistics, goals: Sequence[Goal], report: Report) -> None:
    """The goals on what was made; suppressed rows are judged as a set beside the classes."""
    if not goals:
        return
    table = statistics.classes_table(name for goal in goals for name in goal.sensitive_columns())
    classes, suppressed = released_classes(table, statistics.quasi_identifiers)
    for goal in goals:
        entry = goal.result(classes).as_dict()
        entry["unit"] = "person" if statistics.person_key else "row"
        entry["suppressed_rows"] = 0 if suppressed is None else int(suppressed.rows.sum())
        entry["suppressed_hold"] = suppressed is None or (
            not goal.violating(suppressed).any() and goal.met(suppressed)
        )
        report.goals.append(entry)


def _measure(
    work: Work, measures: Sequence[Measure], before: Statistics, after: Statistics | None, report: Report
) -> None:
    report.risk["before"] = {}
    if after is not None:
        report.risk["after"] = {}
    for number, measure in enumerate(measures):
        work.reporter.stage(f"Measuring: {measure.title}")
        measure.check(before.schema)
        if measure.applies(before):
            _measured(measure, before, after, report)
        work.reporter.progress((number + 1) / len(measures))


def _measured(measure: Measure, before: Statistics, after: Statistics | None, report: Report) -> None:
    if measure.section is Section.RISK:
        report.risk["before"][measure.slug] = measure.read(before)
        if after is not None:
            report.risk["after"][measure.slug] = measure.read(after)
    elif after is not None:
        section = report.utility if measure.section is Section.UTILITY else report.attack
        section[measure.slug] = measure.compare(before, after)


def _privacy(report: Report, recipe: Recipe, data: Dataset) -> None:
    spend = sum((step.cost() for step in recipe.steps), Spend())
    loss: dict[str, Any] = {"epsilon": float(spend.epsilon), "delta": float(spend.delta)}
    loss["unit"] = "person" if data.schema.named(Role.PERSON_KEY) else "row"
    loss["neighbours"] = "add-remove"
    report.privacy_loss = loss


def _finished(report: Report, work: Work) -> Report:
    work.reporter.progress(1.0)
    report.engine = {
        "version": VERSION,
        "recipe_sha256": work.recipe.sha256(),
        "seconds": work.reporter.elapsed,
        "peak_memory_bytes": peak_memory(),
    }
    return report
