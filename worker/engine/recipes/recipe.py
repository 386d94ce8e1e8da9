"""The recipe: what a steward configured, as a file that can be replayed anywhere."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from worker.engine import catalogue
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.method import Guarantee, Method
from worker.engine.contracts.parameters import Params
from worker.engine.contracts.parametric import Parametric
from worker.engine.contracts.traces import Traces
from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.recipes.document import (
    ALL,
    ColumnPart,
    Document,
    GoalPart,
    MeasurePart,
    RecipeJson,
    StepPart,
    declaration,
    parsed,
    plain,
)
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import RELEASED, Kind, Role
from worker.engine.tables.table import Field, Schema

ONE_OF_A_KIND = (Role.WEIGHT, Role.PERSON_KEY, Role.HOUSEHOLD_KEY, Role.CONSENT)


class Recipe:
    """A recipe that was checked against the catalogue. Make one with `Recipe.parse`."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.data = document.data
        self.aligned = document.aligned
        self.columns: Mapping[str, ColumnPart] = document.columns
        self.goals: tuple[Goal, ...] = tuple(_goal(i, part) for i, part in enumerate(document.goals))
        self.steps: tuple[Method, ...] = tuple(_step(i, part) for i, part in enumerate(document.steps))
        self.asked_measures = _asked(document.measures)
        self.measures: tuple[Measure, ...] = tuple({one.id: one for _, one in self.asked_measures}.values())
        self.formats: tuple[str, ...] = tuple(dict.fromkeys(document.formats))
        _check_columns(document.columns)
        _check_tables(self.steps, self.goals)
        _check_formats(self.formats, document.columns)

    @classmethod
    def parse(cls, source: str | bytes | RecipeJson | Mapping[str, object]) -> Recipe:
        """From JSON or the same as a mapping. Refusals name the path and how to mend it, never a value."""
        return cls(parsed(source))

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

    def insist_on_kinds(self) -> None:
        """Refuse a step that counts numbers or days of which nobody declared that they are: how the data
        look may decide nothing. Anything else is text to such a step."""
        for number, step in enumerate(self.steps):
            for _, name, _ in step.named_columns() if step.tabulates else ():
                part = self.columns.get(name)
                if part is None or part.kind is not None or part.bounds is None:
                    continue
                where = f"columns.{name}.kind"
                text = f"{where}: say which kind {name!r} is. {step.title} never takes it from the data."
                raise EngineError("kind-not-declared", text, param=where, step=number)

    @property
    def schema(self) -> Schema:
        """The columns as declared; one whose kind is not said is text."""
        kept = ((name, part) for name, part in self.columns.items() if part.role != Role.DROPPED)
        return Schema(tuple(Field(name, part.kind or Kind.TEXT, part.role) for name, part in kept))

    @cached_property
    def traces(self) -> Traces:
        """What its steps leave of each column, and with it the family of its releases."""
        return self.traces_in(self.schema)

    def traces_in(self, schema: Schema) -> Traces:
        """The same where the kinds of all columns are known."""
        weight_leaves = any(part.release for part in self.columns.values())
        return Traces.of(self.steps, schema, weight_leaves)

    def hierarchy_paths(self) -> tuple[str, ...]:
        """The hierarchy files it refers to, relative to the recipe."""
        parts = self.columns.values()
        return tuple(dict.fromkeys(part.hierarchy for part in parts if isinstance(part.hierarchy, str)))

    def auxiliary_paths(self) -> tuple[str, ...]:
        """The files that parameters of its parts name, relative to the recipe."""
        parts = (*self.goals, *self.steps, *self.measures)
        return tuple(dict.fromkeys(path for part in parts for _, path in part.auxiliary_files()))

    def declarations(self, hierarchies: Mapping[str, str]) -> dict[str, Declaration]:
        """What is declared of each column; `hierarchies` holds the text of each file referred to."""
        missing = tuple(sorted(self.missing_texts or ()))
        return {name: declaration(name, part, hierarchies, missing) for name, part in self.columns.items()}

    def read_columns(self) -> tuple[str, ...]:
        """The columns that a run reads: not those that are dropped, nor identifiers that no step names."""
        named = {name for part in (*self.steps, *self.goals) for _, name, _ in part.named_columns()}
        if self.tabulates:
            asked = (Role.PERSON_KEY, Role.CONSENT)
            return tuple(name for name, part in self.columns.items() if part.role in asked or name in named)
        unread = (Role.DROPPED, Role.DIRECT_IDENTIFIER)
        return tuple(name for name, part in self.columns.items() if part.role not in unread or name in named)

    def canonical_json(self) -> str:
        """One spelling for recipes that say the same."""
        said = self._document.model_dump(mode="python", exclude_unset=True)
        return json.dumps(plain(said), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def sha256(self) -> str:
        """The hash of the canonical spelling."""
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()


def impossible(
    steps: Sequence[Method], goals: Sequence[Goal], schema: Schema, declared: Mapping[str, Declaration]
) -> Iterator[tuple[int, EngineError]]:
    """Every step that cannot work whatever the data hold, by its place, and why."""
    for at, step in enumerate(steps):
        try:
            step.require_possible(schema, goals, declared)
            schema = step.output_schema(schema)
        except EngineError as error:
            yield at, error


def _goal(index: int, part: GoalPart) -> Goal:
    made: Goal = _made(catalogue.goal, part.goal, part.params, f"goals[{index}]", "goal", None)
    return made


def _step(index: int, part: StepPart) -> Method:
    made: Method = _made(catalogue.method, part.method, part.params, f"steps[{index}]", "method", index)
    return made


def _made(find: Any, slug: str, params: Params, path: str, word: str, step: int | None) -> Any:
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


def _asked(parts: tuple[str | MeasurePart, ...]) -> tuple[tuple[int, Measure], ...]:
    """The instances with the place in the recipe; `*` stands for those that every run is measured by."""
    return tuple((at, measure) for at, part in enumerate(parts) for measure in _meant(at, part))


def _meant(index: int, part: str | MeasurePart) -> Iterator[Measure]:
    if part == ALL:
        yield from catalogue.usual_measures()
        return
    named = MeasurePart(measure=part) if isinstance(part, str) else part
    yield _made(catalogue.measure, named.measure, named.params, f"measures[{index}]", "measure", None)


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
        _check_known(name, part)


def _check_known(name: str, part: ColumnPart) -> None:
    """A kept column that others could not know says why: it is left out where rows are looked up."""
    if part.known == "yes" and part.why.strip():
        where = f"columns.{name}.why"
        raise EngineError("bad-recipe", f'{where}: applies to a column with "known": "no".', param=where)
    if part.known == "no" and part.role is not Role.OTHER:
        where = f"columns.{name}.known"
        raise EngineError("bad-recipe", f"{where}: applies to a column kept as it is.", param=where)
    if part.known == "no" and not part.why.strip():
        where = f"columns.{name}.why"
        text = f"{where}: say why nobody else could know the values of {name!r}."
        raise EngineError("bad-recipe", text, param=where)


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


def _check_formats(wanted: tuple[str, ...], columns: Mapping[str, ColumnPart]) -> None:
    """Refused before anything is done: a name that a format cannot hold."""
    leaving = [name for name, part in columns.items() if part.role in RELEASED or part.release]
    for kind in wanted:
        name = next(
            (one for one in leaving if not re.fullmatch(formats.NAMES.get(kind, ".*"), one, re.S)), None
        )
        if name is not None:
            text = f"formats: {formats.TOOLS[kind]} cannot hold a column named {name!r}. It takes letters, "
            text += "digits and underscores. Rename the column or leave this format out."
            raise EngineError("name-unwritable", text, param="formats")
