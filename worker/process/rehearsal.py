"""What engines do, done once on invented rows, so that all they need is loaded: libraries and loops.

Only methods that enforce goals are rehearsed, because they are what most runs wait for. None draws noise that
somebody pays for: the generator of such noise begins anew in every engine.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from worker.engine import catalogue, verification
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.execution import local
from worker.engine.execution.output import Output
from worker.engine.io.ingest import Likeness, ingest
from worker.engine.io.source import open_table
from worker.engine.kernels import keeping
from worker.engine.recipes import codebook
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.table import Table

MEMORY = 2**30


def rehearse() -> None:
    """Read a file, carry out some recipes on it with all measures, and verify what came out."""
    keeping.compile_ahead()
    table = read(_text_of(sample_table()))
    for recipe in recipes():
        run(recipe, table)
    keeping.compile_ahead(False)


def read(text: bytes) -> io.BytesIO:
    """A file as it is read after its upload."""
    table = io.BytesIO()
    ingest(io.BytesIO(text), table, likeness=Likeness(io.BytesIO(), bytes(16)), values=io.BytesIO())
    return table


def recipes() -> Iterator[str]:
    """One for each method that enforces goals."""
    goal, everything = _goal(), {"version": 1, "columns": sample_columns(), "measures": ["*"]}
    for method in catalogue.methods().values():
        for example in method.examples()[:1]:
            if example.enforces and not example.cost():
                goals = [{"goal": goal.slug, "params": goal.params()}]
                steps = [{"method": example.slug, "params": example.params()}]
                yield json.dumps({**everything, "goals": goals, "steps": steps})


def _goal() -> Goal:
    """The first that is about the sizes of classes alone."""
    every = (goal for cls in catalogue.goals().values() for goal in cls.examples())
    return next(goal for goal in every if goal.least_size is not None)


def run(said: str, table: io.BytesIO) -> None:
    """One recipe as the engine carries it out, and what is recomputed from the released file."""
    recipe = Recipe.parse(said)
    released = {kind: io.BytesIO() for kind in ("csv", "parquet")}
    outputs = [Output(kind, file) for kind, file in released.items()]
    source = open_table(table, columns=recipe.read_columns(), memory=MEMORY)
    report = local.anonymize(recipe, source, outputs, memory=MEMORY, records=io.BytesIO()).as_dict()
    codebook.written(recipe, report, {})
    for file in released.values():
        verification.examine(said, file)


def _text_of(table: Table) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table.names)
    writer.writerows(zip(*(table[name].texts() for name in table.names), strict=True))
    return text.getvalue().encode()
