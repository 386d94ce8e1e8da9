"""Searches made once more for their lists: what a report with lists says of them, whatever stands around."""

from __future__ import annotations

import json

from tests.engine.running import run, sample_recipe
from worker.engine.contracts.facts import LISTED
from worker.engine.contracts.samples import sample_table
from worker.engine.execution.local import explore
from worker.engine.randomness import key_from_seed
from worker.engine.tables.table import MemorySource

STEPS = [
    ("pram", {"column": "sex"}),
    ("generalization", {"suppression_limit": 0.1}),
    ("noise", {"column": "income", "amount": 0.2}),
]


def test_a_search_lists_afterwards_what_it_would_have_listed_in_the_run() -> None:
    recipe = sample_recipe(STEPS, [("k-anonymity", {"k": 3})])
    table, key = sample_table(), key_from_seed(11)
    listed = run(recipe, table, nodes=True, key=key)[1]["steps"]
    alone = list(explore(recipe, MemorySource(table), key=key))
    wanted = [{name: step[name] for name in LISTED if name in step} for step in listed]
    assert json.loads(json.dumps(alone)) == wanted
    assert [bool(step) for step in alone] == [False, True, False]
    assert len(alone[1]["explored"]) > 1
