"""Carrying out measures: what cannot be measured costs one entry with a reason, never the release."""

import io
from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
import pytest
from pydantic import Field

from tests.engine.checks import CANARY, Watching, setting_of
from tests.engine.running import recipe_of, rows_of, run, sample_recipe
from worker.engine.contracts.annotations import AuxiliaryFile, Columns
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import (
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    measures,
)
from worker.engine.contracts.result import State
from worker.engine.contracts.samples import POPULATION, sample_columns, sample_table
from worker.engine.contracts.traces import Trace
from worker.engine.errors import Cancelled, EngineError, LimitExceeded
from worker.engine.execution import assessing
from worker.engine.execution.measuring import measured
from worker.engine.methods.rounding import Rounding
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.questions import CountsOf, MomentsOf
from worker.engine.tables.table import MemorySource, Table

CHART = Chart("drawn", "Drawn", "bar", Axis("x"), Axis("y"), (Series("", (1.0,), (2.0,)),), "Read it.")


class Trial(Measure):
    """A measure for a test."""

    slug = "trial"
    title = "Trial"
    section = Section.RISK
    figures: ClassVar = (
        Figure("share", "Share", "A share.", unit="share"),
        Figure("count", "Count", "A count.", unit="count"),
        Figure("word", "Word", "A word.", unit="words"),
        Figure("by_column", "By column", "One each.", per="column"),
        Figure("own", "Own", "One for each row.", per="record"),
    )

    def read(self, side):
        return Found({"count": side.statistics.rows()})


class Together(Trial):
    """Reads and compares, draws and keeps records."""

    column: Annotated[str, Columns()] = Field("age", title="Column", description="Any.")

    def read(self, side):
        return Found({"count": side.statistics.rows()}, charts=(CHART,))

    def compare(self, scene):
        own = np.where(np.arange(scene.rows) % 2, np.nan, scene.source.stream("own", 0).random())
        return Found({"share": 0.5}, before={"word": self.column}, records={"own": own})


class Outside(Trial):
    """Asks for what is not in the data."""

    file: Annotated[str, AuxiliaryFile()] = Field(title="File", description="Somebody else's list.")

    def compare(self, scene):
        listed = scene.outside.auxiliary(self.file)
        others = scene.outside.releases()
        return Found({"count": listed.rows() + sum(one.rows() for one in others.values())})

    def read(self, side):
        return None


def result_of(measure, **how):
    (result,) = measured([measure], setting_of(sample_table(), **how)).results
    return result


@pytest.fixture
def known(monkeypatch):
    """The trial measures in the catalogue."""

    def adopt(*classes):
        for cls in classes:
            monkeypatch.setitem(measures.classes, cls.slug, cls)

    return adopt


def test_sides_and_comparison_are_one_result():
    result = result_of(Together())
    assert result.before == {"count": 240, "word": "age"}
    assert result.after == {"count": 240, "share": 0.5}
    (chart,) = result.charts
    assert [one.name for one in chart.series] == ["Before", "After"]


class Undeclared(Trial):
    def read(self, side):
        return Found({CANARY: 1})


class Above(Trial):
    def read(self, side):
        return Found({"share": 1.2})


class NoCount(Trial):
    def read(self, side):
        return Found({"count": 1.5})


class NoNumber(Trial):
    def read(self, side):
        return Found({"share": CANARY})


class NoWord(Trial):
    def read(self, side):
        return Found({"word": 3})


class NoParts(Trial):
    def read(self, side):
        return Found({"by_column": 3})


class NoRecord(Trial):
    def read(self, side):
        return Found({"own": 3})


class TwiceDrawn(Trial):
    def compare(self, scene):
        return Found(charts=(CHART, CHART))


class TwiceFound(Trial):
    def compare(self, scene):
        return Found({"count": 3})


class TooFewRecords(Trial):
    def compare(self, scene):
        return Found(records={"own": np.zeros(3)})


class UndeclaredRecords(Trial):
    def compare(self, scene):
        return Found(records={"share": np.zeros(scene.rows)})


WRONG = (
    Undeclared,
    Above,
    NoCount,
    NoNumber,
    NoWord,
    NoParts,
    NoRecord,
    TwiceDrawn,
    TwiceFound,
    TooFewRecords,
    UndeclaredRecords,
)


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_not_declared_is_a_failure_that_tells_no_value(wrong):
    result = result_of(wrong())
    assert result.state is State.FAILED
    said = {TwiceDrawn: "two charts", TooFewRecords: "'own' with more or fewer", NoRecord: "'own' in a unit"}
    assert said.get(wrong, "does not declare") in result.reason
    assert CANARY not in result.reason
    assert (result.before, result.after, result.charts) == (None, None, ())


def test_numbers_of_numpy_and_numbers_that_are_none():
    class Odd(Trial):
        def read(self, side):
            return Found({"share": np.float64(0.25), "count": np.int64(3), "by_column": {"a": np.nan}})

    result = result_of(Odd())
    assert result.after == {"share": 0.25, "count": 3, "by_column": {"a": None}}
    assert type(result.after["count"]) is int


@pytest.mark.parametrize(
    ("error", "state", "words"),
    [
        (DoesNotApply("There is nothing."), State.DOES_NOT_APPLY, "There is nothing."),
        (EngineError("bad", "column: It is wrong.", param="column"), State.FAILED, "It is wrong."),
        (LimitExceeded("memory", "It is too large."), State.TOO_LARGE, "It is too large."),
        (MemoryError(CANARY), State.TOO_LARGE, "more memory"),
        (ZeroDivisionError(CANARY), State.FAILED, "ZeroDivisionError"),
        (KeyError(CANARY), State.FAILED, "KeyError"),
    ],
)
def test_a_failing_measure_is_an_entry_and_the_next_one_is_measured(error, state, words):
    class Failing(Trial):
        slug = "failing"

        def read(self, side):
            raise error

    quiet = setting_of(sample_table(), reporter=NullReporter())
    first, second = measured([Failing(), Trial()], quiet).results
    assert first.state is state
    assert words in first.reason
    assert CANARY not in first.reason
    assert second.state is State.MEASURED


def test_operators_are_told_where_it_failed_and_never_with_which_value():
    class Failing(Trial):
        def read(self, side):
            return {}[CANARY]

    class Telling(Watching):
        def trouble(self, what, kind, frames):
            self.told = (what, kind, frames)

    telling = Telling()
    result_of(Failing(), reporter=telling)
    what, kind, lines = telling.told
    assert (what, kind) == (Failing().id, "KeyError")
    assert any("test_measuring.py" in line for line in lines)
    assert CANARY not in str(telling.told)


def test_a_thread_that_found_no_room_is_too_large():
    class Large(Trial):
        def read(self, side):
            raise RuntimeError("can't start new thread")

    assert result_of(Large()).state is State.TOO_LARGE


def test_cancelling_is_no_failure():
    class Cancelling(Trial):
        def read(self, side):
            raise Cancelled

    with pytest.raises(Cancelled):
        result_of(Cancelling())


def test_the_time_of_the_whole_work_ends_it():
    class Slow(Trial):
        def read(self, side):
            raise LimitExceeded("time-limit", "Too slow.")

    watching = Watching(stop_after=None)
    watching._limit = -1.0
    with pytest.raises(LimitExceeded):
        measured([Slow()], setting_of(sample_table(), reporter=watching))


class Heavy(Trial):
    """Says beforehand what it takes."""

    def effort(self, outlook):
        return Effort(seconds=outlook.rows * 60.0, memory=1 << 40)

    def read(self, side):
        raise AssertionError("it was begun")


def test_what_would_take_too_long_is_not_begun():
    result = result_of(Heavy())
    assert (result.state, result.reason.startswith("It would take about 240 minutes")) == (
        State.TOO_LARGE,
        True,
    )


def test_what_applies_is_asked_before_anything_is_read():
    class Never(Heavy):
        def does_not_apply(self, outlook):
            return f"{len(outlook.schema)} columns are not enough."

    result = result_of(Never())
    assert (result.state, result.reason) == (State.DOES_NOT_APPLY, "10 columns are not enough.")


def test_a_column_that_is_not_there_costs_one_entry(known):
    known(Together)
    recipe = recipe_of(
        sample_columns(), measures=[{"measure": "trial", "params": {"column": "no"}}, "marginals"]
    )
    _, report = run(recipe, sample_table())
    first, second = report["measures"]
    assert (first["state"], first["reason"]) == ("failed", "The data have no column named 'no'.")
    assert second["state"] == "measured"


def instances(*parts):
    return Recipe.parse({"version": 1, "columns": sample_columns(), "measures": list(parts)}).measures


def test_an_instance_is_a_measure_with_its_parameters(known):
    known(Together)
    age, zip_code = ({"measure": "trial", "params": {"column": name}} for name in ("age", "zip"))
    twice = instances(age, zip_code, age, "trial", {"measure": "trial"})
    assert [one.column for one in twice] == ["age", "zip"], "what says the same is one, defaults included"
    first, second = (one.id for one in twice)
    assert first != second
    assert first.startswith("trial#")
    assert len(first) == len("trial#") + 8
    assert first == Together().id


def test_a_star_stands_for_all_that_need_no_parameter(known):
    known(Outside)
    listed = [one.slug for one in instances("*", {"measure": "trial", "params": {"file": "f"}}, "marginals")]
    assert listed.count("trial") == 1
    assert listed.count("marginals") == 1
    assert "trial" not in [one.slug for one in instances("*")]


def test_figures_per_record_are_columns_of_the_records(known):
    known(Together)
    age, zip_code = ({"measure": "trial", "params": {"column": name}} for name in ("age", "zip"))
    for parts, prefixes in (
        ([age], ["trial"]),
        ([age, zip_code], [one.id for one in instances(age, zip_code)]),
    ):
        records = io.BytesIO()
        run(recipe_of(sample_columns(), measures=parts), sample_table(), records=records)
        rows = rows_of(records.getvalue())
        assert [name for name in rows[0] if name.endswith("_own")] == [f"{one}_own" for one in prefixes]
        for prefix in prefixes:
            cells = [row[f"{prefix}_own"] for row in rows]
            assert len(set(cells[::2])) == 1
            assert 0 < float(cells[0]) < 1
            assert set(cells[1::2]) == {""}


def test_instances_draw_apart_and_the_same_every_time(known):
    known(Together)
    parts = [{"measure": "trial", "params": {"column": name}} for name in ("age", "zip")]
    told = []
    for _ in range(2):
        records = io.BytesIO()
        run(recipe_of(sample_columns(), measures=parts), sample_table(), records=records)
        row = rows_of(records.getvalue())[0]
        told.append([cell for name, cell in row.items() if name.endswith("_own")])
    assert told[0] == told[1]
    assert len(set(told[0])) == 2


def test_an_auxiliary_file_and_other_releases_come_through_a_door(known):
    known(Outside)
    recipe = recipe_of(sample_columns(), measures=[{"measure": "trial", "params": {"file": POPULATION}}])
    assert recipe.auxiliary_paths() == (POPULATION,)
    _, report = run(recipe, sample_table(), releases={"another": MemorySource(sample_table(7))})
    (entry,) = report["measures"]
    assert (entry["reason"], entry["after"]) == (None, {"count": 720 + 7})
    _, report = run(recipe, sample_table(), populations={})
    (entry,) = report["measures"]
    assert entry["state"] == "failed"
    assert POPULATION in entry["reason"]
    strangers = Table((Column.of_texts("stranger", ["a"]),))
    _, report = run(recipe, sample_table(), populations={POPULATION: MemorySource(strangers)})
    (entry,) = report["measures"]
    assert (entry["state"], POPULATION in entry["reason"]) == ("failed", True)
    assert "no column of the data" in entry["reason"]


def test_a_comparison_without_a_release_does_not_apply():
    class Comparing(Trial):
        def read(self, side):
            return None

        def compare(self, scene):
            raise AssertionError("there is nothing to compare")

    setting = setting_of(sample_table())
    alone = type(setting)(**{**vars(setting), "after": None})
    (result,) = measured([Comparing()], alone).results
    assert result.state is State.DOES_NOT_APPLY
    assert "no release" in result.reason


def test_what_a_step_left_and_held_out_is_known_to_measures(known, monkeypatch):
    seen = {}

    class Looking(Trial):
        figures: ClassVar = ()

        def does_not_apply(self, outlook):
            seen["before"] = outlook.traces
            return None

        def read(self, side):
            return None

        def compare(self, scene):
            seen["scene"], seen["held out"] = scene.traces, scene.held_out
            return Found()

    known(Looking)
    marked = np.arange(240) % 5 == 0
    planned = Rounding.plan
    monkeypatch.setattr(Rounding, "plan", lambda *a: replace(planned(*a), held_out=marked))
    steps = [("rounding", {"column": "visits", "base": 2})]
    recipe = recipe_of(sample_columns(), [], steps, ["trial"])
    run(recipe, sample_table())
    assert seen["before"] == seen["scene"] == recipe.traces
    assert seen["scene"]["visits"] is Trace.COARSER
    assert seen["held out"] is marked
    assessing.assess(recipe, MemorySource(sample_table()))
    assert seen["before"] is None, "nothing was done to the data"


def test_a_recipe_without_measures_measures_nothing():
    assert sample_recipe().measures == ()
    assert measured([], setting_of(sample_table())).results == ()


@pytest.mark.parametrize("wrong", ["raises", "column", "kind"])
def test_what_a_measure_cannot_ask_costs_no_release(known, wrong):
    class Asking(Trial):
        slug = "asking"

        def questions(self, schema):
            if wrong == "raises":
                return [1 / 0]
            return [CountsOf(("no-such-column",))] if wrong == "column" else [MomentsOf("sex")]

        def read(self, side):
            raise ZeroDivisionError(CANARY)

    known(Asking)
    recipe = recipe_of(sample_columns(), measures=["asking", "reidentification", "marginals"])
    _, report = run(recipe, sample_table())
    states = {one["measure"]: one["state"] for one in report["measures"]}
    assert states == {"asking": "failed", "reidentification": "measured", "marginals": "measured"}
