"""Post-randomization draws from exactly the matrix it reports, and the estimates undo it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.engine.methods.judging import ROWS, fits
from tests.engine.methods.running import codes, run
from worker.engine.errors import EngineError
from worker.engine.methods.pram import Pram
from worker.engine.randomness import Source, key_from_seed
from worker.engine.reporting import NullReporter
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, MemorySource, Table

LABELS = ["a", "b", "c", "d"]
SHARES = [0.5, 0.3, 0.15, 0.05]
KEY = key_from_seed(1)
OWN = ((0.7, 0.1, 0.1, 0.1), (0.0, 0.9, 0.05, 0.05), (0.25, 0.25, 0.5, 0.0), (0.0, 0.0, 0.0, 1.0))


def column(rows: int = ROWS, labels=LABELS, shares=SHARES):
    return codes("x", np.random.default_rng(1).choice(len(labels), rows, p=shares), labels)


class Whole:
    """A table as a run offers it."""

    def __init__(self, table: Table) -> None:
        self.schema, self.rows, self._source = MemorySource(table).schema, table.rows, MemorySource(table)

    def chunks(self, columns):
        return self._source.chunks(columns)


def plan_of(step: Pram, *columns, declared=None):
    statistics = Statistics(Whole(Table(columns)), declared or {}, NullReporter())
    return step.plan(statistics, (), Source(KEY), NullReporter())


def implemented(plan) -> list[list[Fraction]]:
    return plan.alias.matrix(len(plan.categories))


def moves(before, after, size: int = len(LABELS)) -> np.ndarray:
    index = {label: i for i, label in enumerate(LABELS)}
    table = np.zeros((size, size), int)
    np.add.at(table, ([index[t] for t in before.texts()], [index[t] for t in after.texts()]), 1)
    return table


@pytest.mark.parametrize(
    "step",
    [
        Pram(column="x", keep=0.8),
        Pram(column="x", keep=0.6, invariant=True),
        Pram(column="x", categories=tuple(LABELS), matrix=OWN),
        Pram(column="x", categories=tuple(LABELS), matrix=OWN, invariant=True),
        Pram(column="x", keep=0.7, groups=(("a", "b"), ("c", "d"))),
    ],
    ids=["keep", "invariant", "own", "own-invariant", "groups"],
)
def test_every_row_of_the_matrix_is_drawn_as_reported(step):
    before = column(4 * ROWS)
    out = run(Table([before]), step)
    matrix = np.array(out.facts[0]["matrix"])
    table = moves(before, out["x"])
    assert all(fits(table[i], matrix[i]) for i in range(len(LABELS)))


def test_the_judgement_rejects_mutants():
    before = column(4 * ROWS)
    matrix = np.array(OWN)
    out = run(Table([before]), Pram(column="x", categories=tuple(LABELS), matrix=OWN))
    table = moves(before, out["x"])
    transposed = matrix.T / matrix.T.sum(axis=1, keepdims=True)
    assert not all(fits(table[i], transposed[i]) for i in range(len(LABELS))), "a transposed matrix"
    kept = matrix + 0.05 * np.eye(4)
    kept /= kept.sum(axis=1, keepdims=True)
    assert not all(fits(table[i], kept[i]) for i in range(len(LABELS))), "a diagonal too large by about 0.01"


def test_what_is_implemented_is_exactly_what_was_asked_for():
    plan = plan_of(Pram(column="x", keep=0.8), column(1000))
    tenth = Fraction(1, 15)
    assert implemented(plan) == [[Fraction(4, 5) if i == j else tenth for j in range(4)] for i in range(4)]
    own = plan_of(Pram(column="x", categories=tuple(LABELS), matrix=OWN), column(1000))
    assert implemented(own) == [[Fraction(str(p)) for p in row] for row in OWN]


@pytest.mark.parametrize("matrix", [None, OWN])
@pytest.mark.parametrize("keep", [0.0001, 0.5, 0.9, 1.0])
def test_the_invariant_matrix_leaves_frequencies_exactly_and_keeps_its_diagonal(matrix, keep):
    for shares in (SHARES, [0.97, 0.01, 0.01, 0.01], [0.25] * 4):
        before = column(5003, shares=shares)
        params = {"matrix": matrix, "categories": tuple(LABELS)} if matrix else {"keep": keep}
        plan = plan_of(Pram(column="x", invariant=True, **params), before)
        exact = implemented(plan)
        texts = before.texts()
        counts = [texts.count(label) for label in plan.categories.texts]
        after = [sum(n * row[j] for n, row in zip(counts, exact, strict=True)) for j in range(len(counts))]
        assert after == counts
        wanted = [Fraction(str(matrix[i][i])) for i in range(4)] if matrix else [Fraction(str(keep))] * 4
        assert all(exact[i][i] >= wanted[i] for i in range(4) if counts[i])
        assert all(sum(row) == 1 for row in exact)


def test_an_invariant_matrix_moves_something():
    plan = plan_of(Pram(column="x", keep=0.5, invariant=True), column(5000))
    assert min(float(row[i]) for i, row in enumerate(implemented(plan))) < 0.52


@pytest.mark.parametrize(
    "step",
    [Pram(column="x", keep=0.6), Pram(column="x", categories=tuple(LABELS), matrix=OWN)],
    ids=["symmetric", "own"],
)
def test_the_estimates_are_unbiased_and_their_errors_are_right(step):
    before = column(20_000)
    true = [before.texts().count(label) for label in LABELS]
    scores = []
    for seed in range(60):
        facts = run(Table([before]), step, key=key_from_seed(seed)).facts[0]
        scores.append((np.array(facts["estimated"]) - true) / np.array(facts["standard_errors"]))
    scores = np.array(scores)
    assert np.abs(scores.mean(axis=0)).max() < 6.2 / math.sqrt(60)
    assert 0.6 < scores.std() < 1.4
    assert sum(facts["estimated"]) == pytest.approx(20_000)
    naive = np.array(facts["released"]) - true
    assert np.abs(naive / np.array(facts["standard_errors"])).max() > 6.2, "released frequencies are biased"


def test_a_matrix_without_inverse_gives_no_estimate():
    step = Pram(column="x", categories=("a", "b"), matrix=((0.5, 0.5), (0.5, 0.5)))
    out = run(Table([column(100, labels=["a", "b"], shares=[0.5, 0.5])]), step)
    assert "estimated" not in out.facts[0]
    said = " ".join(step.guidance(out.facts[0]))
    assert "no inverse" in said
    assert "P⁻¹" not in said, "nobody is told to invert it"


def test_no_rows_are_no_trouble():
    out = run(Table([codes("x", np.zeros(0), [])]), Pram(column="x"))
    assert out.texts("x") == []
    assert out.facts[0]["released"] == []
    assert "estimated" not in out.facts[0]


@pytest.mark.parametrize("shares", [SHARES, [0.97, 0.01, 0.01, 0.01], [0.25] * 4])
def test_presets_change_no_more_than_they_say(shares):
    before = column(20_000, shares=shares)
    for preset, most in zip(Pram.presets(), (0.1, 0.2, 0.5), strict=True):
        after = run(Table([before]), Pram(column="x", **preset.params)).texts("x")
        changed = np.mean([a != b for a, b in zip(after, before.texts(), strict=True)])
        assert changed < most + 6.2 * math.sqrt(most * (1 - most) / 20_000)


def test_local_epsilon_is_the_largest_log_ratio_of_a_column():
    facts = plan_of(Pram(column="x", keep=0.8), column(1000)).facts
    assert facts["local_epsilon"] == pytest.approx(math.log(12))
    assert (
        plan_of(Pram(column="x", categories=tuple(LABELS), matrix=OWN), column(1000)).facts["local_epsilon"]
        is None
    )


def test_groups_are_not_hidden_and_the_codebook_says_so():
    step = Pram(column="x", keep=0.75, groups=(("a", "b"), ("c", "d")))
    facts = run(Table([column(1000)]), step).facts[0]
    assert facts["local_epsilon"] is None, "a cell tells the group of its original for certain"
    assert facts["local_epsilon_within_groups"] == pytest.approx(math.log(3))
    assert "is not hidden. Within its group" in " ".join(step.guidance(facts))
    alone = run(Table([column(1000)]), Pram(column="x", keep=0.75, groups=(("a", "b"),))).facts[0]
    assert alone["local_epsilon"] is None, "what is in no group stays"
    one = Pram(column="x", keep=0.75, groups=(tuple(LABELS),))
    whole = run(Table([column(1000)]), one).facts[0]
    assert whole["local_epsilon"] == pytest.approx(math.log(9))
    assert "not hidden" not in " ".join(one.guidance(whole))


def test_categories_change_only_within_their_group():
    before = column()
    out = run(Table([before]), Pram(column="x", keep=0.2, groups=(("a", "b"),)))
    table = moves(before, out["x"])
    assert table[:2, 2:].sum() == table[2:, :2].sum() == table[2, 3] == table[3, 2] == 0
    assert table[0, 1] > 0


def test_strata_have_their_own_frequencies():
    rng = np.random.default_rng(1)
    strata = rng.integers(0, 2, ROWS)
    values = np.where(strata == 0, rng.choice(2, ROWS, p=[0.9, 0.1]), rng.choice(2, ROWS, p=[0.2, 0.8]))
    table = Table([codes("x", values, ["a", "b"]), codes("s", strata, ["F", "M"])])
    step = Pram(column="x", keep=0.6, invariant=True, strata=("s",))
    for blocks in (1, 16):
        out = run(table, step, blocks=blocks)
        after = np.array(out.texts("x")) == "b"
        for one in (0, 1):
            share = values[strata == one].mean()
            assert abs(after[strata == one].mean() - share) < 6.2 * math.sqrt(0.25 / ROWS)
    assert out.facts[0]["strata"] == 2
    said = " ".join(step.guidance(out.facts[0]))
    assert "matrix of its own" in said
    assert "P⁻¹" not in said, "it is not published, so nobody can use it"
    assert [chart.kind for chart in step.charts(out.facts[0])] == ["bar"]


def test_missing_cells_stay_missing():
    before = codes("x", np.tile([0, 1, 2], 1000), ["a", "b", ""])
    after = run(Table([before]), Pram(column="x", keep=0.1)).texts("x")
    assert [text == "" for text in after] == [text == "" for text in before.texts()]


def test_declared_categories_take_part_even_when_they_do_not_occur():
    before = column(1000, labels=["a", "b"], shares=[0.5, 0.5])
    declared = {"x": Declaration(categories=("a", "b", "c"))}
    out = run(Table([before]), Pram(column="x", keep=0.4), declared=declared)
    assert "c" in out.texts("x")
    assert out.facts[0]["categories"] == ["a", "b", "c"]


def test_same_key_same_bytes_and_chunked_is_whole():
    before = column(3 * BLOCK + 5)
    step = Pram(column="x", keep=0.5)
    texts = [run(Table([before]), step, key=KEY, blocks=blocks).texts("x") for blocks in (1, 2, 16)]
    assert texts[0] == texts[1] == texts[2]
    assert run(Table([before]), step).texts("x") != texts[0]


def test_values_that_are_not_listed_are_refused_without_telling_them():
    with pytest.raises(EngineError) as caught:
        run(Table([column(1000)]), Pram(column="x", categories=("a", "b"), matrix=((0.9, 0.1), (0.1, 0.9))))
    assert caught.value.code == "unknown-category"
    assert caught.value.param == "categories"
    assert "'c'" not in caught.value.message


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"categories": ["a", "b"], "matrix": [[0.9, 0.2], [0.1, 0.9]]}, "Row 1 must sum to 1"),
        ({"categories": ["a", "b"], "matrix": [[0.9, 0.1]]}, "2 rows"),
        ({"matrix": [[1.0]]}, "list of categories"),
        ({"categories": ["a", "b"], "matrix": [[1.1, -0.1], [0, 1]]}, "between 0 and 1"),
        ({"categories": ["a", "a"]}, "once"),
        ({"groups": [["a", "b"], ["b"]]}, "one group"),
        ({"strata": ["x"]}, "other columns"),
        ({"keep": 0}, "greater than 0"),
    ],
)
def test_wrong_parameters_are_refused_in_words(params, said):
    with pytest.raises(EngineError, match=said):
        Pram.of({"column": "x", **params})


def test_too_many_categories_are_refused():
    labels = [f"v{i}" for i in range(300)]
    with pytest.raises(EngineError) as caught:
        run(Table([codes("x", np.arange(300), labels)]), Pram(column="x"))
    assert caught.value.code == "too-many-categories"
