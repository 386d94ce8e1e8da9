"""What a step announces is read back as it was announced, and nobody else may use its names."""

import json

import pytest

from worker.engine.contracts.facts import (
    SPELLED,
    Changed,
    Explored,
    Facts,
    Generalized,
    HeldOut,
    Node,
    Suppressed,
)
from worker.engine.contracts.method import Plan

ANNOUNCED = (
    Facts(),
    Facts(levels=Generalized({"age": 2}, {"age": 3})),
    Facts(suppressed=Suppressed(5, 7, left_out=True)),
    Facts(
        explored=Explored(
            8,
            3,
            False,
            ({"age": 1},),
            False,
            (Node({"age": 1}, True, 2, 0.5), Node({"age": 0}, False, None, None)),
        )
    ),
    Facts(explored=Explored(8, 3, True, minimal_complete=False, listed=False)),
    Facts(changed=Changed({"age": 10, "sex": 10}, {"age": 4, "sex": 0})),
    Facts(held_out=HeldOut(200, "household")),
)


@pytest.mark.parametrize("facts", ANNOUNCED)
def test_announced_facts_survive_the_report(facts):
    stored = json.loads(json.dumps(facts.entry()))
    assert Facts.of({"method": "any", "own": 1, **stored}) == facts


def test_own_facts_cannot_pass_for_announced_ones():
    assert {"levels", "suppressed_rows", "explored", "changed", "held_out_rows"} <= SPELLED
    for name in SPELLED:
        with pytest.raises(TypeError, match=name):
            Plan({name: 1})


def test_a_plan_reports_both():
    plan = Plan({"own": 1}, announces=Facts(suppressed=Suppressed(2)))
    assert plan.entry == {"own": 1, "suppressed_rows": 2, "suppressed_cells": 0, "left_out": None}


def test_an_older_report_tells_less():
    found = Facts.of({"method": "generalization", "levels": {"age": 1}, "suppressed_rows": 3, "nodes": 4})
    assert found.levels == Generalized({"age": 1}, {})
    assert found.suppressed == Suppressed(3, 0, None)
    assert found.explored == Explored(4, 0, True)
    assert found.changed is None
    assert Facts.of({"suppressed_cells": 2}).suppressed == Suppressed(0, 2, None)
