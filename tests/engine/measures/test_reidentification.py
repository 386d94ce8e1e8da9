"""Class sizes answer for keys that stayed truthful, and for no other family."""

import pytest

from tests.engine.measures.class_oracle import KEYS, counted, in_classes, members, moved, random_sample
from tests.engine.measures.scenes import figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.reidentification import Reidentification


@pytest.mark.parametrize("keys", [KEYS, KEYS[:2], KEYS[2:]])
@pytest.mark.parametrize("seed", range(40))
def test_truthful_keys_answer(seed, keys):
    case = moved(random_sample(seed), *(name for name in KEYS if name not in keys))
    found = figures_of(Reidentification(), case)
    rows = in_classes(case, keys)
    sizes = {}
    for i in rows:
        sizes[tuple(case.after[name][i] for name in keys)] = counted(case, members(case, keys, i, rows))
    people = sum(sizes.values())
    assert found["keys"] == ", ".join(keys)
    assert (found["rows"], found["classes"]) == (len(rows), len(sizes))
    assert found["smallest_class"] == min(sizes.values())
    assert found["highest_risk"] == pytest.approx(1 / min(sizes.values()))
    assert found["average_risk"] == pytest.approx(len(sizes) / people)
    assert found["unique_rows"] == sum(size == 1 for size in sizes.values())


@pytest.mark.parametrize(
    ("traces", "answers"),
    [
        ((Trace.PERTURBED,) * 3, "record linkage answers"),
        ((Trace.EXCHANGED, Trace.MADE_UP, Trace.PERTURBED), "record linkage answers"),
        ((Trace.MADE_UP,) * 3, "hold-out distances and replicated uniques answer"),
        ((Trace.MADE_UP, Trace.REMOVED, Trace.REMOVED), "hold-out distances"),
        ((Trace.REMOVED,) * 3, "No quasi-identifier leaves"),
    ],
)
def test_other_families_have_other_measures(traces, answers):
    case = random_sample(4)
    case.traces = {**case.traces, **dict(zip(KEYS, traces, strict=True))}
    result = result_of(Reidentification(), case)
    assert (result.state, result.after) == (State.DOES_NOT_APPLY, None)
    assert answers in result.reason


def test_the_original_is_read_by_all_keys():
    result = result_of(Reidentification(), moved(random_sample(4), "sex"))
    assert result.before["keys"] == "age, sex, place"
    assert result.after["keys"] == "age, place"
