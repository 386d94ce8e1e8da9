"""Contract checks for every registered method, goal and measure. There is no list of exceptions.

Each check takes one example of a class. `test_contracts.py` runs them over the whole catalogue.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from io import BytesIO
from string import Formatter
from typing import Any, get_args

import numpy as np
import pytest
from pydantic import ValidationError

from tests.engine import claims
from tests.engine.growth import FEW, MANY, SLACK, done_by, varied
from tests.engine.running import recipe_of, rows_of, run, sample_recipe, without_times, written
from worker.engine import verification
from worker.engine.contracts.figure import Better, Per, Unit
from worker.engine.contracts.goal import Goal, keepable
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.method import Family, Guarantee, Method
from worker.engine.contracts.parametric import Parametric
from worker.engine.contracts.result import Result, State
from worker.engine.contracts.samples import (
    POPULATION,
    sample_columns,
    sample_declarations,
    sample_population,
    sample_schema,
    sample_table,
)
from worker.engine.contracts.traces import Trace
from worker.engine.errors import Cancelled, EngineError, NoSolution
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.measuring import Setting, measured
from worker.engine.execution.outside import OpenedFiles
from worker.engine.execution.population import counted_population
from worker.engine.randomness import Source, key_from_seed
from worker.engine.recipes import codebook
from worker.engine.recipes.report import plain
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.classes import Classes, classes_of
from worker.engine.tables.column import Column
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, Chunk, Field, MemorySource, Schema, Table, TableSource

ODD_NAMES = ('naïve "quoted"', "semi;colon", "=1+1", "年齢 🙂", "tab\there", " spaced ", "C:\\dir", "%s{0}")
CANARY = "canary-d41d8cd9"
CANARY_NUMBER = "987654321"


# -- everything that has parameters ---------------------------------------------------------------


def check_documented(cls: type[Parametric]) -> None:
    """Words for the catalogue page."""
    assert cls.in_short().endswith("."), "the docstring begins with one sentence on one line"
    assert cls.title
    assert cls.slug == cls.slug.lower()
    for parameter in cls.parameters():
        assert parameter.title, parameter.name
        assert parameter.help, f"{parameter.name} has no description"


def check_frozen(example: Parametric) -> None:
    """An algorithm is its parameters, and they do not change."""
    for name in type(example).model_fields:
        with pytest.raises(ValidationError):
            setattr(example, name, getattr(example, name))


def check_round_trip(example: Parametric) -> None:
    """Parameters survive JSON, and the sentence is the same."""
    again = type(example).of(json.loads(json.dumps(example.params())))
    assert again == example
    assert again.describe() == example.describe()
    assert len(example.describe()) > 10


def check_refuses_unknown_parameter(example: Parametric) -> None:
    """A typing mistake is told, not ignored."""
    with pytest.raises(EngineError) as caught:
        type(example).of({**example.params(), "no_such_parameter": 1})
    assert caught.value.param == "no_such_parameter"


def check_refuses_absent_columns(example: Parametric) -> None:
    """A column that is not there is refused, naming the parameter."""
    for param, name, _ in example.named_columns():
        rest = Schema(tuple(field for field in sample_schema() if field.name != name))
        with pytest.raises(EngineError) as caught:
            example.check(rest)
        assert caught.value.code == "no-such-column"
        assert caught.value.param == param


def check_refuses_a_column_named_twice(example: Parametric) -> None:
    """A column that stands twice in one parameter is refused, naming the parameter."""
    for param, name, _ in example.named_columns():
        several = getattr(example, param)
        if isinstance(several, tuple) and name in several:
            twice = example.model_copy(update={param: (*several, name)})
            with pytest.raises(EngineError) as caught:
                twice.check(sample_schema())
            assert (caught.value.code, caught.value.param) == ("column-twice", param)


def check_refuses_wrong_kinds_and_roles(example: Parametric) -> None:
    """A column of another kind or role is refused, naming the parameter."""
    schema = sample_schema()
    for param, name, wanted in example.named_columns():
        others = [f for f in schema if not wanted.accepts(f.kind, f.role)]
        for other in others[:3]:
            with pytest.raises(EngineError) as caught:
                example.check(schema.with_field(Field(name, other.kind, other.role)))
            assert caught.value.code in ("wrong-kind", "wrong-role")
            assert caught.value.param == param


# -- methods ------------------------------------------------------------------------------------------


def recipe_with(
    example: Method, columns: Mapping[str, Any] | None = None, measures: Sequence[str] = ()
) -> Any:
    """The recipe that runs an example, with a goal when it enforces goals."""
    goals = [("k-anonymity", {"k": 2})] if example.enforces else []
    steps = [(example.slug, example.params())]
    return recipe_of(dict(columns or sample_columns()), goals, steps, list(measures))


def check_input_unchanged(example: Method) -> None:
    """Neither planning nor transforming writes into the data."""
    table = sample_table()
    before = [(c.name, c.codes.tobytes(), c.labels.to_pylist()) for c in table.columns]
    run(recipe_with(example), table)
    assert before == [(c.name, c.codes.tobytes(), c.labels.to_pylist()) for c in table.columns]


def check_output_schema(example: Method) -> None:
    """What comes out has the columns and kinds that were declared."""
    recipe, data, source = recipe_with(example), sample_dataset(sample_table()), Source(key_from_seed(1))
    statistics = Statistics(data, sample_declarations(), NullReporter())
    plan = example.plan(statistics, recipe.goals, source, NullReporter())
    after = data.with_step(example, plan, source)
    for chunk in after.chunks(after.schema.names):
        assert chunk.names == after.schema.names
        assert [c.kind for c in chunk.columns] == [field.kind for field in after.schema]


def check_same_seed_same_output(example: Method) -> None:
    """The key decides; DP refuses a seed instead."""
    if example.guarantee is Guarantee.DIFFERENTIAL_PRIVACY:
        assert recipe_with(example).differentially_private
        return
    first, second = (run(recipe_with(example), sample_table()) for _ in range(2))
    assert first[0] == second[0]
    assert without_times(first[1]) == without_times(second[1])


@cache
def long_table() -> Table:
    """More than two blocks, so that chunks can be cut in different ways."""
    return sample_table(2 * BLOCK + 1000)


def check_chunked_equals_whole(example: Method) -> None:
    """One block at a time gives the bytes that all at once gives, in input order and sorted."""
    if example.tabulates:  # the noise differs, what it is added to does not
        assert exact_figures(example, 16) == exact_figures(example, 1)
        return
    for keep_order in (True, False):
        whole = run(recipe_with(example), long_table(), blocks=16, keep_order=keep_order)
        pieces = run(recipe_with(example), long_table(), blocks=1, keep_order=keep_order)
        assert whole[0] == pieces[0]
        assert without_times(whole[1]) == without_times(pieces[1])


def exact_figures(example: Method, blocks: int) -> list[str]:
    """The true figures beside the released ones."""
    exact = BytesIO()
    run(recipe_with(example), long_table(), blocks=blocks, exact=exact)
    return [row["exact"] for row in rows_of(exact.getvalue())]


class Loud(Reporter):
    """Of a failure that nobody foresaw a report says no more than its type; here the whole of it is shown."""

    def trouble(self, what: str, kind: str, frames: list[str]) -> None:
        raise AssertionError(f"{what} stopped with {kind} at {frames[-1]}")


class Watching(Loud):
    """Remembers what was shown, and stops after so many checkpoints."""

    def __init__(self, stop_after: int | None = None) -> None:
        super().__init__(cancelled=self._count)
        self.shown: list[tuple[str, float]] = []
        self.left = stop_after

    def _count(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Cancelled

    def show(self, stage: str, fraction: float) -> None:
        self.shown.append((stage, fraction))


def check_progress_and_cancel(example: Method) -> None:
    """Progress never goes back and ends at 1; a cancelled job stops at the next checkpoint."""
    watching = Watching()
    run(recipe_with(example), sample_table(), reporter=watching)
    fractions = [fraction for _, fraction in watching.shown]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    for stop_after in (0, 1, 3):
        with pytest.raises(Cancelled):
            run(recipe_with(example), sample_table(), reporter=Watching(stop_after))


def check_refuses_all_missing(example: Method) -> None:
    """A column without any value is refused with a code, naming a parameter.

    A method with a privacy guarantee must not: refusing would tell something exact about the rows.
    """
    named = [(param, name) for param, name, _ in example.named_columns()]
    targets = named or [("columns", name) for name in example.touches(sample_schema())]
    for _, name in targets:
        table = sample_table().with_columns(Column.of_texts(name, [""] * 240, sample_schema()[name].kind))
        if example.tabulates:
            assert run(recipe_with(example), table)[0]
            continue
        with pytest.raises(EngineError) as caught:
            run(recipe_with(example), table)
        assert caught.value.code == "all-missing"
        assert caught.value.param
        assert caught.value.step == 0


def check_few_rows(example: Method) -> None:
    """No row, one row and two rows give a result or a coded refusal."""
    for rows in (0, 1, 2):
        try:
            _, report = run(recipe_with(example), sample_table(rows))
        except NoSolution:
            assert rows in (1, 2), "with no row there is nothing that a goal could be violated by"
        else:
            assert example.tabulates or report["output"]["rows"] <= rows


def check_odd_names(example: Method) -> None:
    """Columns may be called anything."""
    used = dict.fromkeys(
        (*(name for _, name, _ in example.named_columns()), *example.touches(sample_schema()))
    )
    names = dict(zip(used, ODD_NAMES, strict=False))
    table = Table(
        [Column(names.get(c.name, c.name), c.kind, c.codes, c.labels) for c in sample_table().columns]
    )
    columns = {names.get(name, name): part for name, part in sample_columns().items()}
    renamed = type(example).of(_renamed(example.params(), names))
    released, _ = run(recipe_with(renamed, columns), table)
    assert released


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def check_no_value_is_told(example: Method) -> None:
    """Planted values appear in no progress text, no refusal and no fact of the report."""
    for rows in (1, 240):
        watching, told = Watching(), ""
        try:
            _, report = run(recipe_with(example), planted(rows), reporter=watching)
            told = json.dumps({"steps": report["steps"], "goals": report["goals"]})
        except EngineError as refusal:
            told = refusal.message + str(refusal.param)
        told += example.describe() + "".join(stage for stage, _ in watching.shown)
        assert CANARY not in told
        assert CANARY_NUMBER not in told


def check_codebook_is_public(example: Method) -> None:
    """The codebook is written from the report alone, and tells no value that was not declared."""
    recipe = recipe_with(example)
    try:
        _, report = run(recipe, planted(240))
    except EngineError:  # refused: nothing is published
        _, report = run(recipe, sample_table())
    told = codebook.written(recipe, report, {})
    assert told == codebook.written(recipe, json.loads(json.dumps(report)), {})
    assert example.describe() in told
    assert CANARY not in told
    assert CANARY_NUMBER not in told


def planted(rows: int) -> Table:
    """The sample table with one value in every column that must not be told."""
    columns = []
    for column in sample_table(rows).columns:
        texts = column.texts()
        texts[0] = CANARY_NUMBER if column.is_numeric else CANARY
        columns.append(Column.of_texts(column.name, texts, column.kind))
    return Table(columns, 0, rows)


def check_counts_what_it_changed(example: Method) -> None:
    """A method that puts other values in place says in how many cells, column by column, all in one way."""
    if example.family is not Family.PERTURBATIVE:
        assert example.perturbs(sample_schema()) == ()
        return
    assert example.perturbs(sample_schema())
    table = sample_table()
    released, report = run(recipe_with(example), table, keep_order=True)
    (step,) = report["steps"]
    counted = {}
    for name in example.perturbs(sample_schema()):
        if name in (rows := rows_of(released))[0]:
            both = zip(table[name].texts(), (row[name] for row in rows), strict=True)
            counted[name] = sum(not _same(one, other) for one, other in both)
            assert step["changed"][name] == counted[name]
    assert step["changed_cells"] == sum(step["changed"].values()) >= sum(counted.values())
    assert all(step["changed"][name] <= step["cells"][name] for name in example.perturbs(sample_schema()))
    told = any("Values that differ from the original ones" in line for line in step["codebook"])
    assert told == (example.tells_changes and step["changed_cells"] > 0)
    unchanged = example.codebook({**step, "changed": dict.fromkeys(step["changed"], 0), "changed_cells": 0})
    assert not example.tells_changes or unchanged == (
        f"{', '.join(example.perturbs(sample_schema()))}: this step changed no value.",
    )


def _same(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


def both_sides(steps: Sequence[Method]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The texts of every column that enters and that leaves, the same rows on both sides."""
    before = sample_dataset(sample_table())
    after = before
    for number, step in enumerate(steps):
        goals = recipe_with(step).goals
        statistics = Statistics(after, sample_declarations(), NullReporter())
        source = Source(key_from_seed(number), project_key=bytes(32))
        plan = step.plan(statistics, goals, source, NullReporter())
        after = after.with_step(step, plan, source)
    (left,) = after.chunks(after.schema.names)
    (came,) = before.chunks(before.schema.names)
    assert len(left) == len(came) or any(step.drops_rows for step in steps)
    rows = came.filter(np.isin(came.row_ids, left.row_ids))
    assert np.array_equal(rows.row_ids, left.row_ids)
    leaving = [field.name for field in after.schema if field.role is not Role.DROPPED]
    return _texts(rows, before.schema.names), _texts(left, leaving)


def _texts(table: Table, names: Sequence[str]) -> dict[str, list[str]]:
    return {name: table[name].texts() for name in names}


def check_leaves_what_it_says(example: Method) -> None:
    """No column is left with less of its cells than the method says, and none is passed over."""
    found = example.leaves(sample_schema())
    if example.tabulates:
        assert set(found) == set(sample_schema().names)
        return
    before, after = both_sides((example,))
    assert set(after) - set(before) <= set(found), "a new column is left by somebody"
    for name, original in before.items():
        trace = found.get(name, Trace.KEPT)
        assert (name in after) == (trace is not Trace.REMOVED), f"{name} is {trace}"
        for wrong in (claims.bold, claims.modest):
            assert name not in after or not wrong(trace, original, after[name]), f"{name} is not {trace}"


def check_leaves_no_more_than_it_says(cls: type[Method]) -> None:
    """What it says it leaves is seen in some column of some example: no method is modest throughout."""
    for example in cls.examples():
        if example.tabulates:
            return
        before, after = both_sides((example,))
        for name, trace in example.leaves(sample_schema()).items():
            if name not in before or trace is Trace.REMOVED or claims.exact(trace, before[name], after[name]):
                return
    raise AssertionError(f"{cls.slug} leaves more than it says")


def check_cost_is_pure(example: Method) -> None:
    """The price follows from the parameters alone."""
    assert example.cost() == type(example).of(example.params()).cost()


# -- goals ----------------------------------------------------------------------------------------------


def sample_dataset(table: Table) -> Dataset:
    """The sample table as it enters a run."""
    recipe = sample_recipe()
    return Dataset(MemorySource(table), recipe.columns, recipe.declarations({}))


def sample_statistics(rows: int = 240) -> Statistics:
    """What may be asked about the sample table."""
    return Statistics(sample_dataset(sample_table(rows)), sample_declarations(), NullReporter())


def population_counts(path: str, columns: Sequence[str]) -> FrequencyTable:
    """The population that examples refer to."""
    assert path == POPULATION
    return counted_population(MemorySource(sample_population()), columns, None, NullReporter())


def check_goal_judges(example: Goal) -> None:
    """One verdict per class, a result that fits the report, and an empty release holds."""
    example.check(sample_schema())
    statistics = sample_statistics()
    example = example.bound(statistics, population_counts)
    for columns in ((), ("sex",), statistics.quasi_identifiers):
        table = statistics.classes_table(example.sensitive_columns())
        classes = classes_of(table, columns)
        bad = example.violating(classes)
        assert bad.shape == (classes.number,)
        result = example.result(classes)
        assert json.loads(json.dumps(result.as_dict()))["goal"] == example.slug
        assert result.holds == (not bad.any() and example.met(classes))
        assert result.violating_rows == int(classes.rows[bad].sum())


def check_goal_on_nothing(example: Goal) -> None:
    """No rows: nothing violates."""
    statistics = sample_statistics(0)
    example = example.bound(statistics, population_counts)
    table = statistics.classes_table(example.sensitive_columns())
    result = example.result(classes_of(table, statistics.quasi_identifiers))
    assert result.holds
    assert result.violating_rows == 0


def check_kept_classes_hold(example: Goal) -> None:
    """What is kept satisfies the goal, whether the other rows stay hidden or are left out."""
    statistics = sample_statistics()
    example = example.bound(statistics, population_counts)
    table = statistics.classes_table(example.sensitive_columns())
    classes = classes_of(table, statistics.quasi_identifiers)
    for drop in (False, True):
        kept = classes.kept(keepable([example], classes, drop))
        assert example.result(kept.alone() if drop else kept).holds


def check_monotone_goal(example: Goal) -> None:
    """A goal that says it is monotone never turns a kept row into a violating one when classes merge."""
    if not example.monotone:
        return
    statistics = sample_statistics()
    example = example.bound(statistics, population_counts)
    columns = (*statistics.quasi_identifiers, "birth", "income")
    table = statistics.classes_table((*example.sensitive_columns(), *columns))
    for number in range(len(columns)):
        fine, coarse = classes_of(table, columns[: number + 1]), classes_of(table, columns[:number])
        good_rows = ~example.violating(fine)[fine.ids]
        assert not example.violating(coarse)[coarse.ids[good_rows]].any()
    if not example.by_labels:
        _check_any_merger(example, table)


def _check_any_merger(example: Goal, table: FrequencyTable) -> None:
    """Two classes of any rows: the sample's own are too alike for a good one to meet a bad one."""
    for seed in range(50):
        ids = np.random.default_rng(seed).permutation(len(table)) // (2 + seed % 5)
        fine = Classes(table, ids, int(ids.max()) + 1)
        coarse = Classes(table, ids // 2, int(ids.max()) // 2 + 1)
        good = ~example.violating(fine)[ids]
        assert not example.violating(coarse)[coarse.ids[good]].any(), "merging made a good row fail"


# -- measures -----------------------------------------------------------------------------------------


FIGURE_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Thinned(MemorySource):
    """Every third row is gone, as suppressed rows are that do not stay."""

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        for chunk in super().chunks(columns):
            yield chunk.filter(chunk.row_ids % 3 > 0)


class Agreed(MemorySource):
    """Every fifth row is gone, as those are that nobody agreed to: from the original as from the release."""

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[Chunk]:
        for chunk in super().chunks(columns):
            yield chunk.filter(chunk.row_ids % 5 > 0)


def setting_of(
    table: Table,
    *,
    blocks: int = 16,
    reporter: Reporter | None = None,
    thinned: bool = False,
    agreed: bool = False,
    release: Callable[[Table], Table] | None = None,
) -> Setting:
    """The sample table beside a release of it: by default one column is coarser and one row suppressed.

    It is also taken for made up from four of five households: who asks about the others finds them.
    """
    reporter = reporter or Loud()

    def statistics(rows: Table, strict: bool) -> Statistics:
        recipe = sample_recipe()
        kind = Thinned if thinned and not strict else MemorySource
        source = (Agreed if agreed else kind)(rows, blocks_per_chunk=blocks)
        data = Dataset(source, recipe.columns, recipe.declarations({}), None, strict)
        return Statistics(data, sample_declarations(), reporter)

    def tagged(source: TableSource) -> Statistics:
        return Statistics(Dataset(source, sample_recipe().columns, {}, None, False), {}, reporter)

    return Setting(
        before=statistics(table, True),
        after=statistics((release or _coarser)(table), False),
        rows=table.rows,
        source=Source(key_from_seed(1)),
        reporter=reporter,
        outside=OpenedFiles(
            tagged,
            {POPULATION: MemorySource(sample_population())},
            {"last year": MemorySource(_otherwise_coarser(table))},
        ),
        held_out=np.arange(table.rows) // 3 % 5 == 4,
    )


def _coarser(table: Table) -> Table:
    zips = table["zip"].texts()
    texts = [zips[0][:1], *(f"{text[:3]}**" for text in zips[1:])] if zips else []
    return table.with_columns(Column.of_texts("zip", texts))


def _moved(table: Table) -> Table:
    """Ages and incomes a little off, as noise leaves them."""
    ages, incomes = (table[name].numbers for name in ("age", "income"))
    steps = np.arange(table.rows) % 5 - 2
    return table.with_columns(
        Column.of_numbers("age", table["age"].kind, ages + steps),
        Column.of_numbers("income", table["income"].kind, incomes + 100.0 * steps),
    )


@cache
def release_for(example: Measure) -> Callable[[Table], Table]:
    """A release of the sample table on which the measure has something to say."""
    found = (measured([example], setting_of(sample_table(), release=one)).results[0] for one in RELEASES)
    states = zip(RELEASES, (one.state for one in found), strict=True)
    return next((one for one, state in states if state is State.MEASURED), _coarser)


RELEASES = (_coarser, _moved)


def _otherwise_coarser(table: Table) -> Table:
    """Another release of the sample table."""
    ages = [
        text and f"[{int(text) // 20 * 20}, {int(text) // 20 * 20 + 20}[" for text in table["age"].texts()
    ]
    return table.with_columns(Column.of_texts("age", ages))


def result_of(example: Measure, table: Table, **how: Any) -> Result:
    """The entry of one instance, as a report keeps it and reads it back."""
    setting = setting_of(table, release=release_for(example), **how)
    result = measured([example], setting).results[0]
    stored = json.loads(json.dumps(plain(result.as_dict()), allow_nan=False))
    again = Result.from_dict(stored)
    assert plain(again.as_dict()) == stored
    return again


def check_figures_declared(cls: type[Measure]) -> None:
    """Every figure has a name of its own, words, and a unit."""
    names = [figure.name for figure in cls.figures]
    assert names, "a measure without figures tells nothing"
    assert len(set(names)) == len(names)
    for figure in cls.figures:
        assert FIGURE_NAME.fullmatch(figure.name), figure.name
        assert figure.title[:1].isupper(), figure.name
        assert figure.explanation.endswith("."), figure.name
        assert figure.unit in get_args(Unit)
        assert figure.better in get_args(Better)
        assert figure.per in get_args(Per)
        assert not (figure.public and figure.per in ("record", "part")), "values may be its parts"
        assert not figure.tabled or figure.per == "column", "only columns have a table of columns"
        worked = {name for _, name, _, _ in Formatter().parse(figure.example) if name is not None}
        assert worked <= set(names), f"{figure.name} is worked out from figures that are not declared"


def check_measure(example: Measure) -> None:
    """It measures the sample, under its own name and with its own parameters; its charts can be drawn."""
    result = result_of(example, sample_table())
    assert (result.state, result.reason) == (State.MEASURED, None)
    assert (result.id, result.measure) == (example.id, example.slug)
    assert result.params == json.loads(json.dumps(example.params()))
    assert type(example).of(result.params).id == result.id
    assert set(result.before or {}) | set(result.after or {})
    assert len({chart.slug for chart in result.charts}) == len(result.charts)
    for chart in result.charts:
        assert chart.note, f"{chart.slug}: a chart says in a note how to read it"
        for one in chart.series:
            assert {len(line) for line in one.z} <= {len(one.x)}
            assert len(one.y) == len(one.z if chart.kind == "heatmap" else one.x)
        names = [one.name for one in chart.series]
        assert all(names)
        assert len(set(names)) == len(names)


def check_measure_on_little(example: Measure) -> None:
    """No row, one row, and columns without any value: figures or a reason, never a fault."""
    missing = sample_table().with_columns(
        *(Column.of_texts(f.name, [""] * 240, f.kind) for f in sample_schema() if f.role in RELEASED)
    )
    for table in (sample_table(0), sample_table(1), missing):
        result = result_of(example, table)
        assert result.state in (State.MEASURED, State.DOES_NOT_APPLY), result.reason
        assert bool(result.reason) == (result.state is State.DOES_NOT_APPLY)


def check_measure_where_rows_are_gone(example: Measure) -> None:
    """A release with fewer rows than the original has figures too, and so has one of an original with fewer
    rows than the input; those per record keep their places."""
    for result in (
        result_of(example, sample_table(), thinned=True),
        result_of(example, sample_table(), agreed=True),
    ):
        assert result.state in (State.MEASURED, State.DOES_NOT_APPLY), result.reason


def check_measure_chunked_equals_whole(example: Measure) -> None:
    """One block at a time gives the figures that all at once gives."""
    whole, pieces = (result_of(example, long_table(), blocks=blocks) for blocks in (16, 1))
    assert replace(whole, seconds=None) == replace(pieces, seconds=None)


def check_measure_same_seed_same_figures(example: Measure) -> None:
    """The key decides, and nothing else."""
    first, second = (result_of(example, sample_table()) for _ in range(2))
    assert replace(first, seconds=None) == replace(second, seconds=None)


def check_measure_can_be_cancelled(example: Measure) -> None:
    """It stops at the next checkpoint, and is no failed entry."""
    watching = Watching()
    setting = setting_of(sample_table(), reporter=watching, release=release_for(example))
    watching.left = 0
    with pytest.raises(Cancelled):
        measured([example], setting)


def check_measure_tells_no_value(example: Measure) -> None:
    """A value that one row holds appears in no figure, no chart, no reason and no progress text."""
    for rows in (1, 240):
        watching = Watching()
        setting = setting_of(planted(rows), reporter=watching, release=release_for(example))
        (result,) = measured([example], setting).results
        stages = "".join(stage for stage, _ in watching.shown)
        for chart in result.charts:
            shown = json.dumps(plain(chart.as_dict()))
            assert not _holds_a_value(shown), f"chart {chart.slug} shows a value that a single row holds"
        told = json.dumps(plain(replace(result, charts=()).as_dict()))
        assert not _holds_a_value(told), "a figure or a reason is a value that a single row holds"
        assert not _holds_a_value(stages), "a progress text holds a value of a row"


def _holds_a_value(told: str) -> bool:
    """Whether it tells what `planted` put into one row."""
    return CANARY in told or CANARY_NUMBER in told


def check_measure_grows_as_it_says(example: Measure) -> None:
    """Four times the rows take no more times the work than its effort says."""
    few, many = (varied(rows) for rows in (FEW, MANY))
    before, after = (example.effort(setting_of(table).outlook).seconds for table in (few, many))
    less, more = (done_by(lambda table=one: result_of(example, table)) for one in (few, many))
    for what, times in more.times(less).items():
        assert times <= SLACK * after / before, f"{example.id}: {what}"


def check_command_grows_with_its_rows(example: Method) -> None:
    """Four times the rows take no more than four times the work, measures and all."""
    recipe = recipe_with(example, measures=["*"])
    few, many = varied(FEW), varied(MANY)
    less, more = (done_by(lambda table=one: run(recipe, table)) for one in (few, many))
    for what, times in more.times(less).items():
        assert times <= SLACK * MANY / FEW, f"{example.slug}: {what}"


def check_goal_is_verified(example: Goal) -> None:
    """What the report says of a release is what independent code recomputes from its bytes."""
    columns = sample_columns()
    goals = [(example.slug, example.params())]
    steps = [("generalization", {"suppression_limit": 0.3})]
    released, report = run(recipe_of(columns, goals, steps, []), sample_table())
    population = {POPULATION: written(sample_population())}
    recipe = recipe_of(columns, goals, steps, [])
    found = verification.examine(recipe, BytesIO(released), populations=population)
    assert len(found.results) == len(report["goals"]) == 1
    recomputed, told = found.results[0].as_dict(), report["goals"][0]
    assert recomputed["holds"]
    assert recomputed["achieved"] == pytest.approx(told["achieved"], rel=1e-9)
    assert recomputed.get("demands") == told.get("demands")
    for figure in ("goal", "required", "holds", "violating_rows"):
        assert recomputed[figure] == told[figure]
    assert found.suppressed_rows == told["suppressed_rows"]
    assert found.suppressed_hold[0] == told["suppressed_hold"] or not found.suppressed_rows
    assert found.unexpected == ()
