"""The recipe as a document: its parts, what they declare of each column, refusals that name the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from worker.engine.contracts.parameters import Params, problem
from worker.engine.errors import EngineError
from worker.engine.io.dialect import DialectJson
from worker.engine.io.strict_json import BadJson, Limits, loads
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.kinds import Kind, Role

ALL = "*"
LONGEST = 64 * 1024 * 1024
LIMITS = Limits(length=LONGEST, values=10_000_000, depth=64)
MOST_PARTS, MOST_COLUMNS = 200, 20_000
"""So many goals, steps or measures nobody means; so many columns no file has that is read here."""


def _as_texts(value: Any) -> Any:
    """Numbers in a list of data values are meant as their texts."""
    if isinstance(value, list | tuple):
        return tuple(
            str(v) if isinstance(v, int | float | Decimal) and not isinstance(v, bool) else v for v in value
        )
    return value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_texts)]


class Entry(TypedDict, total=False):
    """A goal, a step or a measure as JSON spells it, under the name of its part."""

    goal: str
    method: str
    measure: str
    params: Params


class ColumnEntry(TypedDict, total=False):
    """A column as JSON spells it."""

    role: str
    kind: str
    hierarchy: object
    bounds: object
    bin_width: object
    categories: Sequence[str]
    granted: Sequence[str]
    provenance: str
    release: bool
    known: str
    why: str


class RecipeJson(TypedDict, total=False):
    """A recipe as JSON spells it, finished or not."""

    version: int
    columns: Mapping[str, ColumnEntry]
    goals: Sequence[Entry]
    steps: Sequence[Entry]
    measures: Sequence[Entry | str]
    formats: Sequence[str]
    aligned: bool


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DataPart(_Part):
    """How the data file is to be read."""

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None

    def said(self) -> DialectJson:
        """Only what was said, for the reader."""
        return cast(DialectJson, self.model_dump(exclude_none=True))


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
    known: Literal["yes", "no"] = "yes"
    why: str = Field(default="", max_length=400)


class GoalPart(_Part):
    """A goal by name."""

    goal: str
    params: dict[str, object] = Field(default_factory=dict)


class StepPart(_Part):
    """A method by name."""

    method: str
    params: dict[str, object] = Field(default_factory=dict)


class MeasurePart(_Part):
    """A measure by name."""

    measure: str
    params: dict[str, object] = Field(default_factory=dict)


class Document(_Part):
    """Everything a recipe may say."""

    version: Literal[1]
    data: DataPart = DataPart()
    columns: dict[str, ColumnPart] = Field(max_length=MOST_COLUMNS)
    goals: tuple[GoalPart, ...] = Field(default=(), max_length=MOST_PARTS)
    steps: tuple[StepPart, ...] = Field(default=(), max_length=MOST_PARTS)
    measures: tuple[str | MeasurePart, ...] = Field(default=(ALL,), max_length=MOST_PARTS)
    aligned: bool = True
    """Whether a released file of as many rows, which is compared, holds them in the order of the original."""
    formats: tuple[Literal["xlsx", "sav", "dta"], ...] = ()
    """What a release desk writes besides CSV and Parquet; on a command line the name of the file says."""


def parsed(source: str | bytes | RecipeJson | Mapping[str, object]) -> Document:
    """From JSON or the same as a mapping. Refusals name the path and how to mend it, never a value."""
    given = source if isinstance(source, Mapping) else _json(source)
    try:
        return Document.model_validate(dict(given))
    except ValidationError as error:
        raise _first_problem(error) from None


def _json(source: str | bytes) -> Mapping[str, object]:
    """Strict JSON: decimals are kept exactly, no key twice, no NaN."""
    if len(source) > LONGEST:
        raise EngineError("recipe-too-long", "The recipe is longer than 64 MB. Name hierarchy files instead.")
    try:
        found = loads(source, LIMITS, Decimal)
    except BadJson as bad:
        if bad.twice is not None:
            message = f"The recipe says {bad.twice!r} twice in one object."
            raise EngineError("recipe-duplicate", message, param=bad.twice) from None
        raise EngineError("recipe-not-json", f"The recipe {bad.what}.") from None
    if not isinstance(found, Mapping):
        raise EngineError("recipe-not-json", "The recipe must be one JSON object.")
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


def declaration(
    name: str, part: ColumnPart, hierarchies: Mapping[str, str], missing: tuple[str, ...]
) -> Declaration:
    """One column's part; `hierarchies` holds the text of each file referred to."""
    spec = _hierarchy(name, part, hierarchies)
    return Declaration(
        hierarchy=None if spec is None else replace(spec, missing=missing),
        bounds=part.bounds,
        bin_width=part.bin_width,
        categories=part.categories,
        granted=part.granted,
        release=part.release,
        kind=part.kind,
        provenance=part.provenance,
        known=part.known == "yes",
        why=part.why,
    )


def _hierarchy(name: str, part: ColumnPart, hierarchies: Mapping[str, str]) -> HierarchySpec | None:
    given = part.hierarchy
    where = f"columns.{name}.hierarchy"
    if given is None:
        return None
    if isinstance(given, str):
        if given not in hierarchies:
            text = f"{where}: the file is not there. Give a path relative to the recipe."
            raise EngineError("no-hierarchy-file", text, param=where)
        return HierarchySpec(lines=tuple(hierarchies[given].splitlines()))
    if isinstance(given, tuple):
        return HierarchySpec(lines=given)
    builder = given.get("builder")
    if not isinstance(builder, str):
        text = f"{where}.builder: name the builder: interval, order, mask, date or tree."
        raise EngineError("bad-recipe", text, param=f"{where}.builder")
    options = {key: value for key, value in given.items() if key != "builder"}
    return HierarchySpec(builder=builder, options=options)
