"""Made-up rows look like the data as a whole and belong to nobody."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, spearmanr

from tests.engine.methods.running import Tagged, codes, run
from worker.engine.errors import NoSolution
from worker.engine.execution.dataset import Dataset
from worker.engine.methods.synthetic_copula import SyntheticCopula
from worker.engine.methods.synthetic_trees import SyntheticTrees
from worker.engine.randomness import Source, key_from_seed
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, MemorySource, Table

KEY = key_from_seed(1)
BOTH = pytest.mark.parametrize("method", [SyntheticCopula, SyntheticTrees])


def people(rows: int = 6000) -> Table:
    rng = np.random.default_rng(1)
    group = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    age = rng.normal(40 + 10 * group, 8).round()
    income = np.exp(9 + 0.02 * age + 0.3 * rng.standard_normal(rows)).round(2)
    income[rng.random(rows) < 0.1] = np.nan
    births = np.datetime64("2020-01-01") - (age * 365).astype(int)
    job = np.where(rng.random(rows) < 0.8, group, 2 - group)
    job[:3] = 3
    return Table(
        [
            codes("group", group, ["z", "a", "m"]),
            NumberColumn("age", Kind.INTEGER, age),
            NumberColumn("income", Kind.DECIMAL, income, 2),
            Column.of_texts("birth", [str(day) for day in births], Kind.DATE),
            codes("job", job, ["j1", "j2", "j3", "famous"]),
        ]
    )


def days(column) -> np.ndarray:
    return np.array(column.texts(), "datetime64[D]").astype(float)


def alike(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether the known numbers follow one distribution."""
    return ks_2samp(before[~np.isnan(before)], after[~np.isnan(after)]).statistic < 0.05


@BOTH
def test_single_distributions_are_close(method):
    table = people()
    out = run(table, method())
    for name in ("age", "income"):
        before, after = table[name].numbers, out.numbers(name)
        assert alike(before, after)
        middle = np.nanmean(after)
        assert not alike(before, middle + (after - middle) / 2), "values with half the spread"
    assert ks_2samp(days(table["birth"]), days(out["birth"])).statistic < 0.05
    assert np.isnan(out.numbers("income")).mean() == pytest.approx(0.1, abs=0.02)
    for label in ("z", "a", "m"):
        shares = [np.mean(np.array(column.texts()) == label) for column in (table["group"], out["group"])]
        assert shares[0] == pytest.approx(shares[1], abs=0.03)


@BOTH
def test_associations_are_kept(method):
    table = people()
    out = run(table, method())
    for one, other in (("age", "income"), ("age", "birth")):

        def numbers_of(source, name):
            return days(source[name]) if name == "birth" else source[name].numbers

        before, after = (
            spearmanr(numbers_of(source, one), numbers_of(source, other), nan_policy="omit").statistic
            for source in (table, out.table)
        )
        assert abs(before) > 0.4
        assert before == pytest.approx(after, abs=0.12)
        mixed = np.random.default_rng(2).permutation(numbers_of(out.table, one))
        apart = spearmanr(mixed, numbers_of(out.table, other), nan_policy="omit").statistic
        assert before != pytest.approx(apart, abs=0.12), "columns made up one by one"
    means = [
        [source["age"].numbers[np.array(source["group"].texts()) == label].mean() for label in "zam"]
        for source in (table, out.table)
    ]
    assert means[0] == pytest.approx(means[1], abs=3)


def test_trees_find_interactions_between_categories():
    table = people()
    out = run(table, SyntheticTrees(columns=("group", "job")))

    def crossed(source):
        group, job = np.array(source["group"].texts()), np.array(source["job"].texts())
        return [[np.mean(job[group == g] == j) for j in ("j1", "j2", "j3")] for g in "zam"]

    assert np.array(crossed(out.table)) == pytest.approx(np.array(crossed(table)), abs=0.06)


@BOTH
def test_rare_categories_and_extreme_values_are_not_remembered(method):
    table = people()
    income = table["income"].numbers.copy()
    income[5] = 1e9
    table = table.with_columns(NumberColumn("income", Kind.DECIMAL, income, 2))
    out = run(table, method())
    assert "famous" not in out.texts("job")
    if method is SyntheticCopula:
        assert np.nanmax(out.numbers("income")) < 5e8


@BOTH
@pytest.mark.parametrize("rows", [300, 1000])
def test_numbers_of_few_values_are_not_forgotten_because_each_is_rare(method, rows):
    ages = np.random.default_rng(1).integers(18, 66, rows).astype(float)
    out = run(Table([NumberColumn("age", Kind.INTEGER, ages)]), method()).numbers("age")
    assert len(np.unique(out)) > 40
    assert ks_2samp(ages, out).statistic < 3.3 * np.sqrt(2 / rows)
    assert set(out) <= set(range(18, 66))


@BOTH
def test_numbers_of_fewer_rows_than_the_smallest_group_are_refused(method):
    few = np.arange(60.0)
    with pytest.raises(NoSolution):
        run(Table([NumberColumn("x", Kind.INTEGER, few)]), method(smallest=61))
    with pytest.raises(NoSolution):
        run(Table([Column.of_texts("x", ["2020-01-01", "2020-01-02"], Kind.DATE)]), method(smallest=3))


@BOTH
def test_codes_written_as_numbers_stay_those_that_occur(method):
    codes_ = np.repeat([10.0, 20.0, 70.0, 90.0], [400, 300, 290, 10])
    out = run(Table([NumberColumn("x", Kind.INTEGER, codes_)]), method(smallest=20)).numbers("x")
    assert set(out) == {10, 20, 70}, "a rare code is forgotten, and none is made up between the others"


@BOTH
def test_texts_look_as_before(method):
    table = people(2000)
    out = run(table, method())
    assert all(text.lstrip("-").isdigit() for text in out.texts("age"))
    assert max(len(text.partition(".")[2]) for text in out.texts("income")) <= 2
    hundreds = Table([NumberColumn("x", Kind.INTEGER, np.arange(5000.0) * 100)])
    assert all(float(text) % 100 == 0 for text in run(hundreds, method()).texts("x"))


@BOTH
def test_no_row_follows_its_original(method):
    table = people()
    out = run(table, method())
    before, after = table["age"].numbers, out.numbers("age")
    assert abs(np.corrcoef(before, after)[0, 1]) < 0.1


@BOTH
def test_columns_that_are_not_made_up_leave_the_release(method):
    out = run(people(), method(columns=("age", "group")), roles={"job": Role.SENSITIVE})
    assert out.table.names == ("group", "age")


@BOTH
def test_same_key_same_bytes_and_chunked_is_whole(method):
    table = people(2 * BLOCK + 9)
    step = method(columns=("group", "age", "birth", "income"))
    outs = [run(table, step, key=KEY, blocks=blocks) for blocks in (1, 16)]
    for name in outs[0].table.names:
        assert outs[0].texts(name) == outs[1].texts(name)
    assert outs[0].facts == outs[1].facts
    assert run(table, step).texts("income") != outs[0].texts("income")


@BOTH
def test_a_column_of_rare_values_only_is_refused(method):
    with pytest.raises(NoSolution) as caught:
        run(Table([Column.of_texts("x", [f"only {i}" for i in range(500)])]), method())
    assert caught.value.code == "all-rare"
    assert "only" not in caught.value.message


def correlated(rows: int, correlation: float) -> np.ndarray:
    covariance = [[1, correlation], [correlation, 1]]
    return np.random.default_rng(1).multivariate_normal([0, 0], covariance, rows).T


@pytest.mark.parametrize("share", [0.0, 0.4, 0.8])
def test_a_copula_keeps_correlations_whatever_is_missing(share):
    """Missing cells are not average ones."""
    x, y = correlated(100_000, 0.7)
    gone = np.random.default_rng(2).random((2, 100_000)) < share
    table = Table([NumberColumn(n, Kind.DECIMAL, np.where(g, np.nan, v).round(3), 3) for n, v, g in
                   zip("xy", (x, y), gone, strict=True)])  # fmt: skip
    out = run(table, SyntheticCopula(columns=("x", "y")))
    a, b = out.numbers("x"), out.numbers("y")
    known = ~(np.isnan(a) | np.isnan(b))
    assert spearmanr(a[known], b[known])[0] == pytest.approx(spearmanr(x, y)[0], abs=0.06)
    assert np.isnan(a).mean() == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("cut", [0.0, 1.0])
def test_a_copula_keeps_how_categories_hang_together(cut):
    """Two answers with yes and no, and one with a number: cut at the same place they agree as often."""
    x, y = correlated(100_000, 0.7)
    table = Table([codes("x", x > cut, ["no", "yes"]), codes("y", y > cut, ["no", "yes"]),
                   NumberColumn("z", Kind.DECIMAL, x.round(3), 3)])  # fmt: skip
    out = run(table, SyntheticCopula(columns=("x", "y", "z")))
    a, b = (np.array(out.texts(name)) == "yes" for name in "xy")
    for one, other in ((a, b), (b, out.numbers("z"))):
        before = (x > cut, y > cut) if other is b else (y > cut, x)
        assert np.corrcoef(one, other)[0, 1] == pytest.approx(np.corrcoef(*before)[0, 1], abs=0.03)


def test_a_copula_knows_who_does_not_answer():
    """The rich keep silent: whether a cell is missing hangs together with another column."""
    x, y = correlated(20_000, 0.0)
    answers = np.where(x > 0.5, np.nan, y)
    table = Table([NumberColumn("x", Kind.DECIMAL, x.round(3), 3),
                   NumberColumn("y", Kind.DECIMAL, answers.round(3), 3),
                   codes("c", np.where(x > 0.5, 2, y > 0), ["no", "yes", ""])])  # fmt: skip
    out = run(table, SyntheticCopula(columns=("x", "y", "c")))
    before = np.corrcoef(x, x > 0.5)[0, 1]
    for gone in (np.isnan(out.numbers("y")), np.array([text == "" for text in out.texts("c")])):
        assert np.corrcoef(out.numbers("x"), gone)[0, 1] == pytest.approx(before, abs=0.04)


def planned(method, table: Table):
    """What a method decides of a table, and the rows it set aside."""
    tagged = {c.name: Tagged(kind=c.kind) for c in table.columns}
    data = Dataset(MemorySource(table), tagged, {})
    step = method.plan(Statistics(data, {}, NullReporter()), (), Source(KEY), NullReporter())
    return step, data.with_step(method, step, Source(KEY))


def texts_of(data: Dataset) -> list[list[str]]:
    return [column.texts() for chunk in data.chunks(data.schema.names) for column in chunk.columns]


@BOTH
def test_nothing_is_learnt_of_rows_that_were_set_aside(method):
    """Whatever they hold, the same rows are made up; what other rows hold decides."""
    table = people(1000)
    plan, made = planned(method(), table)
    assert plan.held_out.sum() == 200
    assert plan.entry["held_out_rows"] == 200
    for where, same in ((plan.held_out, True), (~plan.held_out, False)):
        ages = table["age"].numbers.copy()
        ages[np.flatnonzero(where)[:100]] += 1000
        groups = np.where(where & (np.arange(1000) % 2 == 0), 1, table["group"].codes)
        others = NumberColumn("age", Kind.INTEGER, ages), codes("group", groups, ["z", "a", "m"])
        changed = table.with_columns(*others)
        assert (texts_of(planned(method(), changed)[1]) == texts_of(made)) == same


@BOTH
def test_as_many_rows_are_made_up_as_there_were(method):
    for share in (0.0, 0.2, 0.5):
        plan, made = planned(method(hold_out=share), people(1000))
        assert sum(map(len, texts_of(made))) == 1000 * 5
        assert plan.facts["rows_fitted"] == 1000 * (1 - share)
        assert (plan.held_out is None) == (share == 0)


def test_rows_left_out_of_the_sample_that_trees_grow_on_are_no_training_rows():
    plan, _ = planned(SyntheticTrees(rows_to_fit=500), people(2000))
    assert plan.held_out.sum() == 1500
