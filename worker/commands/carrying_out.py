"""Commands that carry out, measure and verify recipes on files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worker.engine.errors import EngineError, NoSolution
from worker.engine.fields import Role
from worker.engine.reporting import TerminalReporter
from worker.plain_files import (
    declared_files,
    declared_sources,
    finished,
    opened,
    out_delimiter,
    output_kind,
    read_recipe,
    sha256,
    told,
)

if TYPE_CHECKING:
    from worker.engine.recipe import Recipe

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
    from worker.engine.randomness import fresh_key, key_from_seed

    if args.cluster:
        raise EngineError(
            "no-cluster", "--cluster: this version runs on one machine only. Leave the option out."
        )
    recipe = read_recipe(args.recipe)
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
    with ExitStack() as files:
        hashed = files.enter_context(ThreadPoolExecutor(1)).submit(sha256, args.data)
        source, delimiter = opened(files, args.data, recipe, memory=args.memory)
        outputs = [
            local.Output(kind, files.enter_context(finished(args.out)), out_delimiter(args.out, delimiter))
        ]
        report = local.anonymize(
            recipe,
            source,
            outputs,
            key=fresh_key() if args.seed is None else key_from_seed(args.seed),
            reporter=reporter,
            memory=args.memory,
            keep_order=args.keep_order,
            **declared_sources(files, recipe, args.recipe.parent),
            records=files.enter_context(finished(args.records)) if args.records else None,
            persons=files.enter_context(finished(args.persons)) if args.persons else None,
            project_key=project_key(args.project_key) if args.project_key else None,
        )
        held = all(goal["holds"] for goal in report.goals)
        if not held and not args.keep_failed:
            raise not_held(report.goals)
        report.input["sha256"] = hashed.result()
        if recipe.tabulates:
            report.privacy_loss["charged"] = False
            report.warnings.append(NOT_CHARGED)
            reporter.close()
            sys.stderr.write(NOT_CHARGED + "\n")
        if args.seed is not None:
            report.engine["seed"] = args.seed
            report.warnings.append("The randomness came from a seed, which undoes it: a trial, no release.")
        if args.report:
            files.enter_context(finished(args.report)).write(report.to_json().encode())
    return DONE if held else UNSATISFIED


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
    from worker.engine.execution import local

    recipe = read_recipe(args.recipe)
    with ExitStack() as files:
        source, _ = opened(files, args.data, recipe, memory=args.memory)
        report = local.assess(
            recipe,
            source,
            reporter=reporter,
            memory=args.memory,
            **declared_sources(files, recipe, args.recipe.parent),
            records=files.enter_context(finished(args.records)) if args.records else None,
            input_sha256=sha256(args.data),
        )
    return told(report.to_json(), args.report, reporter)


def compare(args: Any, reporter: TerminalReporter) -> int:
    """Measure a released file against its original."""
    from worker.engine.execution import local

    recipe = read_recipe(args.recipe)
    with ExitStack() as files:
        original, _ = opened(files, args.original, recipe, memory=args.memory)
        released, _ = opened(files, args.released, recipe, released=True, memory=args.memory)
        report = local.compare(
            recipe,
            original,
            released,
            reporter=reporter,
            memory=args.memory,
            **declared_sources(files, recipe, args.recipe.parent),
            input_sha256=sha256(args.original),
            output_sha256=sha256(args.released),
        )
    return told(report.to_json(), args.report, reporter)


def verify(args: Any, reporter: TerminalReporter) -> int:
    """Recompute the goals from the bytes."""
    from worker.engine import verification

    recipe = read_recipe(args.recipe)
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
