"""All measures of a run keep to the memory in sum, and find what they find where there is enough of it."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tests.engine.running import recipe_of
from worker.commands.plain_files import Nowhere
from worker.engine import catalogue
from worker.engine.contracts.result import State
from worker.engine.contracts.samples import POPULATION, sample_columns, sample_population, sample_table
from worker.engine.execution import local, warming, work
from worker.engine.tables import counting
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.table import BLOCK, MemorySource, Table

ROWS, MEMORY = 3 * BLOCK, 42 << 20
FILES = {POPULATION: MemorySource(sample_population())}
STEPS = [("noise", {"column": "income"}), ("noise", {"column": "visits"})]


def many_values() -> Table:
    """The sample, where most rows have numbers of their own. A weight would have to be held with its row."""
    generator = np.random.default_rng(1)
    table = sample_table(ROWS)
    dense = {
        "income": np.round(generator.uniform(0, 10_000, ROWS), 4),
        "visits": generator.integers(0, 10**7, ROWS).astype(float),
    }
    kinds = {column.name: column.kind for column in table.columns}
    none = pa.array([""])
    return table.with_columns(
        *(Numbers(name, kinds[name], codes_of(pa.array(values)), none) for name, values in dense.items())
    )


def everything():
    """Every example of every measure, in one recipe."""
    columns = {name: part for name, part in sample_columns().items() if part["role"] != "weight"}
    measures = [
        {"measure": cls.slug, "params": example.params()}
        for cls in catalogue.measures().values()
        for example in cls.examples()
    ]
    return recipe_of(columns, [], STEPS, measures)


def test_all_measures_together_stay_below_the_limit(monkeypatch):
    table, recipe, peaks, reports, long = many_values(), everything(), {}, {}, []
    write, measure, made = local._write, work.measured, counting.LongTable
    warming.warm()  # neither compiling nor importing is counted
    few = MemorySource(sample_table(1000))
    local.anonymize(recipe, few, [local.Output("csv", Nowhere())], key=bytes(32), populations=FILES)

    def writing(*given):
        tracemalloc.start()
        write(*given)
        tracemalloc.reset_peak()  # what is kept is held from here on

    def measuring(*given):
        found = measure(*given)
        peaks[limit] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    def put_away(*given):
        long.append(limit)
        return made(*given)

    monkeypatch.setattr(local, "_write", writing)
    monkeypatch.setattr(work, "measured", measuring)
    monkeypatch.setattr(counting, "LongTable", put_away)
    for limit in (MEMORY, None):
        out = [local.Output("csv", Nowhere())]
        reports[limit] = local.anonymize(
            recipe, MemorySource(table), out, key=bytes(32), keep_order=True, memory=limit, populations=FILES
        )
    assert peaks[MEMORY] < MEMORY < peaks[None]
    assert set(long) == {MEMORY}, "long tables lie outside memory"
    few, many = ([one.state for one in reports[limit].measures] for limit in (MEMORY, None))
    assert few == many, "the limit leaves out none"
    assert {*few} <= {State.MEASURED, State.DOES_NOT_APPLY}
    for little, enough in zip(reports[MEMORY].measures, reports[None].measures, strict=True):
        if not says_that_it_guessed(little):
            assert replace(little, seconds=None) == replace(enough, seconds=None)
        assert not says_that_it_guessed(enough)


def says_that_it_guessed(result):
    """Whether a figure was estimated for want of memory, and the result tells how far off it may be."""
    return any(side is not None and side.get("error") for side in (result.before, result.after))
