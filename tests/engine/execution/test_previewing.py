"""One step tried on one column: aggregates, protected small counts, randomness that no run draws again."""

import json

import numpy as np
import pytest

from tests.engine.checks import CANARY, CANARY_NUMBER, planted
from tests.engine.running import recipe_of
from worker.engine import catalogue
from worker.engine.contracts.chart import Chart
from worker.engine.contracts.method import Family, Guarantee
from worker.engine.contracts.privacy import Spend
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.errors import EngineError
from worker.engine.execution import previewing
from worker.engine.methods.noise import Noise
from worker.engine.methods.rounding import Rounding
from worker.engine.randomness import Source
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import BLOCK, MemorySource, Table

EXAMPLES = [
    pytest.param(example, id=f"{cls.slug}-{number}")
    for cls in catalogue.methods().values()
    for number, example in enumerate(cls.examples())
    if cls.guarantee is not Guarantee.DIFFERENTIAL_PRIVACY and cls.family is not Family.STATISTICS
]


def tried(method, table=None, column=None, columns=None, **options):
    goals = [("k-anonymity", {"k": 2})] if method.enforces else []
    recipe = recipe_of(columns or sample_columns(), goals, [(method.slug, method.params())], [])
    return previewing.preview(recipe, MemorySource(table or sample_table(2000)), column, **options)


@pytest.mark.parametrize("method", EXAMPLES)
def test_every_method_can_be_tried_and_tells_no_rare_value(method):
    told = ""
    try:
        found = tried(method, planted(2000))
    except EngineError as refused:  # for a value that was not declared
        told, found = refused.message, tried(method)
    told += json.dumps(found, allow_nan=False)
    assert CANARY not in told
    assert CANARY_NUMBER not in told
    assert found["column"] in sample_columns()
    assert found["tried_rows"] == found["rows"] == 2000
    assert found["describe"] == method.describe()
    for chart in found["charts"]:
        assert Chart.from_dict(chart).series


def table_of(numbers) -> Table:
    return Table([NumberColumn("x", Kind.DECIMAL, np.asarray(numbers, float), 2)])


ONE = {"x": {"role": "other", "kind": "decimal"}}


def test_the_figures_are_those_of_the_column_before_and_after():
    numbers = np.random.default_rng(1).normal(100, 10, 40_000).round(2)
    found = tried(Noise(column="x", amount=1.0), table_of(numbers), columns=ONE)
    figures = found["figures"]
    assert figures["mean"][0] == pytest.approx(numbers.mean())
    assert figures["mean"][1] == pytest.approx(numbers.mean(), abs=0.5)
    assert figures["standard_deviation"][0] == pytest.approx(numbers.std(ddof=1))
    assert figures["standard_deviation"][1] == pytest.approx(np.sqrt(2) * numbers.std(), rel=0.05)
    assert figures["changed_cells"] == round(figures["changed_share"] * 40_000)
    assert figures["changed_share"] > 0.99
    assert found["facts"]["noise_deviation"] == pytest.approx(numbers.std(ddof=1))
    assert any("Subtract" in line for line in found["guidance"])
    before, after = Chart.from_dict(found["charts"][0]).series
    assert max(after.y) < 0.8 * max(before.y), "the noise flattens the distribution"


@pytest.mark.parametrize("known", [1, 9, 10])
def test_the_mean_of_few_values_is_not_shown_because_it_tells_them(known):
    few = np.full(40, np.nan)
    few[:known] = 777.25
    found = tried(Rounding(column="x", base=1000), table_of(few), columns=ONE)
    assert ("mean" in found["figures"]) == ("standard_deviation" in found["figures"]) == (known >= 10)
    assert ("777.25" in json.dumps(found)) == (known >= 10)


def test_each_try_draws_with_a_key_of_its_own(monkeypatch):
    """No key is taken from anywhere, and none comes out: what a run draws cannot be what a preview drew."""
    keys = []

    class Watched(Source):
        def __init__(self, key, *rest, **more):
            keys.append(key)
            super().__init__(key, *rest, **more)

    monkeypatch.setattr(previewing, "Source", Watched)
    step = Noise(column="income")
    told = [json.dumps(tried(step)) for _ in range(2)]
    assert len(set(keys)) == 2
    assert not any(key.hex() in text for key in keys for text in told)
    means = {json.loads(text)["figures"]["mean"][1] for text in told}
    assert len(means) == 2


def test_of_many_rows_some_whole_blocks_at_even_distances_are_taken():
    numbers = np.repeat(np.arange(10.0), BLOCK)[: 9 * BLOCK + 17]
    found = tried(Noise(column="x"), table_of(numbers), columns=ONE, most_rows=3 * BLOCK + 5)
    assert (found["tried_rows"], found["rows"]) == (3 * BLOCK, 9 * BLOCK + 17)
    assert found["figures"]["mean"][0] == pytest.approx((0 + 3 + 6) / 3)
    assert found["figures"]["distinct"][0] == 3
    small = tried(Noise(column="x"), table_of(numbers[: BLOCK + 3]), columns=ONE)
    assert small["tried_rows"] == BLOCK + 3


def test_few_rows_are_never_a_bar_or_a_label_of_their_own():
    values = ["often"] * 500 + ["seldom"] * 9 + ["twelve"] * 12
    columns = {"x": {"role": "other", "kind": "categorical"}}
    step = catalogue.method("pram")(column="x", keep=1.0)
    column = sample_table(1)["sex"]
    table = Table([type(column).of_texts("x", values, Kind.CATEGORICAL)])
    (chart, *_) = [c for c in tried(step, table, columns=columns)["charts"] if c["slug"] == "marginal-x"]
    assert chart["series"][0]["x"] == ["often", "twelve", "(other)"]
    lonely = np.append(np.random.default_rng(1).normal(0, 1, 5000).round(2), [9.0] * 9)
    found = tried(Noise(column="x", amount=0.01), table_of(lonely), columns=ONE)
    for series in Chart.from_dict(found["charts"][0]).series:
        assert all(share == 0 or share * len(lonely) >= 10 - 1e-6 for share in series.y)
        assert 0 in series.y or series.y[-1] > 9 / len(lonely)


def test_a_column_to_look_at_is_one_that_leaves():
    step = Noise(column="income")
    assert tried(step, column="age")["figures"]["changed_cells"] == 0
    for name in ("household", "name", "nowhere"):
        with pytest.raises(EngineError) as refused:
            tried(step, column=name)
        assert refused.value.param == "column"
    pseudonyms = catalogue.method("pseudonyms")(column="name", key="release")
    assert tried(pseudonyms)["column"] == "name"
    with pytest.raises(EngineError, match="No column is released"):
        tried(step, columns={"income": {"role": "weight", "kind": "decimal"}})


def test_what_a_step_refuses_is_said_with_its_place():
    with pytest.raises(EngineError) as refused:
        tried(Noise(column="x"), table_of([np.nan] * 50), columns=ONE)
    assert (refused.value.code, refused.value.step) == ("all-missing", 0)
    assert refused.value.param == "steps[0].params.column"


def test_rows_and_columns_may_be_left_out():
    sampling = catalogue.method("sampling")(share=0.5)
    rows = tried(sampling)["figures"]["rows"]
    assert rows[0] == 2000
    assert 800 < rows[1] < 1200
    made_up = catalogue.method("synthetic-copula")(columns=("age", "sex"))
    assert tried(made_up, column="income")["figures"]["leaves"] is False


def test_what_costs_budget_is_not_tried(monkeypatch):
    read = []
    monkeypatch.setattr(MemorySource, "chunks", lambda *_: read.append(1) or iter(()))
    for change in (
        {"cost": lambda self: Spend.of(1)},
        {"guarantee": Guarantee.DIFFERENTIAL_PRIVACY},
    ):
        with monkeypatch.context() as patched:
            for name, value in change.items():
                patched.setattr(Noise, name, value)
            with pytest.raises(EngineError, match="privacy budget") as refused:
                tried(Noise(column="income"))
            assert refused.value.code == "no-preview"
    monkeypatch.setattr(Noise, "family", Family.STATISTICS)
    with pytest.raises(EngineError, match="table of its own"):
        tried(Noise(column="income"))
    assert not read
