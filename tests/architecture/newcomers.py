"""A method, a goal with its check, and a measure that nobody has heard of: one file each, nothing else."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from types import ModuleType

from worker.engine import catalogue, goals, measures, methods, verification
from worker.engine.goal import goals as known_goals
from worker.engine.measure import measures as known_measures
from worker.engine.method import methods as known_methods

METHOD = '''
    """Truncation."""

    from __future__ import annotations

    from typing import Annotated, Self

    from pydantic import Field

    from worker.engine.fields import Columns, Unit
    from worker.engine.method import Family, Method, Plan, register
    from worker.engine.randomness import Source
    from worker.engine.reporting import Reporter
    from worker.engine.statistics import Statistics
    from worker.engine.table import Chunk, Schema


    @register
    class Truncation(Method):
        """Keep only the first characters of a text.

        Written while the tests run.
        """

        slug = "truncation-of-the-newcomer"
        title = "Truncation"
        family = Family.PERTURBATIVE

        column: Annotated[str, Columns()] = Field(title="Column", description="What to shorten.")
        length: Annotated[int, Unit("characters")] = Field(
            1, ge=1, le=50, title="Length", description="How many characters stay."
        )

        @classmethod
        def examples(cls) -> tuple[Self, ...]:
            return (cls(column="visits", length=1), cls(column="disease", length=3))

        def touches(self, schema: Schema) -> tuple[str, ...]:
            return (self.column,)

        def plan(self, statistics: Statistics, goals: object, source: Source, report: Reporter) -> Plan:
            statistics.require_values(self.column, "column")
            return Plan({"column": self.column})

        def transform(self, chunk: Chunk, plan: Plan, source: Source) -> Chunk:
            column = chunk[self.column]
            return chunk.with_columns(column.relabelled([text[: self.length] for text in column.label_texts]))
'''

GOAL = '''
    """Rows per class."""

    from __future__ import annotations

    from typing import Annotated, Any

    from pydantic import Field

    from worker.engine.classes import Classes
    from worker.engine.column import Mask
    from worker.engine.fields import Unit
    from worker.engine.goal import Goal, register


    @register
    class Crowd(Goal):
        """Every class holds a number of rows."""

        slug = "crowd-of-the-newcomer"
        title = "Crowd"

        rows: Annotated[int, Unit("rows")] = Field(2, ge=1, title="Rows", description="The smallest class.")

        @property
        def required(self) -> Any:
            return self.rows

        def violating(self, classes: Classes) -> Mask:
            return classes.rows < self.rows

        def achieved(self, classes: Classes) -> Any:
            return int(classes.rows.min()) if classes.number else None
'''

CHECK = '''
    """Rows per class, recomputed."""

    from worker.engine.verification.finding import Finding, number

    SLUG = "crowd-of-the-newcomer"


    class Check:
        """Every class holds a number of rows."""

        def __init__(self, params):
            self.required, self.slug, self.column = number(params, "rows", 2), SLUG, None

        def find(self, group, released):
            return Finding(int(group.rows.min()), int(group.rows[group.rows < self.required].sum()))
'''

MEASURE = '''
    """Rows that stayed."""

    from __future__ import annotations

    from collections.abc import Mapping
    from typing import Any, ClassVar

    from worker.engine.chart import Axis, Chart, Series
    from worker.engine.measure import Figures, Measure, Section, register
    from worker.engine.statistics import Statistics


    @register
    class Staying(Measure):
        """How many rows of the original are in the release."""

        slug = "staying-of-the-newcomer"
        title = "Staying"
        section = Section.UTILITY
        explanations: ClassVar[Mapping[str, str]] = {"rows": "Rows in the release."}

        def compare(self, before: Statistics, after: Statistics) -> dict[str, Any]:
            return {"rows": after.rows()}

        def charts(self, before: Figures | None, after: Figures | None) -> tuple[Chart, ...]:
            bars = Series("Rows", ("released",), (after["rows"],)) if after else None
            x, y = Axis("File", scale="category"), Axis("Rows")
            return (Chart(self.slug, "Rows", "bar", x, y, (bars,), "More is better."),) if bars else ()
'''

FILES: tuple[tuple[ModuleType, str, str], ...] = (
    (methods, "newcomer_truncation", METHOD),
    (goals, "newcomer_crowd", GOAL),
    (verification, "newcomer_crowd", CHECK),
    (measures, "newcomer_staying", MEASURE),
)
SLUGS = {
    "methods": "truncation-of-the-newcomer",
    "goals": "crowd-of-the-newcomer",
    "measures": "staying-of-the-newcomer",
}


def write(root: Path) -> None:
    """The files, a folder for each package."""
    for package, name, source in FILES:
        folder = root / package.__name__
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(dedent(source))


def adopt(root: Path) -> None:
    """Let the packages reach into the folders, as if the files lay beside the others."""
    for package in {package for package, _, _ in FILES}:
        package.__path__.append(str(root / package.__name__))
    importlib.invalidate_caches()
    catalogue._discover.cache_clear()


@contextmanager
def adopted(root: Path) -> Iterator[None]:
    """The newcomers are known inside; nothing is left of them outside."""
    write(root)
    adopt(root)
    try:
        yield
    finally:
        forget(root)


def forget(root: Path) -> None:
    """Everything as it was before."""
    for package, name, _ in FILES:
        found = f"{package.__name__}.{name}"
        if (folder := str(root / package.__name__)) in package.__path__:
            package.__path__.remove(folder)
        sys.modules.pop(found, None)
        package.__dict__.pop(name, None)
    for registry in (known_methods, known_goals, known_measures):
        for slug in SLUGS.values():
            registry.classes.pop(slug, None)
