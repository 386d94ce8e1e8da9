"""What the pages say about methods, goals and measures: read from the engine's catalogue, nothing added."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from stewardapp.presenters.measures import ARROWS, help_of
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.parameters import Parameter as Told
from worker.engine.contracts.parameters import Params
from worker.engine.dp.promises import GUARANTEED

KINDS: dict[str, tuple[str, str, Callable[[], Mapping[str, Any]]]] = {
    "methods": ("Methods", "What can be done to the data.", catalogue.methods),
    "goals": ("Goals", "What must hold on the released bytes.", catalogue.goals),
    "measures": ("Measures", "Readings of risk and utility, before and after.", catalogue.measures),
}


@dataclass(frozen=True)
class Parameter:
    """One row of the table of parameters."""

    name: str
    title: str
    kind: str
    default: str
    bounds: str
    help: str


@dataclass(frozen=True)
class FigureLine:
    """One figure of a measure and how to read it."""

    name: str
    title: str
    unit: str
    better: str
    explanation: str
    public: bool


@dataclass(frozen=True)
class Entry:
    """One method, goal or measure as its page shows it."""

    kind: str
    slug: str
    title: str
    summary: str
    body: tuple[str, ...]
    family: str
    guarantee: str
    scope: str
    references: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    examples: tuple[str, ...]
    figures: tuple[FigureLine, ...]


@dataclass(frozen=True)
class Group:
    """One kind and everything registered under it."""

    kind: str
    title: str
    lead: str
    entries: tuple[Entry, ...]


def groups() -> tuple[Group, ...]:
    """Everything in the catalogue, by kind."""
    return tuple(
        Group(kind, title, lead, tuple(entry(kind, found) for found in listed().values()))
        for kind, (title, lead, listed) in KINDS.items()
    )


def find(kind: str, slug: str) -> Entry | None:
    """One entry of the catalogue."""
    found = KINDS[kind][2]().get(slug) if kind in KINDS else None
    return entry(kind, found) if found is not None else None


def entry(kind: str, contract: Any) -> Entry:
    """What a class says about itself."""
    summary, *body = paragraphs(contract)
    guarantee = getattr(contract, "guarantee", "")
    body += [GUARANTEED[guarantee]] if guarantee in GUARANTEED else []
    return Entry(
        kind=kind,
        slug=contract.slug,
        title=contract.title,
        summary=summary,
        body=tuple(body),
        family=words(getattr(contract, "family", "")),
        guarantee=words(guarantee),
        scope=words(getattr(contract, "scope", "")),
        references=tuple(getattr(contract, "references", ())),
        parameters=tuple(parameter(told) for told in contract.parameters()),
        examples=tuple(example(kind, contract.slug, one.params()) for one in contract.examples()),
        figures=tuple(figure_line(one) for one in getattr(contract, "figures", ())),
    )


def figure_line(figure: Figure) -> FigureLine:
    """What a figure says of itself."""
    per = "" if figure.per == "once" else f" per {figure.per}"
    unit = UNITS.get(figure.unit, figure.unit) + per
    return FigureLine(figure.name, figure.title, unit, ARROWS[figure.better], help_of(figure), figure.public)


UNITS = {"column": "in the unit of its column", "words": "in words"}


def example(kind: str, slug: str, params: Params) -> str:
    """An entry of a recipe, as JSON."""
    return json.dumps({kind.removesuffix("s"): slug, "params": params}, indent=2, ensure_ascii=False)


def paragraphs(contract: Any) -> list[str]:
    """The docstring as paragraphs without line breaks."""
    text = contract.documentation() or str(contract.title)
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def words(value: Any) -> str:
    """A member of an enumeration in words."""
    text = str(getattr(value, "value", value)).replace("-", " ").replace("_", " ")
    return text[:1].upper() + text[1:]


def parameter(told: Told) -> Parameter:
    """One row of the table of parameters."""
    return Parameter(
        name=told.name,
        title=f"{told.title} ({told.unit})" if told.unit else told.title,
        kind=kind_words(told),
        default="required" if told.required else value_words(told.default),
        bounds=bounds(told),
        help=told.help,
    )


def kind_words(told: Told) -> str:
    """What to fill in, in words."""
    if told.choices:
        return "one of " + ", ".join(value for value, _ in told.choices)
    return KIND_WORDS.get(told.type, told.type)


KIND_WORDS = {
    "integer": "whole number",
    "boolean": "yes or no",
    "column": "a column",
    "columns": "columns",
    "population": "a population file",
    "file": "a file",
    "texts": "lines of text",
    "levels": "two numbers per column",
    "json": "JSON",
}


def bounds(told: Told) -> str:
    """What a number may be."""
    low = None if told.minimum is None else f"{'>' if told.exclusive_minimum else '≥'} {told.minimum}"
    high = None if told.maximum is None else f"{'<' if told.exclusive_maximum else '≤'} {told.maximum}"
    return ", ".join(part for part in (low, high) if part)


def value_words(value: Any) -> str:
    """A default in words."""
    if value is None or value in ([], (), {}, ""):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return words(value) if isinstance(value, Enum) else str(value)
