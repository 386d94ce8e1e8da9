"""Every goal of a recipe, judged on the bytes."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import BinaryIO, Protocol, TypedDict

from worker.engine import verification
from worker.engine.contracts.goal import GoalResult
from worker.engine.errors import EngineError
from worker.engine.reporting import NullReporter, Reporter
from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.verification.finding import Check, ColumnSaid, Facts, Finding, Params
from worker.engine.verification.grouping import MOST_TUPLES, Grouping
from worker.engine.verification.released import Released


class GoalSaid(TypedDict, total=False):
    """A goal as the recipe spells it."""

    goal: str
    params: Params


class StepSaid(TypedDict, total=False):
    """A step as the recipe spells it."""

    params: Params


class DataSaid(TypedDict, total=False):
    """How the data file is read."""

    missing: Sequence[str] | None


class Said(TypedDict, total=False):
    """A recipe as JSON spells it: this room reads it by itself, and no more of it than goals hang on."""

    columns: Mapping[str, ColumnSaid]
    goals: Sequence[GoalSaid]
    steps: Sequence[StepSaid]
    data: DataSaid


class Canonical(Protocol):
    """A recipe that can be written down."""

    def canonical_json(self) -> str:
        """As JSON."""


@dataclass(frozen=True)
class Verification:
    """What the bytes say.

    `results` judge the classes; the suppressed rows (all quasi-identifiers `*`) are judged beside them, as a
    set. `unexpected` are the positions of columns that the recipe does not release, and `unexpected_names`
    their names.
    """

    results: tuple[GoalResult, ...]
    rows: int
    suppressed_rows: int
    suppressed_hold: tuple[bool, ...]
    unit: str
    unexpected: tuple[int, ...]
    unexpected_names: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every goal holds."""
        return all(result.holds for result in self.results)


def verify(
    recipe: Canonical | Said | str, released: BinaryIO, reporter: Reporter | None = None
) -> tuple[GoalResult, ...]:
    """Recompute every goal from a released CSV or Parquet file."""
    return examine(recipe, released, reporter).results


def examine(
    recipe: Canonical | Said | str,
    released: BinaryIO,
    reporter: Reporter | None = None,
    persons: BinaryIO | None = None,
    most_tuples: int = MOST_TUPLES,
    hierarchies: Mapping[str, str] | None = None,
    populations: Mapping[str, BinaryIO] | None = None,
) -> Verification:
    """The same, with what else the bytes tell. `persons`: a 64-bit number per released row, little-endian.

    `hierarchies` and `populations` hold the files that the recipe refers to, by the path it gives.
    """
    said = _plain(recipe)
    reporter = reporter or NullReporter()
    reporter.stage("Checking the released file")
    file = Released(released, tuple(said.get("columns", ())), persons)
    missing = frozenset(said.get("data", {}).get("missing") or ())
    facts = Facts(said.get("columns", {}), missing, hierarchies or {}, populations or {})
    checks = [_check(position, goal, facts) for position, goal in enumerate(said.get("goals", ()))]
    most = MOST_TUPLES**2 if any(getattr(check, "whole", False) for check in checks) else most_tuples
    grouping = _grouping(said, checks, file, most)
    return _judged(checks, grouping, reporter.checkpoint, _unexpected(said, file))


def _plain(recipe: Canonical | Said | str) -> Said:
    if isinstance(recipe, Mapping):
        return recipe
    text = recipe if isinstance(recipe, str) else recipe.canonical_json()
    plain: Said = json.loads(text)
    return plain


def checkers() -> dict[str, Callable[[Params], Check]]:
    """The goals that can be recomputed, by slug."""
    found = {}
    for module in pkgutil.iter_modules(verification.__path__):
        loaded = import_module(f"{verification.__name__}.{module.name}")
        if slug := getattr(loaded, "SLUG", None):
            found[slug] = loaded.Check
    return found


def _check(position: int, goal: GoalSaid, facts: Facts) -> Check:
    known = checkers()
    path = f"goals[{position}]"
    slug = goal.get("goal", "")
    if slug not in known:
        raise EngineError("not-verified", "This goal cannot be recomputed from a released file.", path)
    try:
        check = known[slug](goal.get("params", {}))
        if told := getattr(check, "told", None):
            told(facts)
        return check
    except EngineError as error:
        raise EngineError(error.code, error.message, f"{path}.params.{error.param}") from None


def _grouping(said: Said, checks: Sequence[Check], file: Released, most: int) -> Grouping:
    columns = said.get("columns", {})
    wanted = [name for name, column in columns.items() if column.get("role") == Role.QUASI_IDENTIFIER]
    quasi = tuple(name for column in wanted if (name := file.name_of(column)))
    sensitive = {_sensitive(check.column, file) for check in checks if check.column is not None}
    return Grouping(file, quasi, tuple(sorted(sensitive)), most)


def _sensitive(column: str, file: Released) -> str:
    name = file.name_of(column)
    if name is None:
        raise EngineError(
            "verify-column",
            f"The released file has no column {column!r}, which a goal judges. Release it, or drop the goal.",
            f"columns.{column}",
        )
    return name


def _unexpected(said: Said, file: Released) -> tuple[int, ...]:
    """Columns in the file whose role keeps them in. A step may put something in place of an identifier."""
    mentioned = json.dumps([step.get("params", {}) for step in said.get("steps", ())], ensure_ascii=False)
    leaving = set()
    for name, column in said.get("columns", {}).items():
        role = column.get("role")
        replaced = role == Role.DIRECT_IDENTIFIER and json.dumps(name, ensure_ascii=False) in mentioned
        if role in RELEASED or replaced or (role == Role.WEIGHT and column.get("release")):
            leaving.add(file.name_of(name))
    return tuple(at for at, name in enumerate(file.names, start=1) if name not in leaving)


def _judged(
    checks: Sequence[Check], grouping: Grouping, checkpoint: Callable[[], None], unexpected: tuple[int, ...]
) -> Verification:
    kept: list[Finding | None] = [None] * len(checks)
    hidden: list[Finding | None] = [None] * len(checks)
    rows = hidden_rows = 0
    for is_hidden, group in grouping.groups(checkpoint):
        here = int(group.rows.sum())
        rows, hidden_rows = rows + here, hidden_rows + here * is_hidden
        found = hidden if is_hidden else kept
        for i, check in enumerate(checks):
            before, here_found = found[i], check.find(group, grouping.released)
            found[i] = here_found if before is None else before.joined(here_found)
    if rows == hidden_rows:  # then they are a class like any other
        kept, hidden, hidden_rows = hidden, [None] * len(checks), 0
    for i, (check, finding) in enumerate(zip(checks, kept, strict=True)):
        if finding is not None and (concluded := getattr(check, "concluded", None)):
            kept[i] = concluded(finding)
    return Verification(
        results=tuple(
            _result(check, finding or _NOTHING) for check, finding in zip(checks, kept, strict=True)
        ),
        rows=rows,
        suppressed_rows=hidden_rows,
        suppressed_hold=tuple((finding or _NOTHING).holds for finding in hidden),
        unit="person" if grouping.released.knows_persons else "row",
        unexpected=unexpected,
        unexpected_names=tuple(grouping.released.names[at - 1] for at in unexpected),
    )


_NOTHING = Finding(None, 0)


def _result(check: Check, finding: Finding) -> GoalResult:
    return GoalResult(
        goal=check.slug,
        required=check.required,
        achieved=finding.achieved,
        holds=finding.holds,
        violating_rows=finding.violating_rows,
        column=check.column,
        remark=finding.remark,
        demands=check.demands(finding) if hasattr(check, "demands") else (),
    )
