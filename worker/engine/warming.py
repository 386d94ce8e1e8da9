"""Everything compiled ahead of the first run, so that nobody waits for the compiler.

Every example of every method runs on a small invented table; what that compiles stays on the disk for all
later processes. A method in a new file is warmed like the others.
"""

from __future__ import annotations

import fcntl
import io
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from worker.engine import catalogue
from worker.engine.errors import EngineError
from worker.engine.method import Method
from worker.engine.samples import sample_columns, sample_table
from worker.engine.table import MemorySource

Step = Mapping[str, Any]


def warm() -> bool:
    """Compile what is not compiled yet; one process at a time. Returns whether there was anything to do."""
    from worker.engine.algorithms import compiled

    done = compiled.FOLDER / "warm"
    if done.exists():
        return False
    compiled.FOLDER.mkdir(parents=True, exist_ok=True)
    with (compiled.FOLDER / "warming").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        _run_everything()
        done.touch()
    return True


def _run_everything() -> None:
    for method in catalogue.methods().values():
        for example in method.examples():
            for goals in _goals(example):
                # An example that needs more than the sample has is not run; its loops come with another.
                with suppress(EngineError):
                    _run(example, goals)


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


def _run(example: Method, goals: list[Step]) -> None:
    from worker.engine.execution import local
    from worker.engine.recipe import Recipe

    step = {"method": example.slug, "params": example.params()}
    recipe = {"version": 1, "columns": sample_columns(), "goals": goals, "steps": [step], "measures": []}
    outputs = [local.Output(kind, io.BytesIO()) for kind in ("csv", "parquet")]
    local.anonymize(Recipe.parse(recipe), MemorySource(sample_table()), outputs)
