"""The command line: carry out, measure and verify recipes on files, without web or database.

Exit codes: 0 done · 2 the input or the recipe is wrong · 3 the goals cannot be, or are not, satisfied ·
4 ended by a limit · 1 a fault of ours. Errors are one line and never hold a data value.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from worker.engine.errors import Cancelled, EngineError, LimitExceeded, NoSolution
from worker.engine.reporting import TerminalReporter
from worker.plain_files import (
    Nowhere,
    declared_files,
    declared_sources,
    finished,
    opened,
    out_delimiter,
    output_kind,
    read_recipe,
    sha256,
    size,
)

SHORTEST_KEY = 32
OURS, WRONG, UNSATISFIED, LIMIT, INTERRUPTED = 1, 2, 3, 4, 130


class Parser(argparse.ArgumentParser):
    """Refuses in one line."""

    def error(self, message: str) -> NoReturn:
        """What is wrong with the arguments."""
        self.exit(WRONG, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(arguments: list[str] | None = None) -> int:
    """Do one command and return its exit code."""
    args = parser().parse_args(arguments)
    reporter = TerminalReporter()
    try:
        code: int = args.run(args, reporter)
        return code
    except EngineError as error:
        return refuse(_worded(error), _exit_code(error), reporter)
    except Cancelled:
        return refuse("stopped", INTERRUPTED, reporter)
    except KeyboardInterrupt:
        return refuse("stopped", INTERRUPTED, reporter)
    except MemoryError:
        return refuse("Not enough memory. Use fewer columns or rows, or a larger machine.", LIMIT, reporter)
    except OSError as error:
        return refuse(
            _file_trouble(error), LIMIT if error.errno in (errno.ENOSPC, errno.EFBIG) else WRONG, reporter
        )
    except Exception as error:  # noqa: BLE001 - its own words may quote data
        return refuse(_unforeseen(error), OURS, reporter)
    finally:
        reporter.close()


def refuse(message: str, code: int, reporter: TerminalReporter) -> int:
    """One line on stderr."""
    reporter.close()
    sys.stderr.write(" ".join(message.split()) + "\n")
    return code


def parser() -> Parser:
    """The commands and their arguments."""
    top = Parser(prog="python -m worker", description="Anonymize data by a recipe, and measure the result.")
    commands = top.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)

    def command(
        name: str, run: Callable[[Any, TerminalReporter], int], text: str, *positional: str
    ) -> Parser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        for argument in positional:
            made.add_argument(argument.lower(), metavar=argument, type=Path)
        return made

    one = command("anonymize", anonymize, "carry out a recipe", "RECIPE", "DATA")
    one.add_argument("--out", type=Path, required=True, help="the released file: .csv, .tsv or .parquet")
    one.add_argument("--keep-order", action="store_true", help="keep the order of the input rows")
    one.add_argument("--seed", type=int, help="repeatable randomness; refused for differential privacy")
    one.add_argument("--project-key", type=Path, metavar="FILE", help="the key of the project's pseudonyms")
    one.add_argument("--cluster", metavar="ADDRESS", help="run on a cluster")
    two = command("assess", assess, "measure the data as they are", "RECIPE", "DATA")
    three = command(
        "compare", compare, "measure a released file against its original", "RECIPE", "ORIGINAL", "RELEASED"
    )
    command("verify", verify, "recompute the goals from a released file", "RECIPE", "RELEASED")
    four = command("profile", profile, "describe the columns of a file", "DATA")
    five = command("hierarchy", hierarchy, "build a hierarchy from a specification", "SPEC", "DATA")
    five.add_argument("--column", required=True, help="the column whose values it is for")
    five.add_argument("--out", type=Path, required=True, help="the hierarchy file")
    six = command("catalogue", catalogue, "list every method, goal and measure")
    six.add_argument("--json", action="store_true", help="with all parameters, as JSON")
    for made in (one, two, three, four):
        made.add_argument("--report", type=Path, help="write the report here")
    for made in (one, two):
        made.add_argument("--records", type=Path, help="write one line per input row here")
    for made in (one, two, three):
        made.add_argument("--memory", type=size, metavar="SIZE", help="memory to use, such as 2GB")
    return top


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
    kind = output_kind(args.out)
    with ExitStack() as files:
        source, delimiter = opened(files, args.data, recipe)
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
            input_sha256=sha256(args.data),
            project_key=project_key(args.project_key) if args.project_key else None,
        )
        if args.seed is not None:
            report.engine["seed"] = args.seed
            report.warnings.append("The randomness came from a seed, which undoes it: a trial, no release.")
        if args.report:
            files.enter_context(finished(args.report)).write(report.to_json().encode())
    return 0


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
        source, _ = opened(files, args.data, recipe)
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
        original, _ = opened(files, args.original, recipe)
        released, _ = opened(files, args.released, recipe, released=True)
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
    with ExitStack() as files:
        released = files.enter_context(args.released.open("rb"))
        declared = declared_files(files, recipe, args.recipe.parent)
        found = verification.examine(recipe, released, reporter, **declared)
    result = {
        "holds": found.holds,
        "goals": [one.as_dict() for one in found.results],
        "rows": found.rows,
        "suppressed_rows": found.suppressed_rows,
        "suppressed_hold": list(found.suppressed_hold),
        "unit": found.unit,
        "unexpected_columns": list(found.unexpected),
    }
    told(json.dumps(result, indent=2) + "\n", None, reporter)
    return 0 if found.holds else UNSATISFIED


def profile(args: Any, reporter: TerminalReporter) -> int:
    """Kinds, cardinality, missing values and suggested roles."""
    from worker.engine.io.ingest import ingest
    from worker.engine.io.limits import Limits

    with args.data.open("rb") as raw:
        found = ingest(raw, cast(BinaryIO, Nowhere()), None, Limits(), reporter)
    return told(json.dumps(found.as_json(), indent=2, ensure_ascii=False) + "\n", args.report, reporter)


def hierarchy(args: Any, reporter: TerminalReporter) -> int:
    """Build a hierarchy over the values of one column."""
    from worker.engine.algorithms.hierarchies import hierarchy_for
    from worker.engine.execution.dataset import Dataset
    from worker.engine.recipe import Recipe
    from worker.engine.statistics import Statistics

    spec = (
        json.loads(args.spec.read_text("utf-8"))
        if args.spec.suffix == ".json"
        else args.spec.read_text("utf-8")
    )
    column = {"role": "quasi-identifier", "hierarchy": spec.splitlines() if isinstance(spec, str) else spec}
    recipe = Recipe.parse({"version": 1, "columns": {args.column: column}})
    declared = recipe.declarations({})
    with ExitStack() as files:
        source, _ = opened(files, args.data, recipe)
        statistics = Statistics(Dataset(source, recipe.columns, declared), declared, reporter)
        made = hierarchy_for(declared[args.column].hierarchy, statistics.distinct(args.column))
        files.enter_context(finished(args.out)).write(("\n".join(made.lines()) + "\n").encode())
    return 0


def catalogue(args: Any, reporter: TerminalReporter) -> int:
    """Every method, goal and measure."""
    from worker.engine import catalogue as known

    if args.json:
        return told(
            json.dumps(known.as_dict(), indent=2, ensure_ascii=False, default=str) + "\n", None, reporter
        )
    for title, classes in (
        ("Methods", known.methods()),
        ("Goals", known.goals()),
        ("Measures", known.measures()),
    ):
        print(title)
        for slug, cls in classes.items():
            print(f"  {slug:<20} {cls.in_short()}")
    return 0


def told(text: str, path: Path | None, reporter: TerminalReporter) -> int:
    """To the file when one is named, otherwise to standard output."""
    reporter.close()
    if path is None:
        sys.stdout.write(text)
    else:
        with finished(path) as file:
            file.write(text.encode())
    return 0


def _worded(error: EngineError) -> str:
    """What, with its place in the recipe in front."""
    known = not error.param or error.message.startswith(error.param)
    return error.message if known else f"{error.param}: {error.message}"


def _exit_code(error: EngineError) -> int:
    return (
        UNSATISFIED if isinstance(error, NoSolution) else LIMIT if isinstance(error, LimitExceeded) else WRONG
    )


def _file_trouble(error: OSError) -> str:
    return f"{error.filename or 'file'}: {os.strerror(error.errno) if error.errno else 'cannot be used'}."


def _unforeseen(error: Exception) -> str:
    """The type and the place of a fault of ours, without its words."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
    return f"Something went wrong on our side: {type(error).__name__} at {place}."


if __name__ == "__main__":
    sys.exit(main())
