"""What a person's class tells of the sensitive value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, Self

from pydantic import Field

from worker.engine.attributes.posteriors import Posteriors
from worker.engine.attributes.worst_classes import certainty_chart, in_words, words_chart
from worker.engine.contracts.chart import Chart
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.contracts.traces import TRUE, ReleaseFamily, Traces
from worker.engine.hierarchies.value_order import ranks_of
from worker.engine.tables.classes import released_classes
from worker.engine.tables.column import Floats
from worker.engine.tables.kinds import NUMERIC, Kind, Role
from worker.engine.tables.questions import CountsOf, Question
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

ON_A_SCALE = NUMERIC | {Kind.ORDINAL, Kind.DATE}
NO_KEY = "No column is tagged quasi-identifier, so that there is nothing by which a class could be found."
NO_SENSITIVE = "No column is tagged sensitive, so that there is nothing that classes could give away."
TABLE = "A table leaves and no rows: ε and δ answer."
NOBODYS = "Its rows are made up and form no classes of people: correct attribution answers."
NOT_TRUE = (
    "The quasi-identifiers were changed, so that nobody finds a class by them: correct attribution answers."
)
NOT_TOLD = "The sensitive columns were changed, so that no class tells them: correct attribution answers."


@register
class AttributeDisclosure(Measure):
    """What somebody who finds a person's class learns of the sensitive value, without finding the row.

    Rows equal on all quasi-identifiers form a class. The share of a value in a class (the posterior) is how
    sure somebody is of it who knows the quasi-identifiers and that the person is in the data; its share in
    the whole table (the prior) is what the table tells of everybody. Where all of a class have one value, the
    value is certain. *l* is the number of values in the least diverse class, by count and by entropy; *t* the
    largest distance of a class from the table: ½ Σ |p − q|, or Σ |cumulative (p − q)| ÷ (m − 1) where the
    values lie on a scale. Both are what l-diversity and t-closeness verify.

    Quasi-identifiers and sensitive columns that were exchanged, perturbed or made up are left out: classes by
    the others still answer, and correct attribution answers for them. Suppressed rows (`*` in every
    quasi-identifier) belong to no class, but count in the table. A missing value and `*` are values of their
    own. With a person key, classes count distinct persons.
    """

    slug = "attribute-disclosure"
    title = "Attribute disclosure"
    section = Section.RISK
    references = (
        "Machanavajjhala et al. (2007), l-diversity: privacy beyond k-anonymity",
        "Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity",
    )
    figures: ClassVar = (
        Figure(
            "highest_posterior",
            "Highest posterior",
            "The largest share that a value has in any class: how sure somebody is of the value of the "
            "person most at risk. 100 % means that a class has one value.",
            unit="share",
            better="low",
            usual=(0, 0.8),
            per="column",
            headline=True,
            roles=(Role.SENSITIVE,),
        ),
        Figure(
            "certain_share",
            "Share of rows whose value is certain",
            "Rows (persons, with a person key) in classes that have one sensitive value, divided by all in "
            "classes. Values declared benign need no protection and do not count.",
            unit="share",
            better="low",
            usual=(0, 0.01),
            per="column",
            headline=True,
            roles=(Role.SENSITIVE,),
        ),
        Figure(
            "homogeneity",
            "Homogeneity",
            "The share of rows in classes that have one sensitive value, benign or not.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "highest_prior",
            "Highest share in the table",
            "The share of the commonest value in the whole table: so sure is whoever knows nothing of the "
            "person. Values declared benign do not count.",
            unit="share",
            per="column",
        ),
        Figure(
            "highest_gain",
            "Highest gain",
            "The largest difference between the share of a value in a class and in the whole table: the most "
            "that finding a class teaches.",
            unit="share",
            better="low",
            per="column",
        ),
        Figure(
            "distinct_l",
            "Distinct l reached",
            "Different values in the class that has the fewest: the l of distinct l-diversity. Classes of "
            "benign values alone are passed over.",
            unit="count",
            better="high",
            usual=(2, None),
            per="column",
        ),
        Figure(
            "entropy_l",
            "Entropy l reached",
            "e to the entropy of the values, in the class where it is least: as many equally frequent values "
            "would be as hard to guess. Classes of benign values alone are passed over.",
            better="high",
            usual=(2, None),
            per="column",
        ),
        Figure(
            "equal_t",
            "Equal t reached",
            "½ Σ |p − q| of the class farthest from the table, all values being equally far apart.",
            unit="share",
            better="low",
            usual=(0, 0.5),
            per="column",
        ),
        Figure(
            "ordered_t",
            "Ordered t reached",
            "Σ |cumulative (p − q)| ÷ (m − 1) of the class farthest from the table, of numbers, dates and "
            "ordinal columns: how far along the scale the values of the class lie from those of the table.",
            unit="share",
            better="low",
            usual=(0, 0.3),
            per="column",
        ),
        Figure(
            "suppressed_rows",
            "Suppressed rows",
            "Rows with * in every quasi-identifier. They belong to no class.",
            unit="count",
        ),
    )

    benign: tuple[str, ...] = Field(
        (), title="Benign values", description="Values such as healthy that need no protection."
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        schema, traces = outlook.schema, outlook.traces
        if not schema.named(Role.QUASI_IDENTIFIER):
            return NO_KEY
        if not schema.named(Role.SENSITIVE):
            return NO_SENSITIVE
        if traces is None:
            return None
        if traces.tabulated:
            return TABLE
        if traces.family is ReleaseFamily.MADE_UP:
            return NOBODYS
        if not _true(traces, schema.named(Role.QUASI_IDENTIFIER)):
            return NOT_TRUE
        return None if _true(traces, schema.named(Role.SENSITIVE)) else NOT_TOLD

    def questions(self, schema: Schema) -> Sequence[Question]:
        keys = schema.named(Role.QUASI_IDENTIFIER)
        return tuple(CountsOf((*keys, name), persons=True) for name in schema.named(Role.SENSITIVE))

    def read(self, side: Side) -> Found:
        statistics = side.statistics
        keys = _true(side.traces, statistics.quasi_identifiers)
        figures: dict[str, dict[str, Scalar]] = {}
        charts: list[Chart] = []
        suppressed = 0
        for name in _true(side.traces, statistics.sensitive):
            classes, hidden = released_classes(statistics.counts((*keys, name), persons=True), keys)
            found = Posteriors.of(classes, name, self.benign)
            for figure, value in {**_reached(found), **_far(found, statistics)}.items():
                figures.setdefault(figure, {})[name] = value
            suppressed = 0 if hidden is None else int(hidden.rows.sum())
            sentences = tuple(in_words(found, classes, keys, statistics.unit))
            charts += [words_chart(name, found, sentences), certainty_chart(name, found)]
        return Found({**figures, "suppressed_rows": suppressed}, charts=tuple(charts))


def _true(traces: Traces | None, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of which cells tell the truth; all of them where nobody knows what was done."""
    return tuple(name for name in names if traces is None or traces[name] in TRUE)


def _reached(found: Posteriors) -> dict[str, Scalar]:
    """What the classes tell, and how diverse the least diverse is."""
    parts, total = [_Told.of(part) for part in found.parts()], int(found.people.sum())
    return {
        "highest_posterior": _highest(part.posterior for part in parts),
        "certain_share": sum(part.certain for part in parts) / total if total else None,
        "homogeneity": sum(part.alike for part in parts) / total if total else None,
        "highest_prior": _most(found.prior[~found.harmless]),
        "highest_gain": _highest(part.gain for part in parts),
        "distinct_l": min((part.distinct for part in parts if part.distinct is not None), default=None),
        "entropy_l": min((part.effective for part in parts if part.effective is not None), default=None),
    }


class _Told(NamedTuple):
    """What some of the classes tell: the highest and lowest figures, and how many people are in classes of
    one value, `certain` where it is to be protected."""

    posterior: float | None
    gain: float | None
    certain: int
    alike: int
    distinct: int | None
    effective: float | None

    @classmethod
    def of(cls, found: Posteriors) -> Self:
        alike, harmful, judged = found.distinct == 1, found.harmful, found.judged
        return cls(
            _most(found.posterior[harmful]),
            _most(found.gain[harmful].clip(0)),
            int(found.people[alike & judged].sum()),
            int(found.people[alike].sum()),
            int(found.distinct[judged].min()) if judged.any() else None,
            float(found.effective[judged].min()) if judged.any() else None,
        )


def _far(found: Posteriors, statistics: Statistics) -> dict[str, Scalar]:
    """How far the class is from the table that is farthest."""
    domain = found.domain
    equal = _highest(_most(part.apart()) for part in found.parts())
    far: dict[str, Scalar] = {"equal_t": equal, "ordered_t": None}
    if domain.kind in ON_A_SCALE:
        ranks = ranks_of(domain, statistics.declaration(domain.name))
        far["ordered_t"] = _most(found.apart_in_order(ranks))
    return far


def _highest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _most(values: Floats) -> float | None:
    return float(values.max()) if len(values) else None
