"""What is free goes back to the system between the parts of the work."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.engine.running import recipe_of, run
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.execution import giving_back
from worker.engine.execution.giving_back import give_back

BLOCK, BLOCKS = 1 << 12, 1 << 15
ALL = BLOCK * BLOCKS


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_what_lies_below_something_that_is_held_goes_back():
    blocks = [np.ones(BLOCK, np.uint8) for _ in range(BLOCKS)]
    held = blocks[-8:]
    del blocks
    before = resident()
    give_back(giving_back.MANY_ROWS - 1)
    assert resident() > before - ALL // 4, "with few rows nothing is done"
    give_back(giving_back.MANY_ROWS)
    assert resident() < before - ALL // 2
    assert all(one.all() for one in held)


def test_an_allocator_that_cannot_is_left_alone(monkeypatch):
    monkeypatch.setattr(giving_back, "_system", object())
    give_back(giving_back.MANY_ROWS)


@pytest.mark.parametrize("records", [False, True])
def test_it_is_done_before_each_measure_and_before_the_records(records, monkeypatch, tmp_path):
    trimmed, told = [], []
    system = SimpleNamespace(mallopt=lambda *option: told.append(option), malloc_trim=trimmed.append)
    monkeypatch.setattr(giving_back, "MANY_ROWS", 1)
    monkeypatch.setattr(giving_back, "_system", system)
    recipe = recipe_of(sample_columns(), measures=["suda", "marginals"])
    with (tmp_path / "records").open("wb") as file:
        run(recipe, sample_table(), records=file if records else None)
    assert len(trimmed) == 3 + records
    assert set(told) == {(giving_back.M_MMAP_THRESHOLD, giving_back.LONG_ARRAY)}
