"""Which columns count, and whether chance changed one."""

import numpy as np
import pytest

from tests.engine.measures.scenes import Case, figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.information.columns import NOTHING, entropy
from worker.engine.measures.utility.information_kept import InformationKept


def test_entropy_by_hand():
    assert entropy(np.array([2, 2])) == pytest.approx(np.log(2))
    assert entropy(np.array([5])) == entropy(np.array([], np.int64)) == 0


def test_nothing_has_no_mean():
    constant = {"x": ["a", "a"]}
    result = result_of(InformationKept(), Case({"x": {"role": "other"}}, constant, constant))
    assert (result.state, result.reason) == (State.DOES_NOT_APPLY, NOTHING)


@pytest.mark.parametrize(
    ("role", "more", "counts"),
    [
        ("direct-identifier", {}, False),
        ("person-key", {}, False),
        ("household-key", {}, False),
        ("weight", {}, True),
        ("weight", {"release": True}, True),
        ("consent", {"granted": ["1", "2"]}, True),
        ("sensitive", {}, True),
    ],
)
def test_identifiers_and_keys_are_not_meant_to_stay(role, more, counts):
    columns = {"x": {"role": "other"}, "y": {"role": role, "kind": "integer", **more}}
    cells = {"x": list("aabb"), "y": list("1212")}
    found = figures_of(InformationKept(), Case(columns, cells, cells))["per_column"]
    assert ("y" in found) == counts
    if counts:
        assert found["y"] == (1.0 if role == "sensitive" or more.get("release") else 0.0)


@pytest.mark.parametrize(
    ("after", "traces", "passed_over"),
    [
        ("bcda", None, True),  # somebody else's value
        ("wxyz", None, False),
        ("*bc*", None, False),
        ("wxyz", {"x": Trace.PERTURBED}, True),
        ("bcda", {"x": Trace.COARSER}, False),
    ],
)
def test_chance_is_told_by_the_trace_or_seen_by_values_of_others(after, traces, passed_over):
    columns = {"x": {"role": "other", "kind": "categorical"}, "y": {"role": "other"}}
    traces = traces and {"y": Trace.KEPT, **traces}
    case = Case(
        columns, {"x": list("abcd"), "y": list("aabb")}, {"x": list(after), "y": list("aabb")}, traces=traces
    )
    assert ("x" in figures_of(InformationKept(), case)["passed_over"]) == passed_over
