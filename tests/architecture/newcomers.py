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
from worker.engine.contracts.goal import goals as known_goals
from worker.engine.contracts.measure import measures as known_measures
from worker.engine.contracts.method import methods as known_methods

METHOD = '''
    """Truncation."""

    from __future__ import annotations

    from collections.abc import Mapping
    from typing import Annotated, Self

    from pydantic import Field

    from worker.engine.contracts.annotations import Columns, Unit
    from worker.engine.contracts.method import Family, Method, Plan, register
    from worker.engine.contracts.traces import Trace
    from worker.engine.randomness import Source
    from worker.engine.reporting import Reporter
    from worker.engine.tables.statistics import Statistics
    from worker.engine.tables.table import Chunk, Schema


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

        def leaves(self, schema: Schema) -> Mapping[str, Trace]:
            return {self.column: Trace.COARSER}

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

    from worker.engine.tables.classes import Classes
    from worker.engine.tables.column import Mask
    from worker.engine.contracts.annotations import Unit
    from worker.engine.contracts.goal import Demand, Goal, register


    @register
    class Crowd(Goal):
        """Every class holds a number of rows, and not too many."""

        slug = "crowd-of-the-newcomer"
        title = "Crowd"

        rows: Annotated[int, Unit("rows")] = Field(2, ge=1, title="Rows", description="The smallest class.")

        @property
        def required(self) -> Any:
            return self.rows

        most: Annotated[int, Unit("rows")] = Field(
            1_000_000, ge=1, title="Most rows", description="The largest class."
        )

        def violating(self, classes: Classes) -> Mask:
            return (classes.rows < self.rows) | (classes.rows > self.most)

        def demands(self, classes: Classes) -> tuple[Demand, ...]:
            if not classes.number:
                return ()
            fewest, most = int(classes.rows.min()), int(classes.rows.max())
            return (
                Demand("rows", self.rows, fewest, fewest >= self.rows),
                Demand("most", self.most, most, most <= self.most),
            )

        def achieved(self, classes: Classes) -> Any:
            return int(classes.rows.min()) if classes.number else None
'''

CHECK = '''
    """Rows per class, recomputed."""

    from dataclasses import dataclass

    from worker.engine.contracts.goal import Demand
    from worker.engine.verification.finding import Finding, number

    SLUG = "crowd-of-the-newcomer"


    @dataclass(frozen=True)
    class Sizes(Finding):
        most: int

        def joined(self, other):
            rows = self.violating_rows + other.violating_rows
            return Sizes(min(self.achieved, other.achieved), rows, most=max(self.most, other.most))


    class Check:
        """Every class holds a number of rows, and not too many."""

        def __init__(self, params):
            self.required, self.slug, self.column = number(params, "rows", 2), SLUG, None
            self.most = number(params, "most", 1_000_000)

        def find(self, group, released):
            wrong = (group.rows < self.required) | (group.rows > self.most)
            return Sizes(int(group.rows.min()), int(group.rows[wrong].sum()), most=int(group.rows.max()))

        def demands(self, finding):
            if not isinstance(finding, Sizes):
                return ()
            fewest, most = finding.achieved, finding.most
            return (
                Demand("rows", self.required, fewest, fewest >= self.required),
                Demand("most", self.most, most, most <= self.most),
            )
'''

MEASURE = '''
    """Values that somebody else lists."""

    from __future__ import annotations

    from typing import Annotated, ClassVar, Self

    import numpy as np
    from pydantic import Field

    from worker.engine.contracts.chart import Axis, Chart, Series
    from worker.engine.contracts.figure import Figure
    from worker.engine.contracts.measure import Found, Measure, Section, register
    from worker.engine.contracts.scene import Scene
    from worker.engine.contracts.annotations import AuxiliaryFile, Columns


    @register
    class Listed(Measure):
        """How many rows of the release hold a value that a list of somebody else holds too."""

        slug = "listed-by-the-newcomer"
        title = "Listed elsewhere"
        section = Section.ATTACK
        figures: ClassVar = (
            Figure(
                "share",
                "Share listed",
                "Rows whose value is on the list, divided by rows.",
                unit="share",
                better="low",
                public=True,
                headline=True,
            ),
            Figure("rows", "Rows listed", "Rows whose value is on the list.", unit="count", better="low"),
            Figure("found", "Found", "Whether the value of the row is on the list.", per="record"),
        )

        column: Annotated[str, Columns()] = Field(title="Column", description="What to look up.")
        others: Annotated[str, AuxiliaryFile()] = Field(
            title="List", description="A table with a column of the same name."
        )

        @classmethod
        def examples(cls) -> tuple[Self, ...]:
            return (cls(column="sex", others="population.csv"),)

        def compare(self, scene: Scene) -> Found:
            known = scene.outside.auxiliary(self.others).distinct(self.column)
            table = scene.after.table((self.column,))
            inside = np.array([known.find(text) >= 0 for text in table[self.column].texts()], bool)
            found = np.full(scene.rows, np.nan)
            found[table.row_ids] = inside
            bars = Series("Rows", ("listed", "others"), (int(inside.sum()), int((~inside).sum())))
            x, y = Axis("Value", scale="category"), Axis("Rows")
            chart = Chart("rows", f"{self.column} on the list", "bar", x, y, (bars,), "Fewer is better.")
            share = float(inside.mean()) if len(inside) else None
            figures = {"rows": int(inside.sum()), "share": share}
            return Found(figures, charts=(chart,), records={"found": found})
'''

FILES: tuple[tuple[ModuleType, str, str], ...] = (
    (methods, "newcomer_truncation", METHOD),
    (goals, "newcomer_crowd", GOAL),
    (verification, "newcomer_crowd", CHECK),
    (measures, "newcomer_listed", MEASURE),
)
SLUGS = {
    "methods": "truncation-of-the-newcomer",
    "goals": "crowd-of-the-newcomer",
    "measures": "listed-by-the-newcomer",
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
