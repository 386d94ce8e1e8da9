"""Commands that carry out, measure and verify recipes on files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worker.commands.plain_files import (
    declared_files,
    declared_sources,
    finished,
    opened,
    other_releases,
    out_delimiter,
    output_kind,
    read_recipe,
    sha256,
    told,
)
from worker.engine.contracts.result import State
from worker.engine.errors import EngineError, NoSolution
from worker.engine.reporting import TerminalReporter
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.recipes.report import Report

SHORTEST_KEY = 32
NOT_CHARGED = (
    "No budget was charged: the command line keeps no ledger. Every further run adds to the privacy loss."
)
PERSONS_NEEDED = (
    "--persons: the goals count persons, whom the released file does not show. Give the file that "
    "anonymize --persons wrote beside it."
)
DONE, UNSATISFIED = 0, 3


def anonymize(args: Any, reporter: TerminalReporter) -> int:
    """Carry out a recipe."""
    from worker.engine.execution import local

    if args.cluster:
        raise EngineError(
            "no-cluster", "--cluster: this version runs on one machine only. Leave the option out."
        )
    recipe = read_recipe(args.recipe, args.hierarchies)
    if args.seed is not None and recipe.differentially_private:
        text = "--seed: refused, because a step promises differential privacy. Leave the option out."
        raise EngineError("seed-refused", text)
    if recipe.tabulates and (args.records or args.keep_order):
        text = "A table of counts has no input rows: leave out --records and --keep-order."
        raise EngineError("no-rows", text)
    if args.persons and (recipe.tabulates or not has_persons(recipe)):
        text = "--persons: no column of the recipe tells persons apart, or it makes a table. Leave it out."
        raise EngineError("no-persons", text)
    kind = output_kind(args.out)
    reporter.nodes_wanted = args.nodes
    with ExitStack() as files:
        hashed = hashed_beside(files, args.data) if args.report else None
        source, delimiter = opened(files, args.data, recipe, memory=args.memory)
        outputs = [
            local.Output(kind, files.enter_context(finished(args.out)), out_delimiter(args.out, delimiter))
        ]
        report = local.anonymize(
            recipe,
            source,
            outputs,
            key=drawing_key(args.seed),
            reporter=reporter,
            memory=args.memory,
            keep_order=args.keep_order,
            **declared_sources(files, recipe, args.recipe.parent),
            releases=other_releases(files, args.other_release, recipe),
            records=files.enter_context(finished(args.records)) if args.records else None,
            persons=files.enter_context(finished(args.persons)) if args.persons else None,
            project_key=project_key(args.project_key) if args.project_key else None,
            measuring=bool(args.report or args.records),
        )
        name_unmeasured(report, reporter)
        held = all(goal["holds"] for goal in report.goals)
        if not held and not args.keep_failed:
            raise not_held(report.goals)
        if recipe.tabulates:
            report.privacy_loss["charged"] = False
            report.warnings.append(NOT_CHARGED)
            reporter.close()
            sys.stderr.write(NOT_CHARGED + "\n")
        if args.seed is not None:
            report.engine["seed"] = args.seed
            report.warnings.append("The randomness came from a seed, which undoes it: a trial, no release.")
        if hashed is not None:
            report.input["sha256"] = hashed.result()
            files.enter_context(finished(args.report)).write(report.to_json().encode())
    return DONE if held else UNSATISFIED


def name_unmeasured(report: Report, reporter: TerminalReporter) -> None:
    """A line for each measure that failed or was too large: everything else was done all the same."""
    missing = [one for one in report.measures if one.state in (State.FAILED, State.TOO_LARGE)]
    if missing:
        reporter.close()
    for one in missing:
        sys.stderr.write(f"Not measured: {one.measure}. {' '.join((one.reason or '').split())}\n")


def hashed_beside(files: ExitStack, data: Path) -> Future[str]:
    """The hash of a file, which the report tells, worked out while the rows are."""
    return files.enter_context(ThreadPoolExecutor(1)).submit(sha256, data)


def drawing_key(seed: int | None) -> bytes:
    """What everything random is drawn with."""
    from worker.engine.randomness import fresh_key, key_from_seed

    return fresh_key() if seed is None else key_from_seed(seed)


def has_persons(recipe: Recipe) -> bool:
    """Whether a column tells persons apart."""
    return any(part.role is Role.PERSON_KEY for part in recipe.columns.values())


def not_held(goals: Sequence[Mapping[str, Any]]) -> NoSolution:
    """The refusal of a file that was made and is not what was promised."""
    failed = " and ".join(dict.fromkeys(str(goal["goal"]) for goal in goals if not goal["holds"]))
    text = f"On what was made, {failed} does not hold, so no file was written. Add or change a step, lower "
    return NoSolution("goals-not-held", text + "the goal, or look at the file with --keep-failed.")


def project_key(path: Path) -> bytes:
    """The key of a project's pseudonyms from its file."""
    key = path.read_bytes()
    if len(key) < SHORTEST_KEY:
        text = f"--project-key: the file must hold at least {SHORTEST_KEY} random bytes."
        raise EngineError("short-key", text)
    return key


def assess(args: Any, reporter: TerminalReporter) -> int:
    """Measure the data as they are."""
    from worker.engine.execution import assessing

    recipe = read_recipe(args.recipe, args.hierarchies)
    with ExitStack() as files:
        source, _ = opened(files, args.data, recipe, memory=args.memory)
        report = assessing.assess(
            recipe,
            source,
            key=drawing_key(args.seed),
            reporter=reporter,
            memory=args.memory,
            **declared_sources(files, recipe, args.recipe.parent),
            releases=other_releases(files, args.other_release, recipe),
            records=files.enter_context(finished(args.records)) if args.records else None,
            input_sha256=sha256(args.data),
        )
    name_unmeasured(report, reporter)
    return told(report.to_json(), args.report, reporter)


def compare(args: Any, reporter: TerminalReporter) -> int:
    """Measure a released file against its original."""
    from worker.engine.execution import assessing

    recipe = read_recipe(args.recipe, args.hierarchies)
    with ExitStack() as files:
        original, _ = opened(files, args.original, recipe, memory=args.memory)
        released, _ = opened(files, args.released, recipe, released=True, memory=args.memory)
        report = assessing.compare(
            recipe,
            original,
            released,
            key=drawing_key(args.seed),
            reporter=reporter,
            memory=args.memory,
            **declared_sources(files, recipe, args.recipe.parent),
            releases=other_releases(files, args.other_release, recipe),
            input_sha256=sha256(args.original),
            output_sha256=sha256(args.released),
        )
    name_unmeasured(report, reporter)
    return told(report.to_json(), args.report, reporter)


def verify(args: Any, reporter: TerminalReporter) -> int:
    """Recompute the goals from the bytes."""
    from worker.engine import verification

    recipe = read_recipe(args.recipe, args.hierarchies)
    if recipe.goals and has_persons(recipe) and not args.persons:
        raise EngineError("persons-needed", PERSONS_NEEDED)
    with ExitStack() as files:
        released = files.enter_context(args.released.open("rb"))
        persons = files.enter_context(args.persons.open("rb")) if args.persons else None
        declared = declared_files(files, recipe, args.recipe.parent)
        found = verification.examine(recipe, released, reporter, persons, **declared)
    unexpected = () if recipe.tabulates else found.unexpected_names
    result = {
        "holds": found.holds,
        "goals": [one.as_dict() for one in found.results],
        "rows": found.rows,
        "suppressed_rows": found.suppressed_rows,
        "suppressed_hold": list(found.suppressed_hold),
        "unit": found.unit,
        "unexpected_columns": list(unexpected),
        "direct_identifiers": [name for name in unexpected if _is_identifier(recipe, name)],
    }
    told(json.dumps(result, indent=2) + "\n", None, reporter)
    if unexpected:
        sys.stderr.write(f"Columns that the recipe does not release: {', '.join(map(repr, unexpected))}.\n")
    return DONE if found.holds and not unexpected else UNSATISFIED


def _is_identifier(recipe: Recipe, name: str) -> bool:
    return name in recipe.columns and recipe.columns[name].role is Role.DIRECT_IDENTIFIER
