"""Small random tables with random hierarchies, goals, objectives and limits, drawn by Hypothesis."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from worker.engine.contracts.goal import Goal
from worker.engine.goals.average_risk import AverageRisk
from worker.engine.goals.beta_likeness import BetaLikeness
from worker.engine.goals.delta_disclosure import DeltaDisclosure
from worker.engine.goals.delta_presence import DeltaPresence
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.goals.k_map import KMap
from worker.engine.goals.l_diversity import LDiversity
from worker.engine.goals.population_uniqueness import PopulationUniqueness
from worker.engine.goals.sample_uniqueness import SampleUniqueness
from worker.engine.goals.t_closeness import TCloseness
from worker.engine.hierarchies.hierarchy import Levels, levels_of
from worker.engine.search.costs import AGGREGATES, OBJECTIVES, Aim
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import group, pack
from worker.engine.tables.kinds import Kind

LIMITS = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0])


@dataclass
class Drawn:
    """A table, its hierarchies, and what is asked."""

    table: FrequencyTable
    levels: list[Levels]
    declarations: dict[str, Declaration]
    population: FrequencyTable

    @property
    def quasi_identifiers(self):
        return tuple(one.name for one in self.levels)

    def declaration(self, column):
        return self.declarations.get(column, Declaration())

    def distinct(self, column):
        return self.table.domain(column)


@st.composite
def hierarchies(draw, values, rooted):
    """Lines in which values that met stay together; now and then lines for values that do not occur."""
    known = [*values, *(f"z{i}" for i in range(draw(st.integers(0, 2))))]
    levels = [{value: value for value in known}]
    for height in range(draw(st.integers(0, 3))):
        labels = sorted(set(levels[-1].values()))
        merged = {one: f"{height}:{draw(st.integers(0, len(labels) - 1))}" for one in labels}
        if draw(st.integers(0, 4)) == 0:  # hidden below the root
            merged[draw(st.sampled_from(labels))] = "*"
        merged |= {"*": "*"} if "*" in merged else {}
        levels.append({value: merged[label] for value, label in levels[-1].items()})
    if rooted or len(levels) == 1 or draw(st.booleans()):
        root = "*" if "*" in levels[-1].values() else draw(st.sampled_from(["*", "all"]))
        levels.append(dict.fromkeys(known, root))
    return HierarchySpec(lines=tuple(";".join(level[value] for level in levels) for value in known))


def counted(domains, rows, persons=None, weights=None):
    """The frequency table of rows of codes."""
    codes = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    columns, sizes = list(codes), [len(domain) for domain in domains]
    if persons is not None:
        columns, sizes = [*columns, np.array(persons, np.int32)], [*sizes, max(persons) + 1]
    groups = group(pack(columns, sizes, len(rows)))
    return FrequencyTable(
        tuple(domains),
        tuple(column[groups.first] for column in codes),
        groups.sum(np.ones(len(rows), np.int64)),
        None if persons is None else columns[-1][groups.first],
        None if weights is None else groups.sum(np.array(weights, float)),
    )


def domain(name, values, missing=False):
    texts = ("", *values[1:]) if missing else tuple(values)
    return Domain(name, Kind.CATEGORICAL, texts, np.array([not text for text in texts], bool))


@st.composite
def tables(draw, most_rows=24):
    width = draw(st.integers(1, 4))
    sizes = [draw(st.integers(1, 5)) for _ in range(width)]
    secrets = [draw(st.integers(1, 4)) for _ in range(2)]
    row = st.tuples(*(st.integers(0, size - 1) for size in [*sizes, *secrets]))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    domains = [
        domain(f"q{i}", [f"{i}{v}" for v in range(n)], draw(st.booleans())) for i, n in enumerate(sizes)
    ]
    domains += [domain(f"s{i}", [f"s{v}" for v in range(n)]) for i, n in enumerate(secrets)]
    persons = draw(st.none() | st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    specs = {
        one.name: draw(hierarchies([text for text in one.texts if text] or ["x"], bool(one.missing.any())))
        for one in domains
    }
    levels = [levels_of(specs[one.name], one) for one in domains[:width]]
    more = draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes)), max_size=12))
    people = counted(domains[:width], [one[:width] for one in rows] + more)
    weights = draw(st.none() | st.just([1.5] * len(rows)))
    declarations = {name: Declaration(hierarchy=spec) for name, spec in specs.items()}
    return Drawn(counted(domains, rows, persons, weights), levels, declarations, people)


def goals() -> st.SearchStrategy[Goal]:
    column = st.sampled_from(["s0", "s1"])
    limit = st.sampled_from([0.0, 0.1, 0.3, 0.5])
    distance = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5])
    return st.one_of(
        st.builds(KAnonymity, k=st.integers(1, 4), missing=st.sampled_from(["own", "own", "wildcard"])),
        st.builds(
            LDiversity,
            column=column,
            l=st.integers(2, 3),
            variant=st.sampled_from(["distinct", "entropy", "recursive"]),
            c=st.sampled_from([0.5, 1.0, 3.0]),
            benign=st.sampled_from([(), ("s0",)]),
        ),
        st.builds(
            TCloseness,
            column=column,
            t=distance,
            distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
        ),
        st.builds(
            BetaLikeness,
            column=column,
            beta=st.sampled_from([0.5, 1.0, 2.0]),
            variant=st.sampled_from(["basic", "enhanced"]),
        ),
        st.builds(DeltaDisclosure, column=column, delta=st.sampled_from([0.5, 1.0, 2.0])),
        st.builds(AverageRisk, limit=st.sampled_from([0.1, 0.3, 0.5])),
        st.builds(SampleUniqueness, limit=limit),
        st.builds(PopulationUniqueness, limit=limit, sampling_fraction=st.sampled_from([0.1, 0.5])),
        st.builds(KMap, k=st.integers(1, 5), population=st.just("people.csv")),
        st.builds(
            DeltaPresence, lower=st.sampled_from([0.0, 0.2]), upper=st.sampled_from([0.6, 1.0]),
            population=st.just("people.csv"),
        ),
    )  # fmt: skip


@st.composite
def asked(draw, drawn, among=None):
    """One to three goals, told of the table."""
    chosen = draw(st.lists(among or goals(), min_size=1, max_size=3))
    return [goal.bound(drawn, lambda path, names: drawn.population) for goal in chosen]


@st.composite
def bounds(draw, levels):
    found = []
    for one in levels:
        low = draw(st.integers(0, one.height)) if draw(st.integers(0, 4)) == 0 else 0
        found.append(
            (low, draw(st.integers(low, one.height)) if draw(st.integers(0, 4)) == 0 else one.height)
        )
    return found


aims = st.builds(
    Aim,
    objective=st.sampled_from(OBJECTIVES),
    aggregate=st.sampled_from(AGGREGATES),
    weight=st.sampled_from([0.5, 0.5, 0.2, 0.9]),
)
