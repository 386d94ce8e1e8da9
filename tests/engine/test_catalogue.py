"""A file alone makes a method, a goal or a measure known."""

import subprocess
import sys
from pathlib import Path

import pytest

from worker.engine import catalogue
from worker.engine.contracts.method import Family, Method, register
from worker.engine.contracts.parameters import parameters_of
from worker.engine.errors import EngineError

FILE = '''
"""A method written while the test runs."""
from typing import Annotated
from pydantic import Field
from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.method import Family, Method, register
from worker.engine.contracts.traces import Trace

@register
class Shouting(Method):
    """Write a column in capitals."""
    slug = "shouting"; title = "Shouting"; family = Family.PERTURBATIVE
    column: Annotated[str, Columns()] = Field(title="Column", description="What to shout.")

    def leaves(self, schema):
        return {self.column: Trace.KEPT}

    def transform(self, chunk, plan, source):
        column = chunk[self.column]
        return chunk.with_columns(column.relabelled([text.upper() for text in column.label_texts]))
'''
USE = """
import sys, types
from pathlib import Path
import worker.engine.methods as package
package.__path__.append(sys.argv[1])
from tests.engine.running import recipe_of, run, table_of
recipe = recipe_of({"x": {"role": "other"}}, [], [("shouting", {"column": "x"})])
print(run(recipe, table_of([{"x": "quiet"}]))[0].decode())
"""


def test_a_new_file_alone_suffices(tmp_path):
    (tmp_path / "shouting.py").write_text(FILE)
    done = subprocess.run(
        [sys.executable, "-c", USE, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path.cwd(),
        check=False,
        timeout=120,
    )
    assert "QUIET" in done.stdout, done.stderr


def test_two_methods_cannot_share_a_name():
    catalogue.methods()
    with pytest.raises(ValueError, match="two methods"):

        @register
        class Other(Method):
            """Another."""

            slug = "rounding"
            title = "Other"
            family = Family.PERTURBATIVE

            def leaves(self, schema):
                return {}


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(EngineError, match="rounding") as caught:
        catalogue.method("no-such")
    assert caught.value.code == "no-such-method"


def test_parameters_tell_forms_all_they_need():
    found = {p.name: p for p in parameters_of(catalogue.method("rounding"))}
    assert found["column"].type == "column"
    assert found["column"].required
    assert (found["base"].type, found["base"].default, found["base"].minimum) == ("integer", 5, 2)
    assert found["base"].unit == "units"
    many = {p.name: p for p in parameters_of(catalogue.method("suppression"))}
    assert (many["importance"].type, many["k"].type, many["k"].optional) == ("columns", "integer", True)
    general = {p.name: p for p in parameters_of(catalogue.method("generalization"))}
    assert (general["levels"].type, general["objective"].type) == ("levels", "choice")
    assert ("loss", "Loss") in general["objective"].choices


def test_all_problems_are_told_at_once():
    problems = catalogue.method("rounding").problems({"base": 1, "colunm": "x"})
    assert [p.param for p in problems] == ["column", "base", "colunm"]
    assert all("Input" not in p.message for p in problems)


def test_a_run_is_measured_by_what_costs_little_and_needs_nothing():
    usual = {one.slug for one in catalogue.usual_measures()}
    assert {"reidentification", "marginals"} <= usual
    dear = {slug for slug, cls in catalogue.measures().items() if not cls.by_default}
    asking = {slug for slug, cls in catalogue.measures().items() if cls.problems({})}
    assert dear
    assert asking
    assert usual == set(catalogue.measures()) - dear - asking
