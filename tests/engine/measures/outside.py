"""A release beside its original, with other releases and files that somebody else holds."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.engine.measures.scenes import Case, Cells, statistics_of
from worker.engine.contracts.figure import Figures
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.execution.measuring import Measured, Setting, measured
from worker.engine.randomness import Source, key_from_seed
from worker.engine.reporting import NullReporter
from worker.engine.tables.statistics import Statistics


@dataclass
class Beyond:
    """What is behind the door, made when it is asked for."""

    made: dict[str, Callable[[], Statistics]]
    files: dict[str, Callable[[], Statistics]]
    by_row: frozenset[str]

    def auxiliary(self, name: str) -> Statistics:
        return self.files[name]()

    def releases(self) -> dict[str, Statistics]:
        return {name: make() for name, make in self.made.items()}

    def placed(self) -> frozenset[str]:
        return self.by_row


@dataclass
class World:
    """`others` are released tables; those named in `placed` have a cell for each input row."""

    case: Case
    others: dict[str, Cells] = field(default_factory=dict)
    files: dict[str, Cells] = field(default_factory=dict)
    kept: dict[str, list[bool]] = field(default_factory=dict)
    placed: frozenset[str] = frozenset()


def looked(measure: Measure, world: World) -> Measured:
    case, everybody = world.case, [True] * world.case.rows

    def asked(cells: Cells, kept: list[bool] | None = None) -> Callable[[], Statistics]:
        rows = len(next(iter(cells.values())))
        return lambda: statistics_of(cells, case, kept or [True] * rows, False)

    quasi = tuple(name for name, part in case.columns.items() if part["role"] == "quasi-identifier")
    traces = case.traces and Traces(
        case.traces, tuple(name for name in quasi if case.traces.get(name) is not Trace.REMOVED)
    )
    setting = Setting(
        before=statistics_of(case.before, case, everybody, True),
        after=statistics_of(case.after, case, case.kept or everybody, False),
        rows=case.rows,
        source=Source(key_from_seed(1)),
        reporter=NullReporter(),
        outside=Beyond(
            {name: asked(cells, world.kept.get(name)) for name, cells in world.others.items()},
            {name: asked(cells) for name, cells in world.files.items()},
            world.placed,
        ),
        traces=traces or None,
        aligned=case.aligned,
    )
    return measured([measure], setting)


def figures_of(measure: Measure, world: World) -> Figures:
    result = looked(measure, world).results[0]
    assert result.after is not None, result.reason
    return result.after


def reason_of(measure: Measure, world: World) -> str:
    result = looked(measure, world).results[0]
    assert str(result.state) == "does-not-apply", result
    assert result.reason is not None
    return result.reason
