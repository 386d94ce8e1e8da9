"""What a step decided, in words: facts are numbers, words, and lists and tables of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stewardapp.presenters.numbers import duration, thousands

TIMES = ("plan_seconds", "transform_seconds", "minimal_seconds")
SHOWN = 5


def fact_words(name: str, value: Any) -> str:
    """One fact; long lists are cut short."""
    if isinstance(value, Mapping):
        parts = (f"{key}: {part_words(name, part)}" for key, part in value.items())
        return ", ".join(parts) or "–"
    if isinstance(value, list):
        told = "; ".join(fact_words(name, part) for part in value[:SHOWN])
        return told + (" …" if len(value) > SHOWN else "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return duration(value) if name in TIMES else thousands(value)


def part_words(name: str, part: Any) -> str:
    """One of several: a plain value as it is."""
    if isinstance(part, Mapping):
        return f"({fact_words(name, part)})"
    return str(part)


def is_single(value: Any) -> bool:
    """Whether a fact is one number or word."""
    return value is not None and not isinstance(value, Mapping | list)
