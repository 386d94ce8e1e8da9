"""A made-up release beside rows it was made from and rows that were held out, and random ones of them."""

import random
from dataclasses import dataclass
from datetime import date

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
from worker.engine.tables.table import MemorySource, Table

Row = tuple[str, ...]
COLUMNS = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "pay": {"role": "sensitive", "kind": "decimal"},
    "born": {"role": "other", "kind": "date"},
}
NAMES = tuple(COLUMNS)
FILE = "others.csv"


@dataclass
class MadeUp:
    """Rows of texts in the order of the columns; the hold-out is marked in them, or a `file`."""

    training: list[Row]
    hold_out: list[Row]
    released: list[Row]
    columns: dict[str, dict]
    traces: dict[str, Trace] | None = None
    file: bool = False

    @classmethod
    def of(cls, training, hold_out, released, columns=None, **more) -> "MadeUp":
        return cls(list(training), list(hold_out), list(released), columns or COLUMNS, **more)

    @property
    def setting(self) -> Setting:
        before = self.training if self.file else self.training + self.hold_out
        quasi = [name for name, one in self.columns.items() if one["role"] == "quasi-identifier"]
        mask = np.arange(len(before)) >= len(self.training)
        file = {FILE: MemorySource(self._table(self.hold_out))} if self.file else {}
        return Setting(
            before=self._statistics(self._source(before), True),
            after=self._statistics(self._source(self.released), False),
            rows=len(before),
            source=Source(key_from_seed(1)),
            reporter=NullReporter(),
            outside=OpenedFiles(lambda source: self._statistics(source, False), file),
            held_out=None if self.file or not self.hold_out else mask,
            traces=None if self.traces is None else Traces(self.traces, tuple(quasi)),
        )

    def _table(self, rows: list[Row]) -> Table:
        texts = zip(self.columns, zip(*rows, strict=True) if rows else [()] * len(self.columns), strict=True)
        return Table([Column.of_texts(name, list(cells)) for name, cells in texts], 0, len(rows))

    def _source(self, rows: list[Row]) -> MemorySource:
        return MemorySource(self._table(rows), blocks_per_chunk=1)

    def _statistics(self, source: MemorySource, strict: bool) -> Statistics:
        recipe = recipe_of(self.columns)
        declared = recipe.declarations({})
        return Statistics(Dataset(source, recipe.columns, declared, None, strict), declared, NullReporter())


def result_of(measure: Measure, files: MadeUp) -> Result:
    return measured([measure], files.setting).results[0]


def figures_of(measure: Measure, files: MadeUp) -> Figures:
    found = result_of(measure, files)
    assert found.after is not None, found.reason
    return found.after


def random_row(draw: random.Random, none: str = "") -> Row:
    """Cells of few values, so that there are ties and equal rows; some have `none`."""
    cells = (
        str(draw.randrange(20, 30)),
        draw.choice("abc"),
        f"{draw.randrange(40) / 4}",
        f"19{draw.randrange(60, 70)}-0{draw.randrange(1, 9)}-1{draw.randrange(10)}",
    )
    return tuple(none if draw.random() < 0.08 else cell for cell in cells)


def random_files(seed: int, rows: int = 32, **more) -> MadeUp:
    """As many training rows as were held out; some released rows are copies of either, some cells `*`."""
    draw = random.Random(seed)
    training = [random_row(draw) for _ in range(rows)]
    hold_out = [random_row(draw) for _ in range(rows)]
    copies = draw.choice([0.0, 0.3])
    released = [
        draw.choice(training + hold_out[:5])
        if draw.random() < copies
        else random_row(draw, draw.choice(["", "*"]))
        for _ in range(draw.choice([5, 40]))
    ]
    return MadeUp.of(training, hold_out, released, **more)


def reading(kind: str, text: str) -> float | str:
    """A number, a day, or the text itself."""
    if kind == "date" and text[:1].isdigit():
        return float(date.fromisoformat(text).toordinal())
    if kind in ("integer", "decimal"):
        try:
            return float(text)
        except ValueError:
            return text
    return text


def readings(rows: list[Row], columns: dict[str, dict]) -> list[tuple]:
    kinds = [one["kind"] for one in columns.values()]
    return [tuple(reading(kind, text) for kind, text in zip(kinds, row, strict=True)) for row in rows]


def spans(original: list[tuple]) -> list[float]:
    found = []
    for cells in zip(*original, strict=True):
        numbers = [one for one in cells if isinstance(one, float)]
        found.append((max(numbers) - min(numbers)) or 1.0 if numbers else 1.0)
    return found


def apart(one: tuple, other: tuple, widths: list[float], euclidean: bool = False) -> float:
    """Gower's distance, or Euclid's per column."""
    steps = []
    for a, b, width in zip(one, other, widths, strict=True):
        both = isinstance(a, float) and isinstance(b, float)
        steps.append(abs(a - b) / width if both else float(a != b or type(a) is not type(b)))
    if euclidean:
        return (sum(step * step for step in steps) / len(steps)) ** 0.5
    return sum(steps) / len(steps)


def wilson(hits: float, tries: float) -> tuple[float, float]:
    z, p = 1.959963984540054, hits / tries
    centre = (p + z * z / (2 * tries)) / (1 + z * z / tries)
    half = z * (p * (1 - p) / tries + z * z / (4 * tries**2)) ** 0.5 / (1 + z * z / tries)
    return min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half))
