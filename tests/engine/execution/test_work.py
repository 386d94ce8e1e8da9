"""What ways of running a recipe share: a refusal says which part of the recipe it is about."""

import pickle

import pytest

from tests.engine.running import recipe_of, run, table_of
from worker.engine.contracts.method import Method
from worker.engine.errors import EngineError
from worker.engine.execution.work import placed
from worker.engine.methods.rounding import Rounding

COLUMNS = {"age": {"role": "quasi-identifier", "kind": "integer"}, "disease": {"role": "sensitive"}}
STEP: Method = Rounding(column="age", base=5)


def people():
    return table_of([{"age": str(30 + i % 2), "disease": "flu" if i % 3 else "none"} for i in range(6)])


def test_a_refusal_inside_a_step_says_which():
    steps = [("generalization", {}), ("rounding", {"column": "disease"})]
    with pytest.raises(EngineError) as caught:
        run(recipe_of(COLUMNS, [("k-anonymity", {"k": 1})], steps), people())
    assert (caught.value.step, caught.value.param) == (1, "steps[1].params.column")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.message, again.param, again.step) == (
        caught.value.code,
        caught.value.message,
        caught.value.param,
        1,
    )


def test_a_goal_on_a_column_that_is_not_sensitive_is_refused():
    with pytest.raises(EngineError, match="sensitive"):
        run(recipe_of(COLUMNS, [("l-diversity", {"column": "age", "l": 2})]), people())


@pytest.mark.parametrize(
    ("param", "message", "expected"),
    [
        ("base", "base: too large", ("steps[0].params.base", "too large")),
        ("columns.age", "columns.age: no number", ("columns.age", "columns.age: no number")),
        ("steps[0].params.base", "too large", ("steps[0].params.base", "too large")),
        (None, "too large", (None, "too large")),
    ],
)
def test_a_parameter_is_named_within_the_recipe(param, message, expected):
    error = placed(EngineError("bad", message, param=param), "steps[0]", STEP)
    assert (error.param, error.message) == expected
    assert error.args == (error.code, error.message, error.param, error.step)
