"""What fits one made-up row, tried on people, beside a brute force and known mutants."""

from itertools import combinations
from statistics import median

import numpy as np
import pytest

from tests.engine.nearest.made_up import (
    COLUMNS,
    FILE,
    MadeUp,
    figures_of,
    random_files,
    readings,
    result_of,
    wilson,
)
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.singling_out import SinglingOut

FIVE = {name: {"role": "quasi-identifier", "kind": "decimal"} for name in "abcde"}


def says(row, other, at: int, middle: float) -> bool:
    """Whether another row is what an attack with this cell asks for."""
    if isinstance(row[at], str) or isinstance(other[at], str):
        return row[at] == other[at]
    return other[at] >= row[at] if row[at] > middle else other[at] <= row[at]


def all_attacks(files: MadeUp, width: int):
    """Everything that the columns of a released row can say, where it fits no other."""
    released = readings(files.released, files.columns)
    numbers = [[one for one in cells if isinstance(one, float)] for cells in zip(*released, strict=True)]
    middles = [median(one) if one else 0.0 for one in numbers]
    for row in released:
        for columns in combinations(range(len(row)), width):

            def fits(other, row=row, columns=columns):
                return all(says(row, other, at, middles[at]) for at in columns)

            if sum(map(fits, released)) == 1:
                yield fits


@pytest.mark.parametrize("seed", range(40))
def test_success_and_control_are_those_of_all_attacks(seed):
    """There are few enough that all of them are tried."""
    files = random_files(seed, file=seed % 4 == 0)
    width = 1 + seed % 4
    found = figures_of(SinglingOut(width=width, hold_out=FILE if files.file else None), files)
    attacks = list(all_attacks(files, width))
    assert found["attacks"] == len(attacks)
    for name, rows in (("success", files.training), ("control", files.hold_out)):
        people = readings(rows, files.columns)
        hits = sum(sum(map(attack, people)) == 1 for attack in attacks)
        told = [found[f"{name}{end}"] for end in ("", "_low", "_high")]
        assert told == pytest.approx([hits / len(attacks), *wilson(hits, len(attacks))], abs=1e-9)
    gained = (found["success"] - found["control"]) / (1 - found["control"])
    assert found["advantage"] == pytest.approx(max(0, gained), abs=1e-9)
    assert 0 <= found["advantage_low"] <= found["advantage"] <= found["advantage_high"]
    assert 0 <= found["baseline"] <= 1


def people(seed: int, rows: int) -> list[tuple[str, ...]]:
    draw = np.random.default_rng(seed)
    return [tuple(f"{one:.6f}" for one in row) for row in draw.standard_normal((rows, 5))]


def five(released) -> MadeUp:
    return MadeUp.of(people(1, 400), people(2, 400), released, FIVE)


def test_strangers_are_singled_out_as_often_as_members():
    found = figures_of(SinglingOut(), five(people(3, 400)))
    assert found["attacks"] > 500
    error = (2 * 0.25 / 400) ** 0.5  # attacks that fit the same person stand or fall together
    assert abs(found["success"] - found["control"]) < 6.1 * error, "chance of one in 10⁹"
    assert found["success"] > found["baseline"]


def test_a_copy_singles_out_everybody_it_copied():
    found = figures_of(SinglingOut(), five(people(1, 400)))
    assert found["success"] == found["advantage"] == 1
    assert found["control"] < 0.7


def test_more_copies_single_out_more():
    gained = [
        figures_of(SinglingOut(width=5), five(people(1, 400)[:copied] + people(3, 400 - copied)))["advantage"]
        for copied in (0, 100, 200, 400)
    ]
    assert gained == sorted(gained)
    assert gained[0] < 0.3


def test_the_same_seed_makes_the_same_attacks():
    files = random_files(2)
    assert figures_of(SinglingOut(attacks=20), files) == figures_of(SinglingOut(attacks=20), files)
    assert figures_of(SinglingOut(attacks=20), files)["attacks"] == 20


def test_does_not_apply():
    files = random_files(1)
    files.traces = dict.fromkeys(files.columns, Trace.KEPT)
    assert "class sizes" in result_of(SinglingOut(), files).reason
    files.traces, files.released = None, [("20", "a", "1", "2020-01-01")] * 9
    assert "nothing to attack with" in result_of(SinglingOut(), files).reason
    assert set(files.columns) == set(COLUMNS)
