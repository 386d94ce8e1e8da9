"""What a method, goal or measure can be told, read from its fields: for forms, help and the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from worker.engine.contracts.annotations import AuxiliaryFile, Columns, Unit

Params = Mapping[str, Any]
"""What a method, goal or measure is told: the class of that name checks it."""

NUMBERS = ("integer", "number", "decimal")
FILES = ("population", "file")


@dataclass(frozen=True)
class Parameter:
    """One thing to fill in. `type` is one of: integer, number, decimal, text, boolean, choice,
    column, columns, population, file, texts, levels, json.
    """

    name: str
    title: str
    help: str
    type: str
    required: bool
    default: Any = None
    minimum: Any = None
    maximum: Any = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    unit: str = ""
    columns: Columns | None = None
    optional: bool = False

    def as_dict(self) -> dict[str, object]:
        """Plain JSON, without what does not apply."""
        facts: dict[str, object] = {
            "name": self.name,
            "title": self.title,
            "help": self.help,
            "type": self.type,
        }
        facts["required"] = self.required
        if not self.required:
            facts["default"] = _plain(self.default)
        for key in ("minimum", "maximum"):
            if getattr(self, key) is not None:
                facts[key] = _plain(getattr(self, key))
                facts[f"exclusive_{key}"] = getattr(self, f"exclusive_{key}")
        if self.choices:
            facts["choices"] = [value for value, _ in self.choices]
        if self.unit:
            facts["unit"] = self.unit
        if self.columns is not None:
            facts["kinds"] = sorted(self.columns.kinds) if self.columns.kinds else None
            facts["roles"] = sorted(self.columns.roles) if self.columns.roles else None
        return facts


@dataclass(frozen=True)
class Problem:
    """Why one parameter is refused. An empty `param` means the parameters as a whole."""

    param: str
    message: str


@cache
def parameters_of(model: type[BaseModel]) -> tuple[Parameter, ...]:
    """The parameters of a class, in the order they are written."""
    return tuple(_parameter(name, field) for name, field in model.model_fields.items())


def problems_of(model: type[BaseModel], params: Params) -> tuple[Problem, ...]:
    """Everything that is wrong with the parameters, in sentences without values."""
    numbers = (one.name for one in parameters_of(model) if one.type in NUMBERS)
    if truths := [name for name in numbers if isinstance(params.get(name), bool)]:
        return tuple(Problem(name, "This should be a number, not true or false.") for name in truths)
    try:
        model.model_validate(dict(params))
    except ValidationError as error:
        known = ", ".join(model.model_fields) or "none"
        return tuple(problem(one, known) for one in error.errors(include_url=False, include_input=False))
    return ()


def problem(error: ErrorDetails, known: str) -> Problem:
    """One refusal in words that tell how to mend it and never quote what was given."""
    path = path_of(error["loc"])
    match error["type"]:
        case "extra_forbidden":
            return Problem(path, f"There is no such parameter. Known parameters: {known}.")
        case "missing":
            return Problem(path, "This parameter is required.")
        case "value_error":
            return Problem(path, str(error.get("ctx", {}).get("error", "This value is not allowed.")))
    words = error["msg"].replace("Input should be", "This should be").rstrip(".")
    return Problem(path, words + ".")


def path_of(location: tuple[int | str, ...]) -> str:
    """`steps[0].params.base` from a location."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _parameter(name: str, field: FieldInfo) -> Parameter:
    annotation, optional = _without_none(field.annotation)
    columns = next((m for m in field.metadata if isinstance(m, Columns)), None)
    unit = next((m.name for m in field.metadata if isinstance(m, Unit)), "")
    file = next((m for m in field.metadata if isinstance(m, AuxiliaryFile)), None)
    default = None if field.default is PydanticUndefined else field.get_default(call_default_factory=True)
    low = next((m for m in field.metadata if isinstance(m, Ge | Gt)), None)
    high = next((m for m in field.metadata if isinstance(m, Le | Lt)), None)
    return Parameter(
        name=name,
        title=field.title or name.replace("_", " ").capitalize(),
        help=field.description or "",
        type=file.type if file else _type(annotation, columns),
        required=field.is_required(),
        default=default,
        minimum=low.ge if isinstance(low, Ge) else low.gt if low else None,
        maximum=high.le if isinstance(high, Le) else high.lt if high else None,
        exclusive_minimum=isinstance(low, Gt),
        exclusive_maximum=isinstance(high, Lt),
        choices=_choices(annotation),
        unit=unit,
        columns=columns,
        optional=optional,
    )


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    rest = [one for one in get_args(annotation) if one is not NoneType]
    return (rest[0] if len(rest) == 1 else annotation), len(rest) < len(get_args(annotation))


def _type(annotation: Any, columns: Columns | None) -> str:
    if columns is not None:
        return "columns" if get_origin(annotation) is tuple else "column"
    if _choices(annotation):
        return "choice"
    name = getattr(annotation, "__name__", "")
    plain = {"int": "integer", "float": "number", "Decimal": "decimal", "str": "text", "bool": "boolean"}
    if name in plain and get_origin(annotation) is None:
        return plain[name]
    if get_origin(annotation) is tuple and get_args(annotation) == (str, ...):
        return "texts"
    if get_origin(annotation) is dict and get_args(annotation)[1] == tuple[int, int]:
        return "levels"
    return "json"


def _choices(annotation: Any) -> tuple[tuple[str, str], ...]:
    if get_origin(annotation) is Literal:
        return tuple((str(value), _label(str(value))) for value in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple((str(one.value), _label(str(one.value))) for one in annotation)
    return ()


def _label(value: str) -> str:
    return value.replace("-", " ").capitalize()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | dict | NoneType) else str(value)
