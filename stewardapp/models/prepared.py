"""Questions whose SQL is written once in a process: afterwards only what they are about is put in.

Django writes the SQL of a question anew each time it is asked, which takes longer than the answer.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar
from uuid import UUID, uuid4

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Func, IntegerField, QuerySet, Value

Row = TypeVar("Row")
Asked = ParamSpec("Asked")
About: TypeAlias = UUID | datetime | str | None
HOW_MANY = Func(Value(1), function="COUNT", output_field=IntegerField())
"""For `values_list`: how many rows there are."""
IS_THERE = Value(1)
"""For `values_list`, of the first row: whether there is any."""


def prepared(build: Callable[Asked, QuerySet[Any, Row]]) -> Callable[Asked, list[Row]]:
    """The answers to a question that `build` writes as a QuerySet.

    It is about keys, texts, moments and users, which it must use as they are: of a user, the key and what
    kind of user it is. Anything else – a flag, a state – makes another question.
    """
    kept: dict[tuple[object, ...], _Question[Row] | None] = {}

    @wraps(build)
    def answers(*args: Asked.args, **kwargs: Asked.kwargs) -> list[Row]:
        if kwargs:
            raise TypeError("what a prepared question is about is given by its place")
        kind = (connections[DEFAULT_DB_ALIAS].vendor, *map(_kind, args))
        if kind not in kept:
            kept[kind] = _written(build, args)
        question = kept[kind]
        return [] if question is None else question.answers(list(map(_about, args)))

    return answers


def _kind(value: object) -> object:
    """What of a value the SQL depends on."""
    if isinstance(value, AbstractUser):
        return (AbstractUser, *_flags(value).values())
    if isinstance(value, AnonymousUser):
        return AnonymousUser
    return value if _about(value) is None else type(value)


def _flags(user: AbstractUser) -> dict[str, bool]:
    return {name: getattr(user, name) for name in ("is_active", "is_staff", "is_officer")}


def _about(value: object) -> About:
    """What is put in for a value, if anything."""
    if isinstance(value, AbstractUser):
        key: UUID = value.pk
        return key
    return value if isinstance(value, UUID | datetime) or type(value) is str else None


def _stand_in(value: object) -> object:
    """A value like it that occurs nowhere."""
    if isinstance(value, AbstractUser):
        return value.__class__(id=uuid4(), **_flags(value))  # type: ignore[misc]
    if _about(value) is None:
        return value
    if isinstance(value, datetime):
        return datetime.fromtimestamp(uuid4().int % 10**9, value.tzinfo)
    return uuid4() if isinstance(value, UUID) else str(uuid4())


def _written(build: Callable[..., QuerySet[Any, Row]], args: tuple[object, ...]) -> _Question[Row] | None:
    """The question, unless nothing can answer it."""
    try:
        return _Question(build, [_stand_in(one) for one in args])
    except EmptyResultSet:
        return None


class _Question(Generic[Row]):
    """The SQL, and what stands where among its parameters."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], args: list[object]) -> None:
        self.rows = build(*args)
        self.compiler = self.rows.query.get_compiler(using=DEFAULT_DB_ALIAS)
        self.sql, self.params = self.compiler.as_sql()
        self.places = list(_places(self.params, [_about(one) for one in args]))
        used = {number for _, number, _ in self.places}
        if any(number not in used and _must_be_used(one) for number, one in enumerate(args)):
            raise TypeError(f"{build.__name__} does not use as it is what it is asked about")
        filled = {place for place, _, _ in self.places}
        if any(_is_moment(one) for place, one in enumerate(self.params) if place not in filled):
            raise TypeError(f"{build.__name__} would ask about the same moment for ever")

    def answers(self, about: list[About]) -> list[Row]:
        """Ask, and make of the answer what Django would."""
        params, forms = list(self.params), list(map(_forms, about))
        for place, number, form in self.places:
            params[place] = forms[number][form]
        compiler = copy.copy(self.compiler)
        compiler.connection = connections[DEFAULT_DB_ALIAS]  # each thread has its own
        vars(compiler)["as_sql"] = lambda: (self.sql, tuple(params))
        rows: QuerySet[Any, Row] = object.__new__(type(self.rows))
        vars(rows).update(vars(self.rows), _query=_Ready(compiler), _hints={}, _known_related_objects={})
        return list(rows)


class _Ready:
    """Stands where a QuerySet has its query, and is one already."""

    def __init__(self, compiler: object) -> None:
        self.compiler = compiler

    def get_compiler(self, *_: object, **__: object) -> object:
        return self.compiler


def _places(params: tuple[object, ...], about: list[About]) -> Iterator[tuple[int, int, int]]:
    """Where each is put in, and in which form."""
    for place, param in enumerate(params):
        for number, one in enumerate(about):
            if param is not None and param in (forms := _forms(one)):
                yield place, number, forms.index(param)


def _forms(value: About) -> list[object]:
    """A value as it is, and as databases keep it that know no such thing."""
    if isinstance(value, UUID):
        return [value, value.hex]
    if isinstance(value, datetime):
        return [value, connections[DEFAULT_DB_ALIAS].ops.adapt_datetimefield_value(value)]
    return [value]


def _must_be_used(value: object) -> bool:
    """Whether an answer that does not depend on it is wrong; who administers may see all there is."""
    if isinstance(value, AbstractUser):
        return _flags(value) == {"is_active": True, "is_staff": False, "is_officer": False}
    return _about(value) is not None


def _is_moment(param: object) -> bool:
    if isinstance(param, str):
        with suppress(ValueError):
            param = datetime.fromisoformat(param)
    return isinstance(param, date)
