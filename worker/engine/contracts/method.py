"""The contract of methods: statistics out, transforms in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from worker.engine.contracts.channels import Channel
from worker.engine.contracts.chart import Chart
from worker.engine.contracts.facts import SPELLED, Facts, StepJson
from worker.engine.contracts.parameters import Params
from worker.engine.contracts.parametric import Parametric, Registry
from worker.engine.contracts.privacy import Spend
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Role
from worker.engine.tables.table import Chunk, Schema, Table, Tallies
from worker.engine.wording import measured

if TYPE_CHECKING:
    from worker.engine.contracts.goal import Goal
    from worker.engine.tables.statistics import Statistics


class Family(StrEnum):
    """How a method works; the groups of the picker."""

    GENERALIZING = "generalizing"
    SUPPRESSING = "suppressing"
    PERTURBATIVE = "perturbative"
    PSEUDONYMIZING = "pseudonymizing"
    SYNTHETIC = "synthetic"
    STATISTICS = "statistics"


class Guarantee(StrEnum):
    """What a method promises by itself."""

    NONE = "none"
    GOALS = "goals"
    LOCAL_DIFFERENTIAL_PRIVACY = "local differential privacy"
    DIFFERENTIAL_PRIVACY = "differential privacy"


class Scope(StrEnum):
    """Whether a method decides row by row or needs whole columns in memory."""

    ROWS = "rows"
    WHOLE_COLUMNS = "whole columns"


@dataclass(frozen=True)
class Plan:
    """What a method decided, enough to transform any chunk.

    `announces` is what others read of it, `facts` are its own; both go into the report. `held_out` marks the
    input rows that it set aside and learnt nothing from.
    """

    facts: StepJson = field(default_factory=lambda: MappingProxyType({}))
    announces: Facts = field(default=Facts(), kw_only=True)
    held_out: Mask | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Own facts cannot pass for announced ones."""
        if taken := SPELLED & self.facts.keys():
            raise TypeError(f"announce {', '.join(sorted(taken))}, so that others can read it")

    @property
    def entry(self) -> StepJson:
        """All facts as the report spells them."""
        return {**self.announces.entry(), **self.facts}


@dataclass(frozen=True)
class Tabulation(Plan):
    """What a statistics method made instead of microdata.

    `table` is released as it stands, in its own order. `exact` are the same cells with the figures that
    stay inside; it is written only where it is sealed.
    """

    table: Table = field(default_factory=lambda: Table(()))
    exact: Table = field(default_factory=lambda: Table(()))


@dataclass(frozen=True)
class Forecast:
    """A figure that follows from the parameters alone, told before anything is run or spent."""

    label: str
    value: str
    help: str = ""


@dataclass(frozen=True)
class Preset:
    """Ready-made parameters for those who do not want to choose, with their effect in plain words.

    Columns are the steward's to choose: `params` names none.
    """

    title: str
    effect: str
    params: Params


class Method(Parametric):
    """A way to change or summarize data. It never sees "the data": it asks statistics, then transforms."""

    family: ClassVar[Family]
    guarantee: ClassVar[Guarantee] = Guarantee.NONE
    scope: ClassVar[Scope] = Scope.ROWS
    enforces: ClassVar[bool] = False
    """Whether its output satisfies every goal of the recipe."""
    tabulates: ClassVar[bool] = False
    """Whether its plan is a Tabulation: then no microdata leave, and it is the only step of its recipe."""
    averages_out: ClassVar[bool] = False
    """Whether it changes values at random, so that files made anew of the same data average out."""

    tells_changes: ClassVar[bool] = True
    """Whether the codebook may say how many cells changed: where that is a matter of chance, cell by cell,
    which the reader is promised, it would tell more than the promise allows."""

    per_tuple: ClassVar[bool] = False
    """Whether `transform` looks only at the values of the row's `touches`, and draws nothing at random."""

    @property
    def holds_columns(self) -> bool:
        """Whether it holds whole columns in memory with these parameters."""
        return self.scope is Scope.WHOLE_COLUMNS

    @property
    def drops_rows(self) -> bool:
        """Whether `transform` may leave rows out."""
        return False

    @property
    def drawn_column(self) -> str | None:
        """The column whose cells every run on the same data draws alike: drawn anew they average out."""
        return None

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        """What it leaves of each column, as far as its parameters tell; one that is not named is kept."""
        raise NotImplementedError

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        """How it moves the values of each column, where that is published: its mechanism, not what it
        protects. `statistics` are those of the original."""
        return {}

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose values, or whose kinds, `transform` may change."""
        after = self.output_schema(schema)
        return tuple(
            name
            for name, trace in self.leaves(schema).items()
            if trace is not Trace.KEPT or after[name] != schema[name]
        )

    def perturbs(self, schema: Schema) -> tuple[str, ...]:
        """The columns in which other values take the place of the original ones, cell by cell."""
        if self.family is not Family.PERTURBATIVE:
            return ()
        return tuple(name for name, trace in self.leaves(schema).items() if trace is not Trace.KEPT)

    def plan(self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter) -> Plan:
        """Ask for statistics and decide."""
        return Plan()

    def require_values(self, statistics: Statistics) -> None:
        """Refuse named columns that hold no value at all."""
        for param, name, _ in self.named_columns():
            statistics.require_values(name, param)

    def transform(self, chunk: Chunk, plan: Any, source: Source) -> Chunk:
        """Apply the decision to a piece of the data, looking at nothing else."""
        return chunk

    def conclude(self, plan: Any, tallies: Tallies) -> StepJson:
        """More facts for the report, once the tallies of all chunks are added up."""
        return {}

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        """What the release's codebook tells an analyst: what was done, and how to work with it.

        `facts` are the step's entry in the report; nothing in them that must not be published is told.
        """
        return ()

    def codebook(self, facts: StepJson) -> tuple[str, ...]:
        """The guidance, and how much of the file the step really changed."""
        found = Facts.of(facts).changed
        if found is None or not found.changed or not self.tells_changes:
            return self.guidance(facts)
        if not found.total:
            return (f"{', '.join(found.changed)}: this step changed no value.",)
        shares = (f"{_about(one, found.cells[name])} of {name}" for name, one in found.changed.items())
        return (*self.guidance(facts), f"Values that differ from the original ones: {', '.join(shares)}.")

    def charts(self, facts: StepJson) -> tuple[Chart, ...]:
        """Pictures for the codebook, drawn from the same facts: a matrix, estimates with their errors."""
        return ()

    def forecast(self, declared: Mapping[str, Declaration]) -> tuple[Forecast, ...]:
        """What can be said of the result from the parameters and what is declared of the columns."""
        return ()

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        """Choices offered before any parameter is shown."""
        return ()

    def require_possible(
        self, schema: Schema, goals: Sequence[Goal], declared: Mapping[str, Declaration]
    ) -> None:
        """Refuse what cannot work whatever the data hold: said when a recipe is saved, and before a plan."""
        self.check(schema)
        self.forecast(declared)

    def touches(self, schema: Schema) -> tuple[str, ...]:
        """The columns that `transform` needs to see: those it names, and the quasi-identifiers."""
        named = (name for _, name, _ in self.named_columns())
        return tuple(dict.fromkeys((*named, *schema.named(Role.QUASI_IDENTIFIER))))

    def output_schema(self, schema: Schema) -> Schema:
        """The columns after this method."""
        return schema

    def needs_project_key(self) -> bool:
        """Whether the run must be given the key that belongs to the project."""
        return False

    def cost(self) -> Spend:
        """What it takes from the privacy budget: a pure function of the parameters."""
        return Spend()


def require_quasi_identifiers(schema: Schema) -> None:
    """For methods that make rows alike: something has to tell them apart."""
    if not schema.named(Role.QUASI_IDENTIFIER):
        text = "No column is tagged quasi-identifier. Tag the columns that others may know about a person."
        raise EngineError("no-quasi-identifiers", text, param="columns")


def _about(changed: int, cells: int) -> str:
    """A share in whole percents, so that no single cell is told."""
    if changed in (0, cells):
        return "all" if changed else "none"
    return f"about {measured(min(max(round(100 * changed / cells), 1), 99), '%')}"


methods: Registry[type[Method]] = Registry("method")
M = TypeVar("M", bound=type[Method])


def register(cls: M) -> M:
    """Make a method known under its slug. What it leaves of the data is never guessed."""
    if cls.leaves is Method.leaves:
        raise TypeError(f"{cls.slug} does not say what it leaves of each column: define `leaves`")
    methods.register(cls)
    return cls
