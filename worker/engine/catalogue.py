"""Everything registered, found by walking the packages: a new file alone suffices."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import Any

from worker.engine import goals as goals_package
from worker.engine import measures as measures_package
from worker.engine import methods as methods_package
from worker.engine.errors import EngineError
from worker.engine.goal import Goal
from worker.engine.goal import goals as _goals
from worker.engine.measure import Measure
from worker.engine.measure import measures as _measures
from worker.engine.method import Method
from worker.engine.method import methods as _methods
from worker.engine.parametric import P, Parametric, Registry


@cache
def _discover(package: ModuleType) -> None:
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(found.name)


def methods() -> dict[str, type[Method]]:
    """Every method by slug."""
    _discover(methods_package)
    return dict(sorted(_methods.classes.items()))


def goals() -> dict[str, type[Goal]]:
    """Every privacy model by slug."""
    _discover(goals_package)
    return dict(sorted(_goals.classes.items()))


def measures() -> dict[str, type[Measure]]:
    """Every measure by slug."""
    _discover(measures_package)
    return dict(sorted(_measures.classes.items()))


def method(slug: str) -> type[Method]:
    """One method."""
    return _named(methods(), _methods, slug)


def goal(slug: str) -> type[Goal]:
    """One privacy model."""
    return _named(goals(), _goals, slug)


def measure(slug: str) -> type[Measure]:
    """One measure."""
    return _named(measures(), _measures, slug)


def as_dict() -> dict[str, Any]:
    """The whole catalogue as plain JSON."""
    return {
        "methods": [
            _entry(c) | {"family": c.family, "guarantee": c.guarantee, "scope": c.scope}
            for c in methods().values()
        ],
        "goals": [_entry(c) for c in goals().values()],
        "measures": [
            _entry(c) | {"section": c.section, "explanations": dict(c.explanations)}
            for c in measures().values()
        ],
    }


def _entry(cls: type[Parametric]) -> dict[str, Any]:
    return {
        "slug": cls.slug,
        "title": cls.title,
        "summary": cls.in_short(),
        "references": list(cls.references),
        "parameters": [parameter.as_dict() for parameter in cls.parameters()],
        "schema": cls.model_json_schema(),
        "examples": [example.params() for example in cls.examples()],
    }


def _named(known: dict[str, P], registry: Registry[P], slug: str) -> P:
    try:
        return known[slug]
    except KeyError:
        text = f"There is no {registry.sort} with this name. Known: {', '.join(known)}."
        raise EngineError(f"no-such-{registry.sort}", text, param=registry.sort) from None
