"""What measures read of the original is kept by who asks for it, and read once for all runs on a table."""

import json
from typing import ClassVar

import pytest

from tests.engine.running import recipe_of, run, without_times
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.execution import assessing, earlier, local, work
from worker.engine.execution.earlier import Noted, key_of
from worker.engine.tables.table import MemorySource

STEPS = [("noise", {"column": "income"}), ("rounding", {"column": "age"})]


class Source(MemorySource):
    """Knows what was read of it to the end."""

    def __init__(self, table):
        super().__init__(table)
        self.read = []

    def chunks(self, columns=None):
        yield from super().chunks(columns)
        self.read.append(columns)


class Reading(Measure):
    """Reads each side by itself."""

    slug = "reading-for-tests"
    title = "Reading"
    section = Section.RISK
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("rows", "Rows", "How many there are.", unit="count"),
        Figure("shares", "Shares", "Of each.", unit="share", per="threshold"),
    )
    sides: ClassVar[list[int]] = []

    def read(self, side):
        self.sides.append(side.statistics.rows())
        bars = Series("side", (1, 2), (0.5, 0.25))
        chart = Chart("reading", "Reading", "bar", Axis("a"), Axis("b"), (bars,), "A note.")
        return Found({"rows": side.statistics.rows(), "shares": {0.5: 1 / 3, 1: None}}, (chart,))


class Looking(Reading):
    """Looks outside."""

    slug = "looking-for-tests"

    def read(self, side):
        side.outside.releases()
        return super().read(side)


@pytest.fixture(autouse=True)
def no_sides():
    Reading.sides.clear()


def run_with(measure, monkeypatch, kept, columns=None, **options):
    recipe = recipe_of(columns or sample_columns(), [], STEPS, [])
    monkeypatch.setattr(recipe, "measures", (measure,))
    noted = Noted(kept)
    _, report = run(recipe, sample_table(), earlier=noted, **options)
    (result,) = report["measures"]
    assert result["state"] == "measured", result["reason"]
    return result, noted.fresh


def test_the_original_is_read_once_for_all_runs(monkeypatch):
    first, fresh = run_with(Reading(), monkeypatch, {})
    assert Reading.sides == [240, 240]
    assert json.loads(json.dumps(fresh)) == fresh
    second, nothing = run_with(Reading(), monkeypatch, fresh)
    assert Reading.sides == [240, 240, 240], "the release is read, the original is not"
    assert nothing == {}
    assert without_times(first) == without_times(second)
    assert len(first["charts"][0]["series"]) == 2


def test_all_measures_of_today_are_the_same_with_what_was_kept():
    recipe, kept, reports, reads = recipe_of(sample_columns(), [], STEPS, ["*"]), {}, [], []
    for _ in range(2):
        source, noted = Source(sample_table()), Noted(kept)
        options = {"key": bytes(32), "earlier": noted}
        reports.append(local.anonymize(recipe, source, [], **options).as_dict()["measures"])
        kept |= noted.fresh
        reads.append(len(source.read))
    assert without_times(reports[0]) == without_times(reports[1])
    assert set(kept) == {key_of(one, declared(recipe)) for one in recipe.measures if not one.compares}
    assert reads[1] <= reads[0]


def declared(recipe):
    data = work.Work(recipe, None, None, {}).dataset(MemorySource(sample_table()))
    return earlier.declared_of(recipe, {}, data.schema)


def test_what_hangs_on_something_else_is_not_kept(monkeypatch):
    _, fresh = run_with(Looking(), monkeypatch, {})
    assert fresh == {}
    assert Reading.sides == [240, 240]


def test_what_is_declared_of_the_data_is_part_of_the_key(monkeypatch):
    _, fresh = run_with(Reading(), monkeypatch, {})
    changed = sample_columns()
    changed["visits"]["role"] = "quasi-identifier"
    coarser = sample_columns()
    coarser["age"]["hierarchy"]["width"] = 20
    for columns in (changed, coarser):
        _, other = run_with(Reading(), monkeypatch, fresh, columns)
        assert set(other) - set(fresh), "read again and kept under another key"


def test_another_engine_reads_again(monkeypatch):
    _, fresh = run_with(Reading(), monkeypatch, {})
    monkeypatch.setattr(earlier, "VERSION", "of tomorrow")
    _, other = run_with(Reading(), monkeypatch, fresh)
    assert set(other) - set(fresh)


def test_what_is_too_long_is_read_again(monkeypatch):
    monkeypatch.setattr(earlier, "MOST_CHARACTERS", 10)
    _, fresh = run_with(Reading(), monkeypatch, {})
    assert fresh == {}


def test_without_a_release_everything_is_read(monkeypatch):
    """Figures per record are not kept, and an assessment may want them."""
    recipe = recipe_of(sample_columns(), [], [], [])
    monkeypatch.setattr(recipe, "measures", (Reading(),))
    assessing.assess(recipe, MemorySource(sample_table()))
    assert Reading.sides == [240]
