"""Run a recipe on this machine: in memory, or streaming over the chunks of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from worker.engine.contracts.channels import Channels
from worker.engine.contracts.facts import LISTED
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.method import Method, Tabulation
from worker.engine.contracts.parametric import Parametric
from worker.engine.contracts.privacy import Spend
from worker.engine.contracts.scene import Outlook, truthful_keys
from worker.engine.contracts.traces import Traces
from worker.engine.errors import EngineError
from worker.engine.execution.beside import (
    Beside,
    RowsBeside,
    laid_back,
    marked,
    place_among,
    staying_behind,
)
from worker.engine.execution.dataset import Dataset, Step
from worker.engine.execution.earlier import Earlier, Nothing, declared_of, key_of
from worker.engine.execution.kept import Kept
from worker.engine.execution.measuring import Measured, Setting, applying, asked_by, measured, not_measured
from worker.engine.execution.output import Output, write_release
from worker.engine.execution.outside import OpenedFiles
from worker.engine.execution.population import counted_population
from worker.engine.execution.records import write_records
from worker.engine.execution.tabulating import (
    Answered,
    answered,
    begun,
    public_part,
    tabulate,
    write_tables,
)
from worker.engine.randomness import Source, fresh_key, step_names
from worker.engine.recipes.report import Report, peak_memory
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.after_steps import Replay
from worker.engine.tables.answers import Answers
from worker.engine.tables.classes import released_classes
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.questions import Question, classes_of, distinct_of
from worker.engine.tables.statistics import Data, Statistics
from worker.engine.tables.table import Schema, TableSource
from worker.engine.version import VERSION

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe

__all__ = ["Answered", "Output", "anonymize", "answer", "assess", "compare", "explore", "look_again"]


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
    releases: Mapping[str, TableSource] = field(default_factory=dict)
    earlier: Earlier = field(default_factory=Nothing)
    measuring: bool = True

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of the recipe; none where nobody is going to read what they find."""
        return self.recipe.measures if self.measuring else ()

    def goals(self, statistics: Statistics) -> tuple[Goal, ...]:
        """The goals, checked and told what they must know of the data."""
        bound = []
        for number, goal in enumerate(self.recipe.goals):
            try:
                goal.check(statistics.schema)
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

    def released(self, source: TableSource, original: Dataset) -> Dataset:
        """The rows that the steps made, with the kinds that they leave."""
        left = {field.name: field for field in self.left(original) if field.name in source.schema}
        declared = self.recipe.declarations(self.hierarchies)
        return Dataset(source, left, declared, frozenset(), strict=False)

    def left(self, original: Dataset) -> Schema:
        """The columns and kinds that the steps leave."""
        schema = original.schema
        for step in self.recipe.steps:
            schema = step.output_schema(schema)
        return schema

    def tagged(self, source: TableSource) -> Statistics:
        """What may be asked of another table: its columns mean what those of the same names do here."""
        return self.statistics(self.dataset(source, strict=False))

    @property
    def outside(self) -> OpenedFiles:
        """The door to auxiliary files and other releases."""
        place = place_among(self.recipe.columns)
        return OpenedFiles(self.tagged, self.populations, self.releases, self.put_back, place)

    def put_back(self, source: TableSource) -> Statistics | None:
        """What may be asked of another release of the same rows, each where it stood in the input."""
        made, place = self.dataset(source, strict=False), place_among(self.recipe.columns)
        kept = laid_back(made, source, place, self.memory)
        return None if kept is None else self.statistics(kept)

    def measured(
        self,
        data: Dataset,
        before: Statistics,
        after: Statistics | None,
        source: Source,
        held_out: Mask | None = None,
        aligned: bool = True,
        by_record: bool = False,
    ) -> Measured:
        """The measures of the recipe; `data` are the rows of the original."""
        traces = None if after is None else self.traces(data)
        setting = Setting(
            before=before,
            after=after,
            rows=data.rows,
            source=source,
            reporter=self.reporter,
            outside=self.outside,
            memory=self.memory,
            traces=traces,
            channels=Channels() if traces is None else Channels(self.recipe.steps, before),
            earlier=self.earlier,
            declared=self.declared(before),
            held_out=held_out,
            aligned=aligned,
            left_behind=data.left_behind,
            by_record=by_record,
        )
        return measured(self.measures, setting)

    def traces(self, data: Dataset) -> Traces | None:
        """What the steps leave of each column; nobody knows where there are no steps."""
        return self.recipe.traces_in(data.schema) if self.recipe.steps else None

    def declared(self, before: Statistics) -> str:
        """Everything but the rows that figures of the original may hang on."""
        return declared_of(self.recipe, self.hierarchies, before.schema)

    def was_read(self, measure: Measure, before: Statistics) -> bool:
        """Whether an earlier run read the original for it."""
        return self.earlier.get(key_of(measure, self.declared(before))) is not None

    @cached_property
    def answers(self) -> Answers:
        """All statistics keep to one budget."""
        return Answers(self.memory)

    def statistics(
        self, data: Data, before: Statistics | None = None, steps: Sequence[Step] = ()
    ) -> Statistics:
        """What may be asked of the data; `before` knows them without their steps."""
        declared = self.recipe.declarations(self.hierarchies)
        replay = Replay(before, steps) if before else None
        return Statistics(data, declared, self.reporter, self.memory, replay, self.answers)


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
    releases: Mapping[str, TableSource] | None = None,
    records: BinaryIO | None = None,
    persons: BinaryIO | None = None,
    input_sha256: str | None = None,
    project_key: bytes | None = None,
    version_key: bytes | None = None,
    exact: BinaryIO | None = None,
    categories: dict[str, tuple[str, ...]] | None = None,
    earlier: Earlier | None = None,
    measuring: bool = True,
    beside: Beside | None = None,
) -> Report:
    """Carry out the steps, write the release, measure before and after.

    A recipe that makes a table writes that instead; `exact` takes the true figures beside the released
    ones, for those who may see the data. `hierarchies` holds the text of every file the recipe refers to;
    `records` takes one line per input row, `persons` a number per released row for the verification of the
    bytes. Without a `key` the randomness is fresh from the operating system; `project_key` makes pseudonyms
    agree between a project's files, `version_key` randomized answers between files of the same data.
    `categories` is filled with the values that each released column of few values holds, for the codebook.
    `earlier` keeps what measures read of the original, for other runs on the same table; `beside` takes what
    does not leave and is needed to measure the release again. Without `measuring` goals are judged and
    nothing else is measured.
    """
    work = Work(
        recipe,
        reporter or NullReporter(),
        memory,
        hierarchies or {},
        populations or {},
        releases or {},
        earlier or Nothing(),
        measuring,
    )
    report = Report()
    recipe.insist_on_kinds()
    work.reporter.stage("Reading the columns")
    original = work.dataset(source, blind=recipe.tabulates)
    _describe_input(report, original, source, input_sha256)
    if recipe.tabulates:
        return _tabulated(work, original, Source(key or fresh_key()), outputs, exact, report)
    before = work.statistics(original)
    goals = work.goals(before)
    with work.reporter.span(0.02, 0.6):
        randomness = Source(key or fresh_key(), project_key=project_key, version_key=version_key)
        if version_key is None and any(step.drawn_column for step in recipe.steps):
            report.warnings.append(DRAWN_ANEW)
        data = _decide(work, original, before, goals, randomness, report)
    kept = Kept(data.schema, memory)
    after = work.statistics(kept, before, data.steps)
    listed = _listed(data) if categories is not None else ()
    further = [distinct_of(name) for name in listed]
    further += [classes_of(after.schema, after.sensitive)] if records is not None else []
    outlook = Outlook(original.schema, original.rows, work.traces(original))
    if _announced(work, goals, outlook, before, after, further) or records is not None:
        kept.hold((*data.released(), *data.schema.named(Role.WEIGHT, Role.PERSON_KEY)))
    with work.reporter.span(0.6, 0.8):
        _write(work, data, kept, outputs, keep_order, persons, beside, report)
    held_out = _held_out(data)
    if beside is not None and held_out is not None:
        beside.held_out.write(marked(held_out))
    with work.reporter.span(0.8, 1.0):
        _judge(after, goals, report)
        found = work.measured(original, before, after, randomness, held_out, by_record=records is not None)
        report.measures.extend(found.results)
        if categories is not None:
            categories.update(_categories(after, listed))
        if records is not None:
            before.forget()
            keys = truthful_keys(after.quasi_identifiers, recipe.traces_in(original.schema))
            write_records(records, original, kept, after, found.records, keys, work.reporter)
    _traced(report, recipe.traces_in(original.schema))
    _privacy(report, recipe, original)
    return _finished(report, work)


def answer(
    recipe: Recipe,
    source: TableSource,
    *,
    key: bytes | None = None,
    reporter: Reporter | None = None,
    memory: int | None = None,
) -> Answered:
    """What a recipe whose one step makes a table would release, as values and without a release: no file is
    written and no row is looked at that the step does not ask for."""
    if not recipe.tabulates:
        raise EngineError("bad-recipe", "steps: a question is one step that makes a table.", param="steps")
    work, report = Work(recipe, reporter or NullReporter(), memory, {}), Report()
    recipe.insist_on_kinds()
    work.reporter.stage("Reading the columns")
    data = work.dataset(source, blind=True)
    return answered(_planned(work, data, Source(key or fresh_key()), report), report)


MOST_CATEGORIES = 200
"""Longer lists are left to the file itself."""


def _listed(data: Dataset) -> tuple[str, ...]:
    """The released columns that are categories."""
    kinds = (Kind.CATEGORICAL, Kind.ORDINAL, Kind.BOOLEAN)
    return tuple(name for name in data.released() if data.schema[name].kind in kinds)


def _categories(after: Statistics, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The values of columns of few values, as the file writes them."""
    listed = {}
    for name in names:
        table = after.counts((name,))
        domain, rows = table.domain(name), table.marginal(name)
        held = np.flatnonzero((rows > 0) & ~domain.missing)
        texts = [domain.texts[i] for i in held.tolist()]
        if len(texts) <= MOST_CATEGORIES:
            listed[name] = tuple(sorted(texts))
    return listed


def _announced(
    work: Work,
    goals: Sequence[Goal],
    outlook: Outlook,
    before: Statistics | None,
    after: Statistics,
    further: Sequence[Question] = (),
) -> bool:
    """Say beforehand what measures and goals are going to ask. Whether the released rows are needed for it:
    they are when a measure that applies does not say what it asks."""
    measures = applying(work.measures, outlook)
    if before is not None:
        asking = (one for one in measures if one.compares or not work.was_read(one, before))
        before.announce(question for one in asking for question in asked_by(one, before.schema))
    told = [asked_by(measure, after.schema) for measure in measures]
    asked = [*further, *(one for questions in told for one in questions)]
    if goals:
        asked.append(classes_of(after.schema, (name for goal in goals for name in goal.sensitive_columns())))
    after.announce(asked)
    return not all(told) or bool(after.reads(asked))


def assess(
    recipe: Recipe,
    source: TableSource,
    *,
    key: bytes | None = None,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    releases: Mapping[str, TableSource] | None = None,
    records: BinaryIO | None = None,
    input_sha256: str | None = None,
) -> Report:
    """Measures and goals of the data as they are."""
    work = Work(
        recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {}, releases or {}
    )
    report = Report()
    data = work.dataset(source)
    _describe_input(report, data, source, input_sha256)
    before = work.statistics(data)
    goals = work.goals(before)
    _announced(work, goals, Outlook(data.schema, data.rows), None, before)
    _judge(before, goals, report)
    found = work.measured(data, before, None, Source(key or fresh_key()), by_record=records is not None)
    report.measures.extend(found.results)
    if records is not None:
        keys = before.quasi_identifiers
        write_records(records, data, data, before, found.records, keys, work.reporter)
    return _finished(report, work)


def compare(
    recipe: Recipe,
    original: TableSource,
    released: TableSource,
    *,
    key: bytes | None = None,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    releases: Mapping[str, TableSource] | None = None,
    input_sha256: str | None = None,
    output_sha256: str | None = None,
) -> Report:
    """Measures before and after, for a released file that any tool made."""
    work = Work(
        recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {}, releases or {}
    )
    report = Report()
    data, made = work.dataset(original), work.dataset(released, strict=False)
    _describe_input(report, data, original, input_sha256)
    report.output = {"rows": made.rows, "columns": len(released.schema), "sha256": output_sha256}
    before, after = work.statistics(data), work.statistics(made)
    goals = work.goals(before)
    _announced(work, goals, Outlook(data.schema, data.rows, work.traces(data)), before, after)
    _judge(after, goals, report)
    report.measures.extend(
        work.measured(
            data, before, after, Source(key or fresh_key()), aligned=_aligned(recipe, data, made)
        ).results
    )
    return _finished(report, work)


def _aligned(recipe: Recipe, original: Dataset, released: Dataset) -> bool:
    """Whether row by row one file is the other, as far as anybody can tell without looking."""
    return recipe.aligned and original.rows == released.rows


def look_again(
    recipe: Recipe,
    original: TableSource,
    released: TableSource,
    *,
    key: bytes,
    reporter: Reporter | None = None,
    memory: int | None = None,
    populations: Mapping[str, TableSource] | None = None,
    releases: Mapping[str, TableSource] | None = None,
    earlier: Earlier | None = None,
    held_out: Mask | None = None,
    input_sha256: str | None = None,
    output_sha256: str | None = None,
) -> Report:
    """The measures of a recipe on a file that its steps made, as the run itself would have found them.

    No step is carried out: what they leave of columns and kinds is declared. `key` is that of the run, so
    that measures draw as they did there. `released` holds what the run kept beside the file as well, and
    `held_out` marks the input rows from which no step learnt anything. Goals are not judged: that was done
    when the file was made.
    """
    work = Work(
        recipe,
        reporter or NullReporter(),
        memory,
        {},
        populations or {},
        releases or {},
        earlier or Nothing(),
    )
    report = Report()
    work.reporter.stage("Reading the columns")
    data = work.dataset(original)
    made = work.released(released, data)
    _describe_input(report, data, original, input_sha256)
    report.output = {"rows": made.rows, "columns": len(released.schema), "sha256": output_sha256}
    if lost := _lost(work.left(data), made.schema):
        report.measures.extend(not_measured(recipe.measures, lost))
        return _finished(report, work)
    place = place_among(recipe.columns)
    ordered = laid_back(made, released, place, memory) if place in released.schema else None
    before, after = work.statistics(data), work.statistics(ordered or made)
    _announced(work, (), Outlook(data.schema, data.rows, work.traces(data)), before, after)
    found = work.measured(data, before, after, Source(key), held_out, aligned=ordered is not None)
    report.measures.extend(found.results)
    return _finished(report, work)


def look_at_table(recipe: Recipe) -> Report:
    """The measures of a recipe that makes a table with noise: nothing is read for any of them."""
    report = Report(measures=list(not_measured(recipe.measures, TABLE)))
    return _finished(report, Work(recipe, NullReporter(), None, {}))


def explore(
    recipe: Recipe,
    source: TableSource,
    *,
    key: bytes,
    reporter: Reporter | None = None,
    memory: int | None = None,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, TableSource] | None = None,
    project_key: bytes | None = None,
    version_key: bytes | None = None,
) -> Iterator[Mapping[str, object]]:
    """What the searches of a recipe look at, step by step and with all lists; nothing is carried out.

    With the keys of a run every step decides as it did there.
    """
    work = Work(recipe, reporter or NullReporter(), memory, hierarchies or {}, populations or {})
    report = Report()
    work.reporter.nodes_wanted = True
    work.reporter.stage("Reading the columns")
    data = work.dataset(source)
    before = work.statistics(data)
    randomness = Source(key, project_key=project_key, version_key=version_key)
    _decide(work, data, before, work.goals(before), randomness, report)
    return ({name: step[name] for name in LISTED if name in step} for step in report.steps)


TABLE = "Nothing is measured of a table with noise: a figure of the data behind it would be exact."
LOST = (
    "Figures hang on {0}, which is not in the released file, and this run kept nothing beside it: read from "
    "the file alone they would come out too good. Add the measure to the recipe, and run it again."
)


def _lost(left: Schema, there: Schema) -> str:
    """Why figures of a file would not be those of its rows: whose rows they are, or what they weigh, stayed
    behind and was not kept."""
    gone = [f"the column {name!r}" for name in staying_behind(left, there.names)]
    return LOST.format(" and ".join(gone)) if gone else ""


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
                asked = work.statistics(data, before, data.steps) if data.steps else before
                plan = method.plan(asked, goals, own, work.reporter)
                if data.steps:
                    asked.forget()
            except EngineError as error:
                raise placed(error, f"steps[{number}]", method).at_step(number) from None
            report.steps.append({**begun(method, data.schema), **plan.entry})
            data = data.with_step(method, plan, own)
            work.reporter.progress(1.0)
    return data


def drawn_before(steps: Sequence[Method], number: int) -> int:
    """How many steps before this one drew for its column from the version's key."""
    column = steps[number].drawn_column
    return sum(one.drawn_column == column for one in steps[:number]) if column else 0


def _tabulated(
    work: Work,
    data: Dataset,
    source: Source,
    outputs: Sequence[Output],
    exact: BinaryIO | None,
    report: Report,
) -> Report:
    """A table of noisy figures. No measure reads the true data, because a figure about them is exact."""
    with work.reporter.span(0.02, 0.9):
        plan = _planned(work, data, source, report)
    with work.reporter.span(0.9, 1.0):
        write_tables(plan, outputs, exact, work.reporter, report)
    _traced(report, work.recipe.traces_in(data.schema))
    _privacy(report, work.recipe, data)
    _finished(report, work)
    report.public = public_part(report, plan)
    return report


def _planned(work: Work, data: Dataset, source: Source, report: Report) -> Tabulation:
    """What the one step of a recipe that makes a table decides."""
    method = work.recipe.steps[0]
    work.reporter.stage(f"Planning: {method.title}")
    try:
        return tabulate(method, data, work.statistics(data), source, work.reporter, report)
    except EngineError as error:
        raise placed(error, "steps[0]", method).at_step(0) from None


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
    kept: Kept,
    outputs: Sequence[Output],
    keep_order: bool,
    persons: BinaryIO | None,
    beside: Beside | None,
    report: Report,
) -> None:
    names = data.released()
    if not names:
        text = "columns: no column leaves. Tag a column quasi-identifier, sensitive or other."
        raise EngineError("no-columns", text, param="columns")
    last = data.counting()
    written = write_release(
        last,
        kept,
        names,
        outputs,
        keep_order,
        work.memory,
        work.reporter,
        persons,
        RowsBeside(beside.columns, place_among(work.recipe.columns)) if beside else None,
    )
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


def _held_out(data: Dataset) -> Mask | None:
    """The input rows that the first step which set some aside learnt nothing from."""
    marked = (step.plan.held_out for step in data.steps)
    return next((one for one in marked if one is not None), None)


def _traced(report: Report, traces: Traces) -> None:
    """What is left of the columns that leave, and the family their rows are."""
    report.output["family"] = str(traces.family)
    for column in report.output["schema"]:
        if column["role"]:  # a table's columns are not those of the data
            column["trace"] = str(traces[column["name"]])


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
