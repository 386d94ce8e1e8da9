"""What methods, goals and measures have in common: their fields are their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from typing import ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.parameters import FILES, Parameter, Params, Problem, parameters_of, problems_of
from worker.engine.errors import EngineError
from worker.engine.tables.table import Schema, no_such_column


class Parametric(BaseModel):
    """Frozen: an algorithm is its parameters. The docstring is the documentation page."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="strings")

    slug: ClassVar[str]
    title: ClassVar[str]
    references: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def in_short(cls) -> str:
        """One line for pickers."""
        return (inspect.getdoc(cls) or "").split("\n", 1)[0]

    @classmethod
    def documentation(cls) -> str:
        """The whole docstring."""
        return inspect.getdoc(cls) or ""

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """What can be filled in."""
        return parameters_of(cls)

    @classmethod
    def problems(cls, params: Params) -> tuple[Problem, ...]:
        """Everything wrong with these parameters; empty when they may be used."""
        return problems_of(cls, params)

    @classmethod
    def of(cls, params: Params) -> Self:
        """The object these parameters describe, or a refusal that names the first wrong one."""
        for problem in cls.problems(params):
            where = f"{problem.param}: " if problem.param else ""
            raise EngineError("bad-parameter", f"{where}{problem.message}", param=problem.param or None)
        return cls.model_validate(dict(params))

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Ready-made parameters that work on the sample table; shown on the documentation page."""
        return (cls.model_validate({}),)

    def params(self) -> Params:
        """The parameters as JSON, defaults included."""
        return self.model_dump(mode="json")

    def describe(self) -> str:
        """The sentence a reviewer reads."""
        told = ", ".join(f"{p.title.lower()} {getattr(self, p.name)}" for p in self.parameters())
        return f"{self.title}: {told}." if told else self.in_short()

    def named_columns(self) -> tuple[tuple[str, str, Columns], ...]:
        """(parameter, column, annotation) for every column these parameters name."""
        found: list[tuple[str, str, Columns]] = []
        for parameter, wanted in self._naming():
            value = getattr(self, parameter)
            if value is None:
                continue
            names: Iterable[str] = value if isinstance(value, tuple) else (value,)
            found.extend((parameter, name, wanted) for name in names)
        return tuple(found)

    def auxiliary_files(self) -> tuple[tuple[str, str], ...]:
        """(parameter, path) for every file these parameters name."""
        named = ((one, getattr(self, one)) for one in self._naming_files())
        return tuple((one, path) for one, path in named if path is not None)

    @classmethod
    @cache
    def _naming_files(cls) -> tuple[str, ...]:
        return tuple(one.name for one in cls.parameters() if one.type in FILES)

    @classmethod
    @cache
    def _naming(cls) -> tuple[tuple[str, Columns], ...]:
        """The parameters that name columns; the same for every object, and thousands may be asked."""
        return tuple((one.name, one.columns) for one in cls.parameters() if one.columns is not None)

    def check(self, schema: Schema) -> None:
        """Refuse columns that are not there, named twice in one place, or of the wrong kind or role."""
        seen: set[tuple[str, str]] = set()
        for param, name, wanted in self.named_columns():
            if (param, name) in seen:
                raise EngineError("column-twice", f"{param}: name column {name!r} once.", param=param)
            seen.add((param, name))
            if name not in schema:
                error = no_such_column(name)
                raise EngineError(error.code, f"{param}: {error.message}", param=param)
            field = schema[name]
            if wanted.kinds is not None and field.kind not in wanted.kinds:
                kinds = " or ".join(sorted(wanted.kinds))
                text = f"{param}: column {name!r} is {field.kind}, but {self.title} needs {kinds}."
                raise EngineError(
                    "wrong-kind", text + " Choose another column or correct its kind.", param=param
                )
            if wanted.roles is not None and field.role not in wanted.roles:
                roles = " or ".join(sorted(wanted.roles))
                text = f"{param}: column {name!r} must be tagged {roles}."
                raise EngineError("wrong-role", text, param=param)


P = TypeVar("P", bound=type[Parametric])


class Registry(Generic[P]):
    """The classes of one sort, by slug."""

    def __init__(self, sort: str) -> None:
        self.sort = sort
        self.classes: dict[str, P] = {}

    def register(self, cls: P) -> P:
        """Take a class in; two different classes cannot have one slug."""
        known = self.classes.get(cls.slug)
        if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ValueError(f"two {self.sort}s are called {cls.slug}: {known.__module__}, {cls.__module__}")
        self.classes[cls.slug] = cls
        return cls
