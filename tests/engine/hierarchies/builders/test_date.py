"""Units of the calendar."""

from __future__ import annotations

from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.builders.date import UNITS, build
from worker.engine.hierarchies.builders.settings import Settings


def rows(*values: str, **options: Any) -> list[tuple[str, ...]]:
    return build(Settings(options, "born"), values)


def test_units_of_a_day() -> None:
    days = {"1999-12-31": [], "2000-01-01": [], "2004-02-29": []}  # type: dict[str, list[str]]
    for unit in UNITS:
        for value, label, _ in rows(*days, levels=[unit]):
            days[value].append(label)
    assert days == {
        "1999-12-31": ["1999-12-31", "1999-W52", "1999-12", "1999-Q4", "1999", "[1990, 2000["],
        "2000-01-01": ["2000-01-01", "1999-W52", "2000-01", "2000-Q1", "2000", "[2000, 2010["],
        "2004-02-29": ["2004-02-29", "2004-W09", "2004-02", "2004-Q1", "2004", "[2000, 2010["],
    }


def test_from_fine_to_coarse() -> None:
    assert rows("2020-05-17") == [("2020-05-17", "2020-05", "2020", "[2020, 2030[", "*")]


@pytest.mark.parametrize("written", ["2020-5-17", " 2020-05-17 ", "\u0662\u0660\u0662\u0660-05-17"])
def test_other_ways_to_write_the_usual_form(written: str) -> None:
    assert rows(written, levels=["day"])[0][1] == "2020-05-17"


@pytest.mark.parametrize("written", ["20200517", "2020-W20-7", "2020-05-32", "2020/05/17", "2020-05-17T00"])
def test_other_forms_are_not_the_usual_one(written: str) -> None:
    with pytest.raises(EngineError):
        rows(written)


@pytest.mark.parametrize(("pivot", "year"), [(None, "2068"), (20, "1968"), (68, "2068"), (67, "1968")])
def test_which_century(pivot: int | None, year: str) -> None:
    options = {"levels": ["year"], "format": "%d.%m.%y"} | ({} if pivot is None else {"pivot": pivot})
    assert rows("01.02.68", **options)[0][1] == year


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"levels": []}, "levels"),
        ({"levels": ["hour"]}, "levels"),
        ({"levels": ["year", "month"]}, "levels"),
        ({"levels": ["year", "year"]}, "levels"),
        ({"levels": ["week", "month"]}, "levels"),
        ({"pivot": 100}, "pivot"),
        ({"pivot": True}, "pivot"),
        ({"format": "%d.%m.%Y"}, "format"),
        ({"format": 5}, "format"),
    ],
)
def test_refusals_name_the_setting_and_no_value(options: dict[str, Any], param: str) -> None:
    with pytest.raises(EngineError) as refused:
        rows("2020-05-17", **options)
    assert refused.value.param == f"columns.born.hierarchy.{param}"
    assert "2020-05-17" not in str(refused.value)
