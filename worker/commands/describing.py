"""Commands that describe data, hierarchies and what this engine can do."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any, BinaryIO, cast

from worker.commands.plain_files import Nowhere, finished, hierarchy_text, opened, told
from worker.engine.reporting import TerminalReporter


def profile(args: Any, reporter: TerminalReporter) -> int:
    """Kinds, cardinality, missing values and suggested roles."""
    from worker.engine.io.ingest import ingest
    from worker.engine.io.limits import Limits

    with args.data.open("rb") as raw:
        found = ingest(raw, cast(BinaryIO, Nowhere()), None, Limits(), reporter)
    return told(json.dumps(found.as_json(), indent=2, ensure_ascii=False) + "\n", args.report, reporter)


def hierarchy(args: Any, reporter: TerminalReporter) -> int:
    """Build a hierarchy over the values of one column, or lay one of another tool over them."""
    from worker.engine.execution.dataset import Dataset
    from worker.engine.hierarchies.hierarchy import hierarchy_for, levels_of
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.tables.statistics import Statistics

    column = {"role": "quasi-identifier", "hierarchy": _specified(hierarchy_text(args.spec), args.column)}
    recipe = Recipe.parse({"version": 1, "columns": {args.column: column}})
    declared = recipe.declarations({})
    spec = declared[args.column].hierarchy
    with ExitStack() as files:
        source, _ = opened(files, args.data, recipe)
        statistics = Statistics(Dataset(source, recipe.columns, declared), declared, reporter)
        values = statistics.distinct(args.column)
        levels_of(spec, values)  # refuses when a value has no row
        lines = hierarchy_for(spec, values).lines()
        files.enter_context(finished(args.out)).write(("\n".join(lines) + "\n").encode())
    return 0


def _specified(text: str, column: str) -> dict[str, Any] | list[str]:
    """A builder with its settings, or the lines of a table or a tree."""
    from worker.engine.hierarchies.imports import LIMITS, read_any
    from worker.engine.io.strict_json import BadJson, loads

    try:
        found = loads(text, LIMITS)
    except BadJson:
        found = None
    return found if isinstance(found, dict) and "builder" in found else read_any(text, column).lines()


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
