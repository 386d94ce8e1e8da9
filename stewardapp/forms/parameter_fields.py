"""One parameter's annotation → one Django field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from django import forms
from pydantic.fields import FieldInfo

from stewardapp.forms.sliders import LogSlider
from stewardapp.forms.structured_fields import JsonField, LinesField, MappingField, MatrixField
from worker.engine.contracts.annotations import AuxiliaryFile, Columns, LogScale, Transition, Unit
from worker.engine.tables.kinds import RELEASED, Kind, Role

Mark = TypeVar("Mark")
Common = dict[str, Any]


@dataclass(frozen=True)
class ColumnChoice:
    """A column of the version at hand, as far as a picker needs to know it."""

    name: str
    kind: Kind
    role: Role
    counted: bool = False
    """Whether its cells are declared."""


OF_PROJECT = "Upload it as a dataset of this project; it is read by the run alone, and never leaves."


class Offered(tuple[ColumnChoice, ...]):
    """The columns of the version at hand and, beside them, the population files of its project."""

    populations: Sequence[tuple[str, str]]
    file_help: str

    def __new__(
        cls,
        columns: Iterable[ColumnChoice],
        populations: Iterable[tuple[str, str]] = (),
        file_help: str = OF_PROJECT,
    ) -> Offered:
        """`populations` are pairs of what a recipe says and what people read."""
        made = super().__new__(cls, columns)
        made.populations, made.file_help = tuple(populations), file_help
        return made


def field_for(name: str, info: FieldInfo, columns: Sequence[ColumnChoice]) -> forms.Field:
    """The input that suits a parameter."""
    annotation, optional = without_none(info.annotation)
    common: Common = {
        "label": label(name, info),
        "help_text": info.description or "",
        "required": has_to_be_answered(info, annotation) and not optional,
    }
    suited = marker(info, Columns)
    if suited is not None:
        field = column_field(suited, annotation, columns, common)
    elif marker(info, AuxiliaryFile) is not None and isinstance(columns, Offered):
        field = population_field(columns, common)
    elif marker(info, Transition) is not None:
        field = MatrixField(**common)
    else:
        field = plain_field(annotation, info, common)
    if not info.is_required():
        field.initial = field.prepare_value(info.get_default(call_default_factory=True))
    return field


def has_to_be_answered(info: FieldInfo, annotation: Any) -> bool:
    """Whether an empty answer is none: no default, or a default that is not itself empty."""
    if info.is_required() or annotation is bool:
        return annotation is not bool
    return info.get_default(call_default_factory=True) not in (None, "", (), [], {})


def marker(info: FieldInfo, kind: type[Mark]) -> Mark | None:
    """The annotation of a given type that the parameter carries, if any."""
    return next((mark for mark in info.metadata if isinstance(mark, kind)), None)


def label(name: str, info: FieldInfo) -> str:
    """The parameter's title with its unit."""
    unit = marker(info, Unit)
    title = info.title or name.replace("_", " ").capitalize()
    return f"{title} ({unit.name})" if unit else title


def without_none(annotation: Any) -> tuple[Any, bool]:
    """The type inside `X | None`, and whether None was allowed."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    inner = [part for part in get_args(annotation) if part is not NoneType]
    optional = len(inner) < len(get_args(annotation))
    return (inner[0] if len(inner) == 1 else annotation), optional


def column_field(
    suited: Columns, annotation: Any, columns: Sequence[ColumnChoice], common: Common
) -> forms.Field:
    """A picker of one or several of the columns whose kind and role suit the parameter."""
    names = [column.name for column in columns if suits(column, suited)]
    common["error_messages"] = {"invalid_choice": "Choose among the columns that suit this parameter."}
    if annotation is not str:
        return forms.MultipleChoiceField(
            choices=[(name, name) for name in names], widget=forms.CheckboxSelectMultiple, **common
        )
    nothing = ("", "Choose a column" if common["required"] else "None")
    return forms.ChoiceField(choices=[nothing, *((name, name) for name in names)], **common)


def population_field(offered: Offered, common: Common) -> forms.Field:
    """A picker of the project's versions that can serve as a population."""
    common["help_text"] += f" {offered.file_help}"
    common["error_messages"] = {"invalid_choice": "Choose one of the versions offered."}
    return forms.ChoiceField(choices=[("", "Choose a file"), *offered.populations], **common)


def suits(column: ColumnChoice, suited: Columns) -> bool:
    """Whether a picker offers the column: of the right kind and role, and leaving unless asked for."""
    wanted = suited.roles is not None or column.role in RELEASED
    return wanted and suited.accepts(column.kind, column.role)


def plain_field(annotation: Any, info: FieldInfo, common: Common) -> forms.Field:
    """The input of a parameter that is not a column."""
    if get_origin(annotation) is Literal or is_enum(annotation):
        return choice_field(annotation, common)
    if annotation is bool:
        return forms.BooleanField(**{**common, "required": False})
    if annotation in NUMBERS:
        return NUMBERS[annotation](widget=number_widget(annotation, info), **common)
    if annotation is str:
        return forms.CharField(**common)
    return structured_field(annotation, common)


NUMBERS: dict[Any, Callable[..., forms.Field]] = {
    int: forms.IntegerField,
    float: forms.FloatField,
    Decimal: forms.DecimalField,
}


def is_enum(annotation: Any) -> bool:
    """Whether the parameter is one of an enumeration."""
    return isinstance(annotation, type) and issubclass(annotation, Enum)


def choice_field(annotation: Any, common: Common) -> forms.Field:
    """A list to choose from: the values of a Literal or of an enumeration."""
    values = [str(getattr(value, "value", value)) for value in options(annotation)]
    common["error_messages"] = {"invalid_choice": "Choose one of the values offered."}
    return ValueChoiceField(choices=[(value, words(value)) for value in values], **common)


def options(annotation: Any) -> Iterable[Any]:
    """What a Literal or an enumeration allows."""
    return get_args(annotation) if get_origin(annotation) is Literal else list(annotation)


def words(value: str) -> str:
    """A stored value as the words of a list."""
    text = value.replace("-", " ").replace("_", " ")
    return text[:1].upper() + text[1:]


class ValueChoiceField(forms.ChoiceField):
    """A choice whose initial value may be a member of an enumeration."""

    def prepare_value(self, value: Any) -> Any:
        return getattr(value, "value", value)


def number_widget(annotation: Any, info: FieldInfo) -> forms.NumberInput:
    """A number input, with a slider beside it where the scale is logarithmic."""
    scale, plain = marker(info, LogScale), number_input(annotation, info)
    return plain if scale is None else LogSlider(scale.low, scale.high, attrs=plain.attrs)


def number_input(annotation: Any, info: FieldInfo) -> forms.NumberInput:
    """A number input that knows the bounds; the engine still has the last word on them."""
    attrs: dict[str, Any] = {"step": "1" if annotation is int else "any", "inputmode": "decimal"}
    for mark in info.metadata:
        for bound, attribute in (("ge", "min"), ("gt", "min"), ("le", "max"), ("lt", "max")):
            if getattr(mark, bound, None) is not None:
                attrs[attribute] = getattr(mark, bound)
    return forms.NumberInput(attrs=attrs)


def structured_field(annotation: Any, common: Common) -> forms.Field:
    """Lists and mappings as lines of text; anything else as JSON."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (tuple, list, set, frozenset) and parts[:1] == (str,):
        return LinesField(**common)
    if origin is dict and parts[:1] == (str,):
        return MappingField(**common)
    return JsonField(**common)
