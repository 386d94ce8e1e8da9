"""The recipe: what a steward configured, as a file that can be replayed anywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from worker.engine import catalogue
from worker.engine.declared import Declaration, HierarchySpec
from worker.engine.errors import EngineError
from worker.engine.fields import Kind, Role
from worker.engine.goal import Goal
from worker.engine.measure import Measure
from worker.engine.method import Guarantee, Method
from worker.engine.parameters import problem
from worker.engine.parametric import Parametric

ALL = "*"
LONGEST = 64 * 1024 * 1024
ONE_OF_A_KIND = (Role.WEIGHT, Role.PERSON_KEY, Role.HOUSEHOLD_KEY, Role.CONSENT)


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


class _Document(_Part):
    version: Literal[1]
    data: DataPart = DataPart()
    columns: dict[str, ColumnPart]
    goals: tuple[GoalPart, ...] = ()
    steps: tuple[StepPart, ...] = ()
    measures: tuple[str | MeasurePart, ...] = (ALL,)


class Recipe:
    """A recipe that was checked against the catalogue. Make one with `Recipe.parse`."""

    def __init__(self, document: _Document) -> None:
        self._document = document
        self.data = document.data
        self.columns: Mapping[str, ColumnPart] = document.columns
        self.goals: tuple[Goal, ...] = tuple(_goal(i, part) for i, part in enumerate(document.goals))
        self.steps: tuple[Method, ...] = tuple(_step(i, part) for i, part in enumerate(document.steps))
        self.measures: tuple[Measure, ...] = _measures(document.measures)
        _check_columns(document.columns)
        _check_tables(self.steps, self.goals)

    @classmethod
    def parse(cls, source: str | bytes | Mapping[str, Any]) -> Recipe:
        """From JSON or the same as a mapping. Refusals name the path and how to mend it, never a value."""
        given = source if isinstance(source, Mapping) else _json(source)
        try:
            document = _Document.model_validate(dict(given))
        except ValidationError as error:
            raise _first_problem(error) from None
        return cls(document)

    @cached_property
    def missing_texts(self) -> frozenset[str] | None:
        """Texts that stand for no value; None when the recipe does not say."""
        return None if self.data.missing is None else frozenset(self.data.missing)

    @property
    def differentially_private(self) -> bool:
        """Whether any step promises differential privacy: then no seed may be given."""
        wanted = (Guarantee.DIFFERENTIAL_PRIVACY, Guarantee.LOCAL_DIFFERENTIAL_PRIVACY)
        return any(step.guarantee in wanted or step.cost() for step in self.steps)

    @property
    def tabulates(self) -> bool:
        """Whether it makes a table instead of microdata."""
        return any(step.tabulates for step in self.steps)

    def hierarchy_paths(self) -> tuple[str, ...]:
        """The hierarchy files it refers to, relative to the recipe."""
        parts = self.columns.values()
        return tuple(dict.fromkeys(part.hierarchy for part in parts if isinstance(part.hierarchy, str)))

    def population_paths(self) -> tuple[str, ...]:
        """The population files its goals refer to, relative to the recipe."""
        return tuple(dict.fromkeys(path for goal in self.goals if (path := goal.population_file)))

    def declarations(self, hierarchies: Mapping[str, str]) -> dict[str, Declaration]:
        """What is declared of each column; `hierarchies` holds the text of each file referred to."""
        missing = tuple(sorted(self.missing_texts or ()))
        return {name: _declaration(name, part, hierarchies, missing) for name, part in self.columns.items()}

    def canonical_json(self) -> str:
        """One spelling for recipes that say the same."""
        said = self._document.model_dump(mode="python", exclude_unset=True)
        return json.dumps(_plain(said), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def sha256(self) -> str:
        """The hash of the canonical spelling."""
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()


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


def _goal(index: int, part: GoalPart) -> Goal:
    made: Goal = _made(catalogue.goal, part.goal, part.params, f"goals[{index}]", "goal", None)
    return made


def _step(index: int, part: StepPart) -> Method:
    made: Method = _made(catalogue.method, part.method, part.params, f"steps[{index}]", "method", index)
    return made


def _made(find: Any, slug: str, params: Mapping[str, Any], path: str, word: str, step: int | None) -> Any:
    """The object a part describes; refusals carry the path from the top of the recipe."""
    try:
        found: type[Parametric] = find(slug)
    except EngineError as error:
        where = f"{path}.{word}"
        raise EngineError(error.code, f"{where}: {error.message}", param=where, step=step) from None
    try:
        return found.of(params)
    except EngineError as error:
        where = f"{path}.params" + (f".{error.param}" if error.param else "")
        words = error.message.removeprefix(f"{error.param}: ")
        raise EngineError(error.code, f"{where}: {words}", param=where, step=step) from None


def _measures(parts: tuple[str | MeasurePart, ...]) -> tuple[Measure, ...]:
    """The measures asked for; `*` stands for all that can be had without parameters."""
    found: dict[str, Measure] = {}
    for index, part in enumerate(parts):
        if part == ALL:
            for slug, cls in catalogue.measures().items():
                if not cls.problems({}):
                    found.setdefault(slug, cls.of({}))
            continue
        named = MeasurePart(measure=part) if isinstance(part, str) else part
        path = f"measures[{index}]"
        found[named.measure] = _made(catalogue.measure, named.measure, named.params, path, "measure", None)
    return tuple(found.values())


def _check_columns(columns: Mapping[str, ColumnPart]) -> None:
    for role in ONE_OF_A_KIND:
        names = [name for name, part in columns.items() if part.role is role]
        if len(names) > 1:
            text = f"columns.{names[1]}.role: a recipe has at most one {role} column."
            raise EngineError("bad-recipe", text, param=f"columns.{names[1]}.role")
    for name, part in columns.items():
        if part.role is Role.CONSENT and not part.granted:
            where = f"columns.{name}.granted"
            text = f"{where}: list the values that mean consent was granted."
            raise EngineError("bad-recipe", text, param=where)
        if part.release and part.role is not Role.WEIGHT:
            where = f"columns.{name}.release"
            raise EngineError("bad-recipe", f"{where}: applies to a weight only.", param=where)


def _check_tables(steps: tuple[Method, ...], goals: tuple[Goal, ...]) -> None:
    """A table is made of the data as they are: what another step decides may hang on one person."""
    number = next((i for i, step in enumerate(steps) if step.tabulates), None)
    if number is None:
        return
    if len(steps) > 1:
        text = f"steps[{number}]: {steps[number].title} makes a table and must be the only step."
        raise EngineError("bad-recipe", text + " Remove the others.", param=f"steps[{number}]", step=number)
    if goals:
        text = "goals: they apply to microdata, and this recipe makes a table. Remove the goals."
        raise EngineError("bad-recipe", text, param="goals[0]")


def _declaration(
    name: str, part: ColumnPart, hierarchies: Mapping[str, str], missing: tuple[str, ...]
) -> Declaration:
    spec = _hierarchy(name, part, hierarchies)
    return Declaration(
        hierarchy=None if spec is None else replace(spec, missing=missing),
        bounds=part.bounds,
        bin_width=part.bin_width,
        categories=part.categories,
        granted=part.granted,
        release=part.release,
        kind=part.kind,
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


def _plain(value: Any) -> Any:
    """JSON values; a decimal of usual length is the number with the same digits."""
    if isinstance(value, Decimal):
        return float(value) if value != value.to_integral_value() else int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
