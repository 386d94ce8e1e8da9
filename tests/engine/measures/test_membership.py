"""Members told from others by made-up rows, beside a brute force and known mutants."""

import math

import numpy as np
import pytest

from tests.engine.nearest.made_up import (
    FILE,
    MadeUp,
    apart,
    figures_of,
    random_files,
    readings,
    result_of,
    spans,
)
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.membership import Membership
from worker.engine.randomness import Source, key_from_seed

FOUR = {name: {"role": "quasi-identifier", "kind": "decimal"} for name in "abcd"}
LEAST = 1e-9


def auc(members: list[float], others: list[float]) -> tuple[float, float, float]:
    """Every pair, and DeLong's interval."""
    wins = [[(a > b + 1e-8) + (abs(a - b) <= 1e-8) / 2 for b in others] for a in members]
    value = sum(map(sum, wins)) / len(members) / len(others)
    parts = (
        [sum(line) / len(others) for line in wins],
        [sum(one) / len(members) for one in zip(*wins, strict=True)],
    )
    half = (
        1.959963984540054
        * sum(sum((x - value) ** 2 for x in p) / (len(p) - 1) / len(p) for p in parts) ** 0.5
    )
    return value, max(0.0, value - half), min(1.0, value + half)


def expected(files: MadeUp, order: list[int]) -> dict[str, float]:
    training, unused, released = (
        readings(one, files.columns) for one in (files.training, files.hold_out, files.released)
    )
    widths, half = spans(training + unused), len(unused) // 2
    reference, others = ([unused[at] for at in part] for part in (order[:half], order[half:]))
    near, far = (
        [[min(apart(row, one, widths) for one in records) for row in rows] for rows in (training, others)]
        for records in (released, reference)
    )
    ratios = [
        [math.log(b + LEAST) - math.log(a + LEAST) for a, b in zip(*side, strict=True)]
        for side in zip(near, far, strict=True)
    ]
    distance, density = auc(*[[-one for one in side] for side in near]), auc(*ratios)
    better = max(distance, density)
    found = {"members": len(training), "others": len(others)}
    for end, d, r, b in zip(("", "_low", "_high"), distance, density, better, strict=True):
        found |= {f"auc{end}": d, f"density_auc{end}": r, f"advantage{end}": max(0.0, 2 * b - 1)}
    return found


@pytest.mark.parametrize("seed", range(40))
def test_figures_are_those_of_every_pair(seed):
    files = random_files(seed, file=seed % 4 == 0)
    measure = Membership(hold_out=FILE if files.file else None)
    source = Source(key_from_seed(1)).for_step(measure.id)
    order = source.stream("reference", 0).permutation(len(files.hold_out))
    half = len(order) // 2
    order = [*sorted(order[:half].tolist()), *sorted(order[half:].tolist())]
    assert figures_of(measure, files) == pytest.approx(expected(files, order), abs=1e-9)


def people(seed: int, rows: int) -> list[tuple[str, ...]]:
    draw = np.random.default_rng(seed)
    return [tuple(f"{one:.6f}" for one in row) for row in draw.standard_normal((rows, 4))]


def four(released) -> MadeUp:
    return MadeUp.of(people(1, 1600), people(2, 400), released, FOUR)


def z_of(found, name: str) -> float:
    """How many standard errors from guessing."""
    return (found[name] - 0.5) / ((found[f"{name}_high"] - found[f"{name}_low"]) / 2 / 1.96)


def test_strangers_tell_nothing():
    found = figures_of(Membership(), four(people(3, 2000)))
    assert max(abs(z_of(found, name)) for name in ("auc", "density_auc")) < 6.1, "chance of one in 10⁹"
    assert found["advantage_low"] < 0.05


def test_a_copy_tells_everything():
    found = figures_of(Membership(), four(people(1, 1600)))
    assert found["auc"] == found["density_auc"] == found["advantage"] == 1


def test_more_copies_tell_more():
    gained = [
        figures_of(Membership(), four(people(1, 1600)[:copied] + people(3, 1600 - copied)))["advantage"]
        for copied in (0, 400, 1000, 1600)
    ]
    assert gained == sorted(gained)
    assert gained[0] < 0.2 < gained[2]


def test_who_learnt_of_the_hold_out_too_gives_no_advantage():
    """All are remembered alike: only what the steps did not see can be a control."""
    found = figures_of(Membership(), four(people(1, 1600) + people(2, 400)))
    assert found["auc"] == 0.5


def test_does_not_apply():
    files = random_files(1)
    files.traces = dict.fromkeys(files.columns, Trace.PERTURBED)
    assert "record linkage" in result_of(Membership(), files).reason
    files.traces, files.hold_out = None, []
    assert "set aside" in result_of(Membership(), files).reason
