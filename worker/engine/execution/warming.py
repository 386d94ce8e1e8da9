"""Everything compiled ahead of the first run, so that nobody waits for the compiler.

Every example of every method and measure runs on a small invented table; what that compiles stays on the disk
for all later processes. One in a new file is warmed like the others.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from worker import engine
from worker.engine import catalogue
from worker.engine.contracts.method import Method
from worker.engine.contracts.samples import POPULATION, sample_columns, sample_population, sample_table
from worker.engine.errors import EngineError
from worker.engine.tables.table import MemorySource

Step = Mapping[str, Any]
_MANY_VALUES = 300
"""Two columns of so many have more pairs than are counted by their codes."""


def warm() -> bool:
    """Compile what is not compiled yet; one process at a time. Returns whether there was anything to do."""
    from worker.engine.kernels import keeping, making

    mark = f"warm-{_version(making.versions() + keeping.baseline())}"
    if any((folder / mark).exists() for folder in keeping.folders()):
        return False
    folder = keeping.writable()
    with (folder / "warming").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        _run_everything()
        (folder / mark).touch()
    return True


def _version(compilers: str) -> str:
    """A digest of all that the engine is made of: whatever changed, there may be a new loop to compile."""
    content = hashlib.sha256(compilers.encode())
    for source in sorted(Path(engine.__path__[0]).rglob("*.py")):
        content.update(source.read_bytes())
    return content.hexdigest()[:16]


def _run_everything() -> None:
    _read(_people())
    _count()
    table = _read(_sample())
    for method in catalogue.methods().values():
        for example in method.examples():
            for goals in _goals(example):
                # An example that needs more than the sample has is not run; its loops come with another.
                with suppress(EngineError):
                    _run(example, goals, table)
    _measure(table)


def _read(raw: bytes) -> bytes:
    """A file as it arrives, with what its people can be recognised by: the table that runs read."""
    from worker.engine.io.ingest import Likeness, ingest

    table = io.BytesIO()
    ingest(io.BytesIO(raw), table, likeness=Likeness(io.BytesIO(), bytes(16)))
    return table.getvalue()


def _count() -> None:
    """More keys than the sample has rows, with and without counts."""
    import numpy as np

    from worker.engine.tables.keys import DEALT_FROM, LIMIT, grouped

    keys = np.arange(DEALT_FROM)
    for counts in (None, keys):
        grouped(keys, counts, LIMIT)


def _people() -> bytes:
    """Columns of many values and of few, and quotes."""
    rows = (f'{10_000 + number},{number},"Zoë",{number % 2},{number % 3}' for number in range(_MANY_VALUES))
    return "\n".join(["zip,age,name,sex,part", *rows]).encode()


def _sample() -> bytes:
    """The table that every example fits."""
    columns = sample_table().columns
    rows = zip(*(column.texts() for column in columns), strict=True)
    return "\n".join([",".join(column.name for column in columns), *map(",".join, rows)]).encode()


def _goals(example: Method) -> Iterator[list[Step]]:
    """None, or goals about class sizes alone, then also one that looks into the classes."""
    if not example.enforces:
        yield []
        return
    every = [goal for cls in catalogue.goals().values() for goal in cls.examples()]
    sizes = next(goal for goal in every if goal.least_size is not None)
    inside = next(goal for goal in every if goal.sensitive_columns())
    first = {"goal": sizes.slug, "params": sizes.params()}
    yield [first]
    yield [first, {"goal": inside.slug, "params": inside.params()}]


def _run(example: Method, goals: list[Step], table: bytes) -> None:
    from worker.engine.execution import local
    from worker.engine.io.source import open_table
    from worker.engine.recipes.recipe import Recipe

    step = {"method": example.slug, "params": example.params()}
    written = {"version": 1, "columns": sample_columns(), "goals": goals, "steps": [step], "measures": []}
    recipe = Recipe.parse(written)
    source = open_table(io.BytesIO(table), columns=recipe.read_columns())
    outputs = [local.Output(kind, io.BytesIO()) for kind in ("csv", "parquet")]
    exact, records = (io.BytesIO(), None) if recipe.tabulates else (None, io.BytesIO())
    local.anonymize(recipe, source, outputs, exact=exact, records=records)


def _measure(table: bytes) -> None:
    """Every measure, on rows that are released as they are."""
    from worker.engine.execution import local
    from worker.engine.io.source import open_table
    from worker.engine.recipes.recipe import Recipe

    asked = [
        {"measure": cls.slug, "params": one.params()}
        for cls in catalogue.measures().values()
        for one in cls.examples()
    ]
    recipe = Recipe.parse({"version": 1, "columns": sample_columns(), "measures": asked})
    source = open_table(io.BytesIO(table), columns=recipe.read_columns())
    people = {POPULATION: MemorySource(sample_population())}
    local.anonymize(recipe, source, [local.Output("csv", io.BytesIO())], populations=people)


if __name__ == "__main__":
    warm()
