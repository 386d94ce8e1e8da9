"""The commands and their arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from worker.commands.carrying_out import anonymize, assess, compare, verify
from worker.commands.describing import catalogue, hierarchy, profile
from worker.commands.plain_files import size
from worker.engine.reporting import TerminalReporter

WRONG = 2


class Parser(argparse.ArgumentParser):
    """Refuses in one line."""

    def error(self, message: str) -> NoReturn:
        """What is wrong with the arguments."""
        self.exit(WRONG, f"{self.prog}: {message}. See {self.prog} --help.\n")


@cache
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
    one.add_argument(
        "--out", type=Path, required=True, help="the released file: .csv, .tsv, .parquet, .xlsx, .sav or .dta"
    )
    one.add_argument(
        "--persons", type=Path, metavar="FILE", help="write a number for the person of each row, for verify"
    )
    one.add_argument(
        "--keep-failed",
        action="store_true",
        help="keep the file even if its goals do not hold; exits 3 still",
    )
    one.add_argument(
        "--nodes", action="store_true", help="list in the report every combination that a search looked at"
    )
    one.add_argument("--keep-order", action="store_true", help="keep the order of the input rows")
    one.add_argument("--project-key", type=Path, metavar="FILE", help="the key of the project's pseudonyms")
    one.add_argument("--cluster", metavar="ADDRESS", help="run on a cluster")
    two = command("assess", assess, "measure the data as they are", "RECIPE", "DATA")
    three = command(
        "compare", compare, "measure a released file against its original", "RECIPE", "ORIGINAL", "RELEASED"
    )
    check = command("verify", verify, "recompute the goals from a released file", "RECIPE", "RELEASED")
    check.add_argument(
        "--persons", type=Path, metavar="FILE", help="whose each row is, as anonymize --persons wrote it"
    )
    four = command("profile", profile, "describe the columns of a file", "DATA")
    five = command("hierarchy", hierarchy, "build a hierarchy from a specification", "SPEC", "DATA")
    five.add_argument("--column", required=True, help="the column whose values it is for")
    five.add_argument("--out", type=Path, required=True, help="the hierarchy file")
    six = command("catalogue", catalogue, "list every method, goal and measure")
    six.add_argument("--json", action="store_true", help="with all parameters, as JSON")
    for made in (one, two, three, check):
        made.add_argument(
            "--hierarchies",
            type=Path,
            metavar="FOLDER",
            help="use the files of this folder for columns without a hierarchy, matched by name",
        )
    one.add_argument("--report", type=Path, help="write the report here; without it nothing is measured")
    for made in (two, three, four):
        made.add_argument("--report", type=Path, help="write the report here")
    for made in (one, two):
        made.add_argument("--records", type=Path, help="write one line per input row here")
    for made in (one, two, three):
        made.add_argument("--seed", type=int, help="repeatable randomness; refused for differential privacy")
        made.add_argument(
            "--other-release",
            type=Path,
            action="append",
            default=[],
            metavar="FILE",
            help="another release about the same people, for measures that look at it; may be repeated",
        )
        made.add_argument("--memory", type=size, metavar="SIZE", help="memory to use, such as 2GB")
    return top
