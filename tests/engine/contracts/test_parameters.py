"""From a field follow the parameter, its form and its refusals, which never quote what was given."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from worker.engine.contracts.annotations import AuxiliaryFile, Columns, Unit
from worker.engine.contracts.parameters import Parameter, parameters_of, path_of, problems_of
from worker.engine.tables.kinds import NUMERIC, Role

SECRET = "s3cret"


class Way(StrEnum):
    """Two ways."""

    SHORT = "short-way"
    LONG = "long"


class Sample(BaseModel):
    """Of every kind of parameter one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: Annotated[str, Columns(kind=NUMERIC)] = Field(title="Column", description="Which.")
    several: Annotated[tuple[str, ...], Columns(role=Role.SENSITIVE)] = ()
    years: Annotated[int, Unit("years")] = Field(5, ge=2, le=10)
    share: float = Field(0.5, gt=0, lt=1)
    exact: Decimal = Decimal("0.10")
    always: bool = False
    variant: Literal["plain", "very-odd"] = "plain"
    way: Way = Way.LONG
    texts: tuple[str, ...] = ("a", "b")
    levels: dict[str, tuple[int, int]] = {}
    limit: int | None = None
    either: int | str = 3
    people: Annotated[str, AuxiliaryFile()] = "people.csv"

    @field_validator("texts")
    @classmethod
    def _few(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(value) > 2:
            raise ValueError("Two texts are enough.")
        return value


KNOWN: dict[str, Parameter] = {one.name: one for one in parameters_of(Sample)}


def test_a_class_is_read_once():
    assert parameters_of(Sample) is parameters_of(Sample)


def test_types_follow_from_annotations() -> None:
    assert {name: one.type for name, one in KNOWN.items()} == {
        "column": "column",
        "several": "columns",
        "years": "integer",
        "share": "number",
        "exact": "decimal",
        "always": "boolean",
        "variant": "choice",
        "way": "choice",
        "texts": "texts",
        "levels": "levels",
        "limit": "integer",
        "either": "json",
        "people": AuxiliaryFile().type,
    }
    assert [name for name, one in KNOWN.items() if one.optional] == ["limit"]


def test_what_is_told_of_a_parameter_is_plain_and_leaves_out_what_does_not_apply() -> None:
    column = KNOWN["column"].as_dict()
    assert column == {
        "name": "column", "title": "Column", "help": "Which.", "type": "column", "required": True,
        "kinds": ["decimal", "integer"], "roles": None,
    }  # fmt: skip
    several = KNOWN["several"].as_dict()
    assert (several["kinds"], several["roles"], several["default"]) == (None, ["sensitive"], [])
    years = KNOWN["years"].as_dict()
    assert (years["minimum"], years["exclusive_minimum"], years["maximum"], years["unit"]) == (
        2,
        False,
        10,
        "years",
    )
    share = KNOWN["share"].as_dict()
    assert (share["minimum"], share["exclusive_minimum"]) == (0, True)
    assert (share["maximum"], share["exclusive_maximum"]) == (1, True)
    assert KNOWN["way"].as_dict()["choices"] == ["short-way", "long"]
    assert KNOWN["variant"].choices == (("plain", "Plain"), ("very-odd", "Very odd"))
    assert KNOWN["exact"].as_dict()["default"] == "0.10"
    assert KNOWN["texts"].as_dict()["default"] == ["a", "b"]
    assert "minimum" not in KNOWN["limit"].as_dict()


@pytest.mark.parametrize(
    ("params", "where", "words"),
    [
        ({"column": "x", "years": True}, "years", "a number, not true or false"),
        ({"column": "x", SECRET: 1}, SECRET, "no such parameter"),
        ({}, "column", "is required"),
        ({"column": "x", "texts": ["a", "b", SECRET]}, "texts", "Two texts are enough"),
        ({"column": "x", "years": 11}, "years", "less than or equal to 10"),
        ({"column": "x", "levels": {"a": [0, SECRET]}}, "levels.a[1]", "a valid integer"),
    ],
)
def test_problems_say_where_and_how_to_mend_it(params: dict[str, Any], where: str, words: str) -> None:
    (found,) = problems_of(Sample, params)
    assert found.param == where
    assert words in found.message
    assert SECRET not in found.message


def test_nothing_is_wrong_with_what_fits() -> None:
    assert problems_of(Sample, {"column": "x", "limit": None, "way": "long"}) == ()


def test_a_path_is_written_as_in_a_recipe() -> None:
    assert path_of(("steps", 0, "params", "base")) == "steps[0].params.base"
    assert path_of(()) == ""
