"""A release beside its original, cell by cell, and random ones to compare measures with brute force on."""

import random
from dataclasses import dataclass, field

import numpy as np

from tests.engine.running import recipe_of
from worker.engine.contracts.figure import Figures
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.result import Result
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.measuring import Setting, measured
from worker.engine.execution.outside import OpenedFiles
from worker.engine.randomness import Source, key_from_seed
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field, MemorySource, Schema, Table

Cells = dict[str, list[str]]


class Some(MemorySource):
    """Rows of which only those that were kept come out, under their own numbers."""

    kept: np.ndarray

    def chunks(self, columns=None):
        for chunk in super().chunks(columns):
            yield chunk.filter(self.kept[chunk.first_row : chunk.first_row + chunk.rows])


@dataclass
class Case:
    """`after` has the rows of `before`; those not `kept` are left out of the release."""

    columns: dict[str, dict]
    before: Cells
    after: Cells
    kept: list[bool] = field(default_factory=list)
    traces: dict[str, Trace] | None = None
    steps: dict[str, int] = field(default_factory=dict)
    aligned: bool = True
    left_behind: tuple[str, ...] = ()
    held_out: list[bool] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(next(iter(self.before.values())))

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """Each cell with what became of it; a row that was left out is `*`."""
        kept = self.kept or [True] * self.rows
        cells = zip(self.before[name], self.after[name], kept, strict=True)
        return [(was, became if stays else "*") for was, became, stays in cells]

    def released(self) -> list[dict[str, str]]:
        """The rows that are released."""
        kept = self.kept or [True] * self.rows
        return [{name: one[i] for name, one in self.after.items()} for i in range(self.rows) if kept[i]]


def statistics_of(cells: Cells, case: Case, kept: list[bool], strict: bool) -> Statistics:
    recipe = recipe_of({name: part for name, part in case.columns.items() if name in cells or strict})
    rows = len(next(iter(cells.values()))) if cells else 0
    table = Table([Column.of_texts(name, texts) for name, texts in cells.items()], 0, rows)
    source = Some(table, Schema(tuple(Field(name) for name in cells)), 1)
    source.kept = np.array(kept, bool)
    declared = recipe.declarations({})
    return Statistics(Dataset(source, recipe.columns, declared, None, strict), declared, NullReporter())


def result_of(measure: Measure, case: Case) -> Result:
    everybody = [True] * case.rows
    before = statistics_of(case.before, case, everybody, True)
    after = statistics_of(case.after, case, case.kept or everybody, False)
    quasi = tuple(name for name, part in case.columns.items() if part["role"] == "quasi-identifier")
    traces = case.traces and Traces(case.traces, quasi, steps=case.steps)
    setting = Setting(
        before=before,
        after=after,
        rows=case.rows,
        source=Source(key_from_seed(1)),
        reporter=NullReporter(),
        outside=OpenedFiles(lambda source: None, {}),
        traces=traces or None,
        aligned=case.aligned,
        left_behind=case.left_behind,
        held_out=np.array(case.held_out, bool) if case.held_out else None,
    )
    return measured([measure], setting).results[0]


def figures_of(measure: Measure, case: Case) -> Figures:
    found = result_of(measure, case)
    assert found.after is not None, found.reason
    return found.after


TREE = {f"v{i}": [f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)}
LINES = [";".join(path) for path in TREE.values()]
COLUMNS = {
    "town": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": LINES},
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "job": {"role": "sensitive", "kind": "categorical"},
    "pay": {"role": "other", "kind": "decimal"},
    "born": {"role": "other", "kind": "date"},
    "same": {"role": "other", "kind": "categorical"},
    "gone": {"role": "other", "kind": "categorical"},
    "who": {"role": "direct-identifier", "kind": "text"},
}


def random_case(seed: int) -> Case:
    """A truthful release: labels above values, `*`, missing cells, suppressed rows, rows left out."""
    draw = random.Random(seed)
    rows = draw.choice([1, 2, 3, 8, 20, 40])

    def cells(one):
        return ["" if draw.random() < 0.1 else one() for _ in range(rows)]

    before = {
        "town": cells(lambda: f"v{draw.randrange(8)}"),
        "age": cells(lambda: str(draw.randrange(draw.choice([4, 90])))),
        "job": cells(lambda: draw.choice("abc")),
        "pay": cells(lambda: f"{draw.randrange(400) / 4}"),
        "born": cells(lambda: f"19{draw.randrange(60, 99)}-0{draw.randrange(1, 9)}-1{draw.randrange(10)}"),
        "same": ["x"] * rows,
        "gone": cells(lambda: draw.choice("pq")),
        "who": [f"p{i}" for i in range(rows)],
    }
    after = {name: list(texts) for name, texts in before.items() if name not in ("gone", "who")}
    level = draw.randrange(4)
    after["town"] = [TREE[text][level] if text else text for text in after["town"]]
    width = draw.choice([1, 5, 20])
    if width > 1:
        after["age"] = [_interval(text, width) for text in after["age"]]
    after["born"] = [text[: draw.choice([10, 7, 4])] for text in after["born"]]
    for i in range(rows):
        if draw.random() < 0.2:
            after["town"][i] = after["age"][i] = "*"
        if draw.random() < 0.1:
            after["job"][i] = "*"
    kept = [draw.random() < 0.9 for _ in range(rows)] if seed % 3 == 0 else []
    if kept and not any(kept):
        kept[0] = True
    return Case(COLUMNS, before, after, kept)


def _interval(text: str, width: int) -> str:
    if not text:
        return text
    low = int(text) // width * width
    return f"[{low}, {low + width}["


def random_answers(seed: int) -> Case:
    """The same with one column of numbers and one of categories that chance changed."""
    case, draw = random_case(seed), random.Random(seed + 1000)
    case.after["pay"] = [
        str(float(text) + draw.randrange(-9, 9)) if text else text for text in case.before["pay"]
    ]
    case.after["town"] = [text and f"v{draw.randrange(8)}" for text in case.before["town"]]
    case.after["job"] = [text and draw.choice("abc") for text in case.before["job"]]
    leaving = dict.fromkeys(case.after, Trace.KEPT)
    changed = {"pay": Trace.PERTURBED, "town": Trace.PERTURBED, "job": Trace.EXCHANGED}
    case.traces = {"gone": Trace.REMOVED, **leaving, "age": Trace.COARSER, "born": Trace.COARSER, **changed}
    case.steps = {name: int(trace is not Trace.KEPT) for name, trace in case.traces.items()}
    return case
