"""Carry out a recipe on this machine: in memory, or streaming over the chunks of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from worker.engine.contracts.facts import LISTED, StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Method, Tabulation
from worker.engine.contracts.privacy import Spend
from worker.engine.contracts.scene import Outlook, truthful_keys
from worker.engine.contracts.traces import Traces
from worker.engine.errors import EngineError
from worker.engine.execution.beside import Beside, RowsBeside, marked, place_among
from worker.engine.execution.dataset import Dataset, Step
from worker.engine.execution.earlier import Earlier, Nothing
from worker.engine.execution.giving_back import give_back
from worker.engine.execution.kept import Kept
from worker.engine.execution.output import Output, write_release
from worker.engine.execution.records import write_records
from worker.engine.execution.tabulating import (
    Answered,
    answered,
    begun,
    public_part,
    tabulate,
    write_tables,
)
from worker.engine.execution.work import Work, announced, describe_input, finished, judge, placed
from worker.engine.randomness import Source, fresh_key, step_names
from worker.engine.recipes.report import Report
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.column import Mask
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.questions import classes_of, distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import TableSource, Tallies

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe

__all__ = ["Answered", "Output", "anonymize", "answer", "explore"]


DRAWN_ANEW = (
    "Randomized cells were drawn with a key of this run alone. Another file of the same data is drawn anew, "
    "and both together tell more: their local ε adds up."
)


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
    describe_input(report, original, source, input_sha256)
    if recipe.tabulates:
        return _tabulated(work, original, Source(key or fresh_key()), outputs, exact, report)
    give_back(original.rows)
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
    if announced(work, goals, outlook, before, after, further) or records is not None:
        kept.hold((*data.released(), *data.schema.named(Role.WEIGHT, Role.PERSON_KEY)))
    with work.reporter.span(0.6, 0.8):
        _write(work, data, kept, outputs, keep_order, persons, beside, report)
    held_out = _held_out(data)
    if beside is not None and held_out is not None:
        beside.held_out.write(marked(held_out))
    with work.reporter.span(0.8, 1.0):
        judge(after, goals, report)
        found = work.measured(original, before, after, randomness, held_out, by_record=records is not None)
        report.measures.extend(found.results)
        if categories is not None:
            categories.update(_categories(after, listed))
        if records is not None:
            before.forget()
            give_back(original.rows)
            keys = truthful_keys(after.quasi_identifiers, recipe.traces_in(original.schema))
            write_records(records, original, kept, after, found.records, keys, work.reporter)
    _traced(report, recipe.traces_in(original.schema))
    _privacy(report, recipe, original)
    return finished(report, work)


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
    finished(report, work)
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
    sha256 = next((one["sha256"] for one in written.files.values()), None)
    report.output = {"rows": written.rows, "columns": len(names), "sha256": sha256}
    fields = [last.schema[name] for name in names]
    report.output["schema"] = [{"name": f.name, "kind": str(f.kind), "role": str(f.role)} for f in fields]
    done = zip(report.steps, last.steps, last.tallies or (), last.seconds, strict=True)
    report.steps = [_concluded(*one) for one in done]


def _concluded(entry: StepJson, step: Step, tallies: Tallies, seconds: float) -> StepJson:
    """What is said of a step when all rows have been through it."""
    entry = {**entry, **step.concluded(tallies)}
    return {**entry, "codebook": list(step.method.codebook(entry)), "transform_seconds": seconds}


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
    report.privacy_loss = {
        "epsilon": float(spend.epsilon),
        "delta": float(spend.delta),
        "unit": "person" if data.schema.named(Role.PERSON_KEY) else "row",
        "neighbours": "add-remove",
    }
