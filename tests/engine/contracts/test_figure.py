"""A figure takes what it declares and nothing else, and never tells what it was given instead."""

import math
from typing import Any

import numpy as np
import pytest

from worker.engine.contracts.figure import Figure, charts_alike, rows_astray, taken
from worker.engine.errors import EngineError

SECRET = "s3cret"


def figure(**more: Any) -> Figure:
    return Figure("risk", "Risk", "How to read it.", **more)


@pytest.mark.parametrize(
    ("unit", "value", "kept"),
    [
        ("share", 0.5, 0.5),
        ("share", np.float64(1 + 1e-12), 1 + 1e-12),
        ("share", np.int64(1), 1),
        ("share", math.nan, None),
        ("count", np.int32(7), 7),
        ("count", None, None),
        ("number", -1.5, -1.5),
        ("column", math.inf, None),
        ("words", "kept", "kept"),
        ("words", np.bool_(True), True),
    ],
)
def test_what_fits_is_kept_plainly(unit: Any, value: object, kept: object) -> None:
    found = figure(unit=unit).taken(value)
    assert found == kept
    assert type(found) in (int, float, str, bool, type(None))


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("share", 1.1),
        ("share", -0.1),
        ("share", True),
        ("count", 1.5),
        ("count", -1),
        ("number", SECRET),
        ("words", 3),
        ("words", [SECRET]),
        ("number", {"a": 1.0}),
    ],
)
def test_what_does_not_fit_is_refused_without_being_told(unit: Any, value: object) -> None:
    with pytest.raises(EngineError) as caught:
        figure(unit=unit).taken(value)
    assert caught.value.code == "wrong-figure"
    assert "'risk'" in caught.value.message
    assert SECRET not in caught.value.message


def test_a_figure_of_parts_is_a_mapping_and_one_per_record_is_none_of_both() -> None:
    assert figure(unit="share", per="column").taken({"a": 0.5, 3: math.nan}) == {"a": 0.5, "3": None}
    for per, value in (("column", 0.5), ("record", {"a": 0.5}), ("record", 0.5), ("part", {"a": 2.0})):
        with pytest.raises(EngineError, match="in a unit or of a type"):
            figure(unit="share", per=per).taken(value)  # type: ignore[arg-type]


def test_figures_nobody_declared_are_refused_and_not_named() -> None:
    assert taken((figure(unit="count"),), {"risk": 3}) == {"risk": 3}
    assert taken((figure(),), {}) == {}
    with pytest.raises(EngineError, match="does not declare") as caught:
        taken((figure(),), {"risk": 1.0, SECRET: 1.0})
    assert SECRET not in caught.value.message


def test_of_several_the_worst_is_judged_and_what_does_not_exist_is_worse() -> None:
    assert figure(better="low").worst([0.1, 0.7, 0.3]) == 0.7
    assert figure(better="high").worst([0.1, 0.7, 0.3]) == 0.1
    assert figure(better="low").worst([0.1, None]) is None
    assert figure(better="low").worst([]) is None


def test_what_can_be_held_against_a_bound() -> None:
    assert figure(unit="share", better="low", per="column").comparable
    for more in ({"unit": "share"}, {"unit": "words", "better": "low"}, {"better": "low", "per": "record"}):
        assert not figure(**more).comparable


def test_faults_of_records_and_charts_have_codes() -> None:
    assert (rows_astray("risk").code, charts_alike().code) == ("wrong-figure", "wrong-chart")
