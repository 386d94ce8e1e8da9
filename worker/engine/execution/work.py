"""What ways of running a recipe share: its tables, its goals and measures, the frame of its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from worker.engine.contracts.channels import Channels
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.parametric import Parametric
from worker.engine.contracts.scene import Outlook
from worker.engine.contracts.traces import Traces
from worker.engine.errors import EngineError
from worker.engine.execution.beside import laid_back, place_among
from worker.engine.execution.dataset import Dataset, Step
from worker.engine.execution.earlier import Earlier, Nothing, declared_of, key_of
from worker.engine.execution.measuring import Measured, Setting, applying, asked_by, measured
from worker.engine.execution.outside import OpenedFiles
from worker.engine.execution.population import counted_population
from worker.engine.randomness import Source
from worker.engine.recipes.report import Report, peak_memory
from worker.engine.reporting import Reporter
from worker.engine.tables.after_steps import Replay
from worker.engine.tables.answers import Answers
from worker.engine.tables.classes import released_classes
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.questions import Question, classes_of
from worker.engine.tables.statistics import Data, Statistics
from worker.engine.tables.table import Schema, TableSource
from worker.engine.version import VERSION

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe


@dataclass(frozen=True)
class Work:
    """A recipe with all it is carried out or measured with: other tables, a limit of memory."""

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


def placed(error: EngineError, part: str, contract: Parametric) -> EngineError:
    """A refusal of one of its parameters says which part of the recipe it belongs to."""
    elsewhere = ("columns", "goals[", part)
    own = error.param in type(contract).model_fields
    if error.param and (own or not error.param.startswith(elsewhere)):
        error.message = error.message.removeprefix(f"{error.param}: ")
        error.param = f"{part}.params.{error.param}"
    error.args = (error.code, error.message, error.param, error.step)
    return error


def describe_input(report: Report, data: Dataset, source: TableSource, sha256: str | None) -> None:
    """What the report says of the data."""
    report.input = {
        "rows": source.rows,
        "columns": len(source.schema),
        "sha256": sha256,
        "rows_without_consent": data.rows_without_consent(),
    }


def announced(
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


def judge(statistics: Statistics, goals: Sequence[Goal], report: Report) -> None:
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


def finished(report: Report, work: Work) -> Report:
    """The report, with the engine that made it."""
    work.reporter.progress(1.0)
    report.engine = {
        "version": VERSION,
        "recipe_sha256": work.recipe.sha256(),
        "seconds": work.reporter.elapsed,
        "peak_memory_bytes": peak_memory(),
    }
    return report
