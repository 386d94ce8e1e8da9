"""The page of docs/ with everything that a file of one's own may use, read from the source of the classes."""

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from textwrap import dedent
from typing import Any

from worker.engine import randomness, reporting
from worker.engine.contracts import annotations, chart, facts, figure, goal, measure, method, scene, traces
from worker.engine.errors import EngineError
from worker.engine.marginals import distributions
from worker.engine.tables import (
    classes,
    column,
    frequency,
    kinds,
    passes,
    questions,
    statistics,
    summaries,
    table,
)
from worker.engine.verification import finding, grouping, released

Thing = type | Callable[..., Any]
OURS = ("worker.",)

PARTS: dict[str, tuple[Thing, ...]] = {
    "What all of them use": (
        annotations.Columns,
        annotations.Unit,
        annotations.AuxiliaryFile,
        kinds.Kind,
        kinds.Role,
        EngineError,
        randomness.Source,
        reporting.Reporter,
    ),
    "Rows, columns and counts": (
        statistics.Statistics,
        frequency.FrequencyTable,
        frequency.Domain,
        passes.Moments,
        summaries.Covariance,
        table.Schema,
        table.Field,
        table.Table,
        column.Column,
    ),
    "A measure": (
        measure.Measure,
        measure.Section,
        figure.Figure,
        measure.Found,
        measure.DoesNotApply,
        measure.Effort,
        scene.Outlook,
        scene.Side,
        scene.Scene,
        scene.Outside,
        chart.Chart,
        chart.Axis,
        chart.Series,
        chart.Threshold,
        distributions.shares_of,
        questions.CountsOf,
        questions.MomentsOf,
        questions.CovarianceOf,
        questions.distinct_of,
        questions.classes_of,
    ),
    "A method": (
        method.Method,
        method.Family,
        method.Guarantee,
        method.Scope,
        method.Plan,
        facts.Facts,
        traces.Trace,
    ),
    "A goal": (
        goal.Goal,
        goal.Demand,
        classes.Classes,
        classes.Contents,
    ),
    "A goal, recomputed": (
        finding.Check,
        finding.Finding,
        finding.Farthest,
        finding.Range,
        finding.WholeRelease,
        finding.tally_of,
        finding.share,
        finding.number,
        grouping.Group,
        grouping.Contents,
        released.Released,
    ),
}

INTRODUCTION = """# What a file may use

Everything that a measure, a method or a goal is given, and what can be asked of it. How such a file is
written, with an example of each, says [Adding to it](adding.md). Below each name stands the module to
import it from.
"""


@dataclass(frozen=True)
class Member:
    """What a class has under one name: as it is spelled, and in words, where there are any."""

    name: str
    spelled: str
    about: str


def interfaces_page() -> str:
    """Return every class and function that a file of one's own may use, with what can be asked of it."""
    parts = [INTRODUCTION]
    for title, things in PARTS.items():
        parts.append(f"## {title}\n")
        parts += [_of_class(one) if isinstance(one, type) else _of_function(one) for one in things]
    return "\n".join(parts)


def _of_class(cls: type) -> str:
    told = members(cls)
    plain = ", ".join(f"`{one.spelled}`" for one in told if not one.about)
    rows = [f"| `{in_cell(one.spelled)}` | {in_cell(one.about)} |" for one in told if one.about]
    lines = [f"It has {plain}.", ""] if plain else []
    lines += ["| what | about |", "|---|---|", *rows, ""] if rows else []
    return "\n".join([_head(cls.__name__, cls), *lines])


def _of_function(function: Callable[..., Any]) -> str:
    (parsed,) = ast.parse(dedent(inspect.getsource(function))).body
    assert isinstance(parsed, ast.FunctionDef)
    return _head(_call(parsed), function)


def _head(name: str, thing: Thing) -> str:
    return f"### `{name}`\n\n`{thing.__module__}`\n\n{inspect.getdoc(thing)}\n"


def in_cell(text: str) -> str:
    """A stroke would end the cell."""
    return text.replace("|", "\\|")


def members(cls: type) -> tuple[Member, ...]:
    """What is public of a class and of those of ours that it builds on, its own first."""
    found: dict[str, Member] = {}
    for base in cls.__mro__:
        if base.__module__.startswith(OURS):
            for one in _own(base):
                found.setdefault(one.name, one)
    return tuple(found.values())


def _own(cls: type) -> Iterator[Member]:
    """Fields, with the words below them, and functions that have words."""
    (parsed,) = ast.parse(dedent(inspect.getsource(cls))).body
    assert isinstance(parsed, ast.ClassDef)
    for node, after in zip_longest(parsed.body, parsed.body[1:]):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                yield Member(name, _field(node), _words(after))
            case ast.Assign(targets=[ast.Name(id=name)]) if issubclass(cls, Enum):
                yield Member(name, name, _words(after))
            case ast.FunctionDef(name=name) if not name.startswith("_") and ast.get_docstring(node):
                yield Member(name, _asked(node), _joined(ast.get_docstring(node) or ""))


def _field(field: ast.AnnAssign) -> str:
    """With its default where that is a plain value."""
    default = f" = {ast.unparse(field.value)}" if isinstance(field.value, ast.Constant) else ""
    return f"{ast.unparse(field.target)}: {ast.unparse(field.annotation)}{default}"


def _asked(function: ast.FunctionDef) -> str:
    """A property as a field is; any other function as it is called, without what stands before the dot."""
    marks = {ast.unparse(one) for one in function.decorator_list}
    if marks & {"property", "cached_property"}:
        return f"{function.name}: {_returned(function)}"
    del function.args.args[0]
    return _call(function)


def _call(function: ast.FunctionDef) -> str:
    return f"{function.name}({ast.unparse(function.args)}) -> {_returned(function)}"


def _returned(function: ast.FunctionDef) -> str:
    assert function.returns is not None, "the types are checked"
    return ast.unparse(function.returns)


def _words(node: ast.stmt | None) -> str:
    """A text that stands by itself below a field."""
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return _joined(text)
    return ""


def _joined(text: str) -> str:
    """The first paragraph on one line."""
    return " ".join(text.split("\n\n")[0].split())
