"""The contract checks catch what they are there to catch."""

from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from tests.engine import checks
from worker.engine.fields import Columns
from worker.engine.goal import Goal
from worker.engine.method import Family, Method, Plan, methods


class Wrong(Method):
    """A method with one fault."""

    slug = "wrong"
    title = "Wrong"
    family = Family.PERTURBATIVE

    column: Annotated[str, Columns()] = Field("visits", title="Column", description="Any column.")


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
