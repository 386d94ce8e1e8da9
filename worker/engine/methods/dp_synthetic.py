"""Synthetic rows from noisy marginals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any, Self

import numpy as np
from numpy.random import Generator
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, LogScale, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Forecast, Guarantee, Method, Tabulation, register
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.contracts.traces import Trace, gone
from worker.engine.dp.answering import Samplers
from worker.engine.dp.cells import Cells, Choice, require_cells
from worker.engine.dp.counting import CellRows
from worker.engine.dp.door import bounded_rows
from worker.engine.dp.parameters import Epsilon
from worker.engine.dp.promises import foreseen, in_short, promised
from worker.engine.dp.scales import scale_of
from worker.engine.dp.telling import whose
from worker.engine.dp.tree_model import Prices, Tree, drawn_rows, grown
from worker.engine.errors import EngineError
from worker.engine.randomness import Source, fresh_key
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import RELEASED, Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema, Table
from worker.engine.wording import thousands

EXACT = "exact"
MOST_PAIRS = 4_000_000


@register
class DpSynthetic(Method):
    """Invent rows that look like the data in each column and along a tree of pairs, and hide every person.

    Counts of every column, and of as many pairs as a tree over the columns has edges, get noise; they are
    made to agree, and rows are drawn from them alone. Which pairs are kept is chosen with noise too: those
    that depend on each other most and have few cells. What the tree does not hold – three columns together,
    pairs off the tree – is not in the synthetic rows either.
    """

    slug = "dp-synthetic"
    title = "Synthetic rows with differential privacy"
    family = Family.SYNTHETIC
    guarantee = Guarantee.DIFFERENTIAL_PRIVACY
    tabulates = True
    references = (
        "McKenna, Miklau & Sheldon (2021), Winning the NIST contest: a scalable and general approach to "
        "differentially private synthetic data",
        "Zhang, Cormode, Procopiuc, Srivastava & Xiao (2017), PrivBayes: private data release via Bayesian "
        "networks",
    )

    columns: Annotated[tuple[str, ...], Columns(role=RELEASED)] = Field(
        min_length=1,
        max_length=20,
        title="Columns",
        description="Those the synthetic rows hold. Declare categories, or bounds and a bin width, of each.",
    )
    epsilon: Annotated[Epsilon, LogScale(-3, 1)] = Field(
        Decimal(1),
        title="Privacy loss ε",
        description="A third for columns, choice of pairs, and pairs each.",
    )
    rows_per_person: Annotated[int, Unit("rows")] = Field(
        1, ge=1, le=1000, title="Rows counted per person", description="More rows need more noise."
    )
    rows: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        title="Rows to invent",
        description="As many as there seem to be, when left empty.",
    )
    missing_cell: bool = Field(
        True, title="Missing values too", description="Otherwise rows without a value are not counted."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(columns=("disease", "visits", "income"), epsilon=Decimal(2)),
            cls(columns=("disease",), rows=50, rows_per_person=2),
        )

    @model_validator(mode="after")
    def _once(self) -> Self:
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("Name each column once.")
        if self._prices.edge.epsilon_micro < 1:
            raise ValueError("Divided among its parts, this epsilon is finer than can be counted. Raise it.")
        return self

    @property
    def _prices(self) -> Prices:
        return Prices(len(self.columns), self.rows_per_person, Spend.of(self.epsilon).epsilon_micro)

    def cost(self) -> Spend:
        return Spend.of(self.epsilon)

    def describe(self) -> str:
        epsilon = self.cost().epsilon.normalize()
        return (
            f"Invent rows of {', '.join(self.columns)} from noisy counts, for ε = {epsilon:f} "
            f"({in_short(self.cost())})."
        )

    def _cells(self, name: str, said: Declaration) -> Cells:
        return require_cells(name, said, Choice(nearest=True, missing=self.missing_cell))

    def _checked(self, declared: Mapping[str, Declaration]) -> list[Cells]:
        cells = [self._cells(name, declared.get(name, Declaration())) for name in self.columns]
        for one in cells:
            _refuse_unwritable(one, declared.get(one.name, Declaration()))
        sizes = sorted((len(one) for one in cells), reverse=True)
        if len(sizes) > 1 and sizes[0] * sizes[1] > MOST_PAIRS:
            text = f"columns: a pair would have more than {thousands(MOST_PAIRS)} cells. Take wider bins."
            raise EngineError("too-many-cells", text, param="columns")
        return cells

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return gone(schema) | dict.fromkeys(self.columns, Trace.MADE_UP)

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> Tabulation:
        cells = self._checked(statistics.declared)
        report.stage("Counting")
        report.progress(0.05)
        counted = bounded_rows(statistics, cells, fresh_key(), self.rows_per_person)
        report.stage("Drawing the noise")
        report.progress(0.7)
        tree = grown(counted, [len(one) for one in cells], self._prices, Samplers())
        report.stage("Inventing rows")
        report.progress(0.8)
        table = self._invented(cells, tree, statistics.declared, source.stream("\x00invented", 0))
        facts = {**self._facts(tree), "unit": statistics.unit}
        return Tabulation(facts, table, _exact(cells, counted))

    def _invented(
        self, cells: Sequence[Cells], tree: Tree, declared: Mapping[str, Declaration], generator: Generator
    ) -> Table:
        """Rows in the order of their cells, which says nothing."""
        rows = tree.rows if self.rows is None else self.rows
        codes = drawn_rows(tree, rows, generator)
        order = np.lexsort(codes[::-1]) if rows else np.zeros(0, np.int64)
        columns = [
            _column(one, where[order], declared.get(one.name, Declaration()), generator)
            for one, where in zip(cells, codes, strict=True)
        ]
        return Table(columns, 0, rows)

    def _facts(self, tree: Tree) -> StepJson:
        """What depends on the data here was chosen, or computed from what was measured, with noise."""
        alone, pairs = tree.errors
        return {
            "columns": list(self.columns),
            "pairs": [[self.columns[a], self.columns[b]] for a, b in tree.edges],
            "rows_per_person": self.rows_per_person,
            "rows_counted": tree.rows,
            "column_counts_error95": alone,
            "pair_counts_error95": pairs if tree.edges else None,
            "post_processing": ["made to agree by least squares", "negative counts set to 0"],
        }

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        pairs = "; ".join(" × ".join(pair) for pair in facts["pairs"]) or "none"
        alone, together = facts["column_counts_error95"], facts["pair_counts_error95"]
        among = f"; counts of a pair, with ± {together}" if together is not None else ""
        return (
            "These rows are invented: none stands for a person, and their number is an estimate too.",
            f"They were drawn from counts of about {thousands(facts['rows_counted'])} rows. Counts of "
            f"a single column were made with an error of ± {thousands(alone)} (95 %){among}. The "
            f"pairs: {pairs}.",
            whose(facts["unit"], self.rows_per_person),
            *promised(self.cost(), Protected(facts["unit"])),
            "Associations of other columns are those that follow from these pairs; do not study others.",
            "Standard errors computed from these rows are too small: add the error of the counts.",
        )

    def forecast(self, declared: Mapping[str, Declaration]) -> tuple[Forecast, ...]:
        self._checked(declared)
        alone, pairs = self._prices.alone.error(), self._prices.pairs
        within = (
            "19 of 20 measured counts are off by at most this much. Counts are then made to agree; where "
            "many cells are empty this takes some rows from the others, which the codebook adds."
        )
        found = [Forecast("Error of a column's count", f"± {thousands(alone)}", within)]
        if self._prices.edges:
            found.append(Forecast("Error of a pair's count", f"± {thousands(pairs.error())}", within))
        return (*found, *foreseen(self.cost()))


def _refuse_unwritable(cells: Cells, said: Declaration) -> None:
    """Bins in which no number can be invented, before anything is counted."""
    scale = scale_of(cells.name, said)
    if cells.edges and cells.closed and not (scale and scale.is_exact):
        where = f"columns.{cells.name}.bounds"
        text = (
            f"{where}: declare bounds that hold more than one number, and nearer to 0 than 2^53 of its units."
        )
        raise EngineError("bad-cells", text, param=where)


def _column(cells: Cells, codes: Any, said: Declaration, generator: Generator) -> Column:
    """Categories as declared; a number somewhere in its bin, in the column's units."""
    if not cells.edges or not cells.closed:
        return Column.of_texts(cells.name, [cells.labels[code] for code in codes.tolist()])
    scale = scale_of(cells.name, said)
    assert scale is not None, "bins have bounds"
    lows = [int((edge / scale.unit).to_integral_value(ROUND_CEILING)) for edge in cells.edges]
    widths = np.maximum(np.diff(lows), 1)
    texts = [""] * len(codes)
    for at, code in enumerate(codes.tolist()):
        if code < len(widths):
            units = lows[code] + int(generator.integers(widths[code]))
            texts[at] = f"{scale.value(units):f}"
    return Column.of_texts(cells.name, texts, Kind.INTEGER if said.kind is Kind.INTEGER else Kind.DECIMAL)


def _exact(cells: Sequence[Cells], counted: CellRows) -> Table:
    """The true counts of every column, which stay inside."""
    sizes = [len(one) for one in cells]
    names = [one.name for one in cells for _ in one.labels]
    labels = [label for one in cells for label in one.labels]
    counts = [count for at in range(len(cells)) for count in counted.marginal(sizes, (at,)).tolist()]
    columns = {"column": names, "cell": labels, EXACT: [str(count) for count in counts]}
    return Table([Column.of_texts(name, texts) for name, texts in columns.items()], 0, len(names))
