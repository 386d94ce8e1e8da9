"""The recipe as a document: its parts, strict JSON, and refusals that name the place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from worker.engine.errors import EngineError
from worker.engine.fields import Kind, Role
from worker.engine.parameters import problem

ALL = "*"
LONGEST = 64 * 1024 * 1024


def _as_texts(value: Any) -> Any:
    """Numbers in a list of data values are meant as their texts."""
    if isinstance(value, list | tuple):
        return tuple(
            str(v) if isinstance(v, int | float | Decimal) and not isinstance(v, bool) else v for v in value
        )
    return value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_texts)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DataPart(_Part):
    """How the data file is to be read."""

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None

    def said(self) -> dict[str, Any]:
        """Only what was said, for the reader."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class ColumnPart(_Part):
    """What is declared of one column."""

    role: Role
    kind: Kind | None = None
    hierarchy: str | tuple[str, ...] | dict[str, Any] | None = None
    bounds: tuple[Any, Any] | None = None
    bin_width: Any = None
    categories: Texts | None = None
    granted: Texts = ()
    release: bool = False
    provenance: str = Field(default="", max_length=200)


class GoalPart(_Part):
    """A goal by name."""

    goal: str
    params: dict[str, Any] = Field(default_factory=dict)


class StepPart(_Part):
    """A method by name."""

    method: str
    params: dict[str, Any] = Field(default_factory=dict)


class MeasurePart(_Part):
    """A measure by name."""

    measure: str
    params: dict[str, Any] = Field(default_factory=dict)


class Document(_Part):
    """Everything a recipe may say."""

    version: Literal[1]
    data: DataPart = DataPart()
    columns: dict[str, ColumnPart]
    goals: tuple[GoalPart, ...] = ()
    steps: tuple[StepPart, ...] = ()
    measures: tuple[str | MeasurePart, ...] = (ALL,)
    formats: tuple[Literal["xlsx", "sav", "dta"], ...] = ()
    """What a release desk writes besides CSV and Parquet; on a command line the name of the file says."""


def parsed(source: str | bytes | Mapping[str, Any]) -> Document:
    """From JSON or the same as a mapping. Refusals name the path and how to mend it, never a value."""
    given = source if isinstance(source, Mapping) else _json(source)
    try:
        return Document.model_validate(dict(given))
    except ValidationError as error:
        raise _first_problem(error) from None


def _json(source: str | bytes) -> Mapping[str, Any]:
    """Strict JSON: decimals are kept exactly, no key twice, no NaN."""
    if len(source) > LONGEST:
        raise EngineError("recipe-too-long", "The recipe is longer than 64 MB. Name hierarchy files instead.")
    try:
        text = source if isinstance(source, str) else source.decode("utf-8-sig")
        found = json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError:
        raise EngineError("recipe-not-json", "The recipe is not UTF-8 text. Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise EngineError("recipe-not-json", f"The recipe is not valid JSON at {where}.") from None
    except RecursionError:
        raise EngineError("recipe-not-json", "The recipe is nested too deeply.") from None
    if not isinstance(found, Mapping):
        raise EngineError("recipe-not-json", "The recipe must be one JSON object.")
    return found


def _no_constant(name: str) -> Any:
    raise EngineError(
        "recipe-not-json", f"The recipe holds {name}, which is not a number. Use a finite number."
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise EngineError(
                "recipe-duplicate", f"The recipe says {name!r} twice in one object.", param=name
            )
        found[name] = value
    return found


def _first_problem(error: ValidationError) -> EngineError:
    first = error.errors(include_url=False, include_input=False)[0]
    location = tuple(part for part in first["loc"] if part not in _UNION_BRANCHES)
    what = problem({**first, "loc": location}, "see the documentation of the recipe")
    words = what.message.replace("There is no such parameter.", "There is no such key.")
    words = words.replace("This parameter is required.", "This key is required.")
    return EngineError("bad-recipe", f"{what.param}: {words}", param=what.param, step=_step_of(first["loc"]))


_UNION_BRANCHES = (
    "str",
    "dict[str,any]",
    "tuple[str, ...]",
    "MeasurePart",
    "function-before[_as_texts(), tuple[str, ...]]",
)


def _step_of(location: tuple[int | str, ...]) -> int | None:
    if len(location) > 1 and location[0] == "steps" and isinstance(location[1], int):
        return location[1]
    return None


def plain(value: Any) -> Any:
    """JSON values; a decimal of usual length is the number with the same digits."""
    if isinstance(value, Decimal):
        return float(value) if value != value.to_integral_value() else int(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value
