"""The contract checks catch what they are there to catch."""

from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from tests.engine import checks
from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.measure import Found, Measure, Section
from worker.engine.contracts.method import Family, Method, Plan, methods
from worker.engine.contracts.traces import Trace
from worker.engine.tables.kinds import Role


class Wrong(Method):
    """A method with one fault."""

    slug = "wrong"
    title = "Wrong"
    family = Family.PERTURBATIVE

    column: Annotated[str, Columns()] = Field("visits", title="Column", description="Any column.")

    def touches(self, schema):
        return (self.column,)

    def leaves(self, schema):
        return {self.column: Trace.PERTURBED}


class WritesInput(Wrong):
    """Changes the table it is given."""

    def transform(self, chunk, plan, source):
        column = chunk[self.column]
        column.codes.setflags(write=True)
        column.codes[:] = 0
        return chunk


class SeesTheChunk(Wrong):
    """Depends on how the rows are cut."""

    def transform(self, chunk, plan, source):
        column = chunk[self.column]
        return chunk.with_columns(column.relabelled([str(chunk.rows)] * len(column.labels)))


class Unseeded(Wrong):
    """Draws outside the run's source."""

    def transform(self, chunk, plan, source):
        column = chunk[self.column]
        drawn = np.random.default_rng().integers(0, 2**40, len(column.labels))
        return chunk.with_columns(column.relabelled([str(n) for n in drawn]))


class Undeclared(Wrong):
    """Adds a column it did not declare a kind for."""

    def transform(self, chunk, plan, source):
        column = chunk[self.column]
        return chunk.with_columns(column.described(kind="text"))


class TellsValues(Wrong):
    """Puts values into the report."""

    def plan(self, statistics, goals, source, report):
        return Plan({"values": list(statistics.distinct(self.column).texts)})


class TakesAnything(Wrong):
    """Does not look whether there is anything in the column."""


@pytest.fixture
def known(request):
    cls = request.param[0]
    methods.classes["wrong"] = cls
    yield cls(), request.param[1]
    del methods.classes["wrong"]


@pytest.mark.parametrize(
    "known",
    [
        (WritesInput, checks.check_input_unchanged),
        (SeesTheChunk, checks.check_chunked_equals_whole),
        (Unseeded, checks.check_same_seed_same_output),
        (Undeclared, checks.check_output_schema),
        (TellsValues, checks.check_no_value_is_told),
        (TakesAnything, checks.check_refuses_all_missing),
    ],
    indirect=True,
    ids=lambda pair: pair[0].__name__,
)
def test_a_faulty_method_is_caught(known):
    example, check = known
    with pytest.raises((AssertionError, pytest.fail.Exception, ValueError)):
        check(example)


class NotMonotone(Goal):
    """At most two rows to a class: merging breaks it, whatever it says."""

    slug = "not-monotone"
    title = "Not monotone"

    @property
    def monotone(self):
        return True

    def violating(self, classes):
        return classes.rows > 2


def test_a_goal_that_is_not_monotone_is_caught():
    with pytest.raises(AssertionError):
        checks.check_monotone_goal(NotMonotone())


class MostlyMonotone(Goal):
    """No value has a larger share of a class: holds in a good class, and not where a bad one joins it."""

    slug = "mostly-monotone"
    title = "Mostly monotone"

    column: Annotated[str, Columns(role=Role.SENSITIVE)] = Field(
        "disease", title="Column", description="One."
    )

    @property
    def monotone(self):
        return True

    def violating(self, classes):
        held, most = classes.contents(self.column), np.zeros(classes.number)
        np.maximum.at(most, held.ids, held.counts)
        return most > 0.5 * classes.sizes


def test_a_good_class_that_a_bad_one_spoils_is_caught():
    assert MostlyMonotone().sensitive_columns() == ("disease",)
    with pytest.raises(AssertionError, match="made a good row fail"):
        checks.check_monotone_goal(MostlyMonotone())


class Several(Wrong):
    """Names several columns by its type alone."""

    columns: Annotated[tuple[str, ...], Columns()] = Field(
        ("age", "sex"), title="Columns", description="Some."
    )


def test_a_tuple_of_names_is_several_columns():
    named = [(param, name) for param, name, _ in Several().named_columns()]
    assert named == [("column", "visits"), ("columns", "age"), ("columns", "sex")]
    assert [one.type for one in Several.parameters()] == ["column", "columns"]


class ByPlace(Measure):
    """Takes the rows of a release for those of the original."""

    slug = "by-place"
    title = "By place"
    section = Section.RISK
    figures = (Figure("own", "Own", "One for each row.", per="record"),)

    def read(self, side):
        return Found(records={"own": side.statistics.numbers("visits")}, figures={})


def test_figures_that_lost_their_rows_are_caught():
    with pytest.raises(AssertionError, match="'own'"):
        checks.check_measure_where_rows_are_gone(ByPlace())


class Breaks(ByPlace):
    """Fails for a reason that nobody foresaw."""

    def read(self, side):
        return side.statistics.no_such_question()


def test_a_failure_nobody_foresaw_is_caught_with_its_place():
    with pytest.raises(AssertionError, match=r"stopped with AttributeError at \S+test_checks\.py:\d+ read"):
        checks.check_measure(Breaks())


class ShowsValues(ByPlace):
    """Draws every value of a column, however rare."""

    def read(self, side):
        values = tuple(side.statistics.distinct("sex").texts)
        bars = Series("Values", values, (1.0,) * len(values))
        chart = Chart(
            "values", "Values", "bar", Axis("Value", scale="category"), Axis("One"), (bars,), note="All."
        )
        return Found({}, charts=(chart,))


def test_a_chart_of_a_single_row_is_caught():
    with pytest.raises(AssertionError, match="chart values shows a value that a single row holds"):
        checks.check_measure_tells_no_value(ShowsValues())


class CountsFromTheFirst(ByPlace):
    """Takes a row's number in the input for its place in the original."""

    def read(self, side):
        return None

    def compare(self, scene):
        ages = scene.before.table(("age",))["age"].numbers
        return Found({"ages": float(ages[scene.after.table(("age",)).row_ids].sum())})

    figures = (Figure("ages", "Ages", "All of them together."),)


def test_an_original_that_lost_rows_is_no_file():
    checks.check_measure(CountsFromTheFirst())
    with pytest.raises(AssertionError, match="stopped with IndexError"):
        checks.check_measure_where_rows_are_gone(CountsFromTheFirst())
