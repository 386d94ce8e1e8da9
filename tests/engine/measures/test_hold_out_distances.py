"""How close made-up rows keep to those they were made from, beside a brute force and known mutants."""

import random
from collections import Counter

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
    wilson,
)
from worker.engine.contracts.result import State
from worker.engine.contracts.scene import FEWEST_HELD_OUT
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.hold_out_distances import HoldOutDistances

NEAR = 1e-10
NUMBERS = {name: {"role": "quasi-identifier", "kind": "decimal"} for name in "xyz"}


def by_nearest(rows, records, widths, euclidean):
    """Of each row: its two smallest distances, how many records are nearest, and the first of them."""
    found = []
    for row in rows:
        far = [apart(row, record, widths, euclidean) for record in records]
        tied = [at for at, one in enumerate(far) if one <= min(far) + NEAR]
        found.append((*sorted(far)[:2], len(tied), tied[0]))
    return found


def interval(parts, records):
    """A mean of rows that stand or fall with their record."""
    alone = len(parts) ** 2 / sum(count**2 for count in Counter(records).values())
    mean = sum(parts) / len(parts)
    return mean, *wilson(mean * alone, alone)


def ratio(near, second):
    return near / second if near else 0.0


def expected(files: MadeUp, euclidean: bool) -> dict[str, float]:
    training, hold_out, released = (
        readings(one, files.columns) for one in (files.training, files.hold_out, files.released)
    )
    widths = spans(training + hold_out)
    mine, others = (by_nearest(released, one, widths, euclidean) for one in (training, hold_out))
    parts, records = [], []
    for a, b in zip(mine, others, strict=True):
        tied = abs(a[0] - b[0]) < NEAR
        parts.append(a[2] / (a[2] + b[2]) if tied else float(a[0] < b[0]))
        records.append(("training", a[3]) if tied or a[0] < b[0] else ("hold-out", b[3]))
    closer = interval(parts, records)
    same, chance = (
        interval([float(one[0] == 0) for one in side], [one[3] for one in side]) for side in (mine, others)
    )
    excess, down = same[0] - chance[0], ((same[0] - same[1]) ** 2 + (chance[2] - chance[0]) ** 2) ** 0.5
    up = ((same[2] - same[0]) ** 2 + (chance[0] - chance[1]) ** 2) ** 0.5
    mean = [sum(one[0] for one in side) / len(side) for side in (mine, others)]
    return {
        "closer_share": closer[0],
        "closer_low": closer[1],
        "closer_high": closer[2],
        "closer_baseline": len(training) / (len(training) + len(hold_out)),
        "identical_share": same[0],
        "identical_holdout_share": chance[0],
        "identical_excess": max(0.0, excess),
        "identical_excess_low": max(0.0, excess - down),
        "identical_excess_high": min(1.0, max(0.0, excess + up)),
        "pasted_share": max(0.0, excess),
        "distance_5": np.quantile([one[0] for one in mine], 0.05),
        "distance_5_holdout": np.quantile([one[0] for one in others], 0.05),
        "distance_ratio": mean[0] / mean[1],
        "neighbour_ratio_5": np.quantile([ratio(*one[:2]) for one in mine], 0.05),
        "neighbour_ratio_5_holdout": np.quantile([ratio(*one[:2]) for one in others], 0.05),
        "columns_compared": 4,
        "rows_released": len(released),
        "rows_training": len(training),
        "rows_holdout": len(hold_out),
    }


@pytest.mark.parametrize("seed", range(40))
def test_figures_are_those_of_every_pair(seed):
    files = random_files(seed, file=seed % 4 == 0)
    for distance in ("gower", "euclidean"):
        measure = HoldOutDistances(distance=distance, hold_out=FILE if files.file else None)
        found = figures_of(measure, files)
        assert found == pytest.approx(expected(files, distance == "euclidean"), abs=1e-9)


def test_all_training_rows_have_a_baseline_of_their_own():
    files = random_files(3)
    files.training = files.training + random_files(4).training + random_files(5).training
    found = figures_of(HoldOutDistances(same_size=False), files)
    assert found == pytest.approx(expected(files, False), abs=1e-9)
    assert found["closer_baseline"] == pytest.approx(0.75)
    found = figures_of(HoldOutDistances(), files)
    assert (found["rows_training"], found["closer_baseline"]) == (32, 0.5)


def people(seed: int, rows: int) -> list[tuple[str, ...]]:
    """Numbers that hang together."""
    draw = np.random.default_rng(seed)
    x = draw.standard_normal(rows)
    y, z = x + draw.standard_normal(rows), draw.standard_normal(rows)
    return [tuple(f"{one:.6f}" for one in row) for row in zip(x, y, z, strict=True)]


def made_from(training, seed: int, rows: int, spread: float):
    """Rows near training rows."""
    draw = np.random.default_rng(seed)
    chosen = draw.integers(0, len(training), rows)
    return [
        tuple(
            f"{float(cell) + spread * noise:.6f}"
            for cell, noise in zip(training[at], draw.standard_normal(3), strict=True)
        )
        for at in chosen
    ]


def numeric(released) -> MadeUp:
    return MadeUp.of(people(1, 1600), people(2, 400), released, NUMBERS)


def z_of(found) -> float:
    """How many standard errors the closer share is from its baseline."""
    half = (found["closer_high"] - found["closer_low"]) / 2 / 1.96
    return (found["closer_share"] - found["closer_baseline"]) / half


def test_rows_that_remember_nobody_are_as_close_to_both():
    found = figures_of(HoldOutDistances(), numeric(people(3, 2000)))
    assert abs(z_of(found)) < 6.1, "chance of one in 10⁹"
    assert found["identical_excess"] == 0
    assert found["distance_ratio"] == pytest.approx(1, abs=0.1)


def test_independent_draws_from_each_column_are_near_the_baseline():
    columns = list(zip(*people(1, 1600), strict=True))
    draw = random.Random(4)
    found = figures_of(
        HoldOutDistances(), numeric(list(zip(*(draw.choices(one, k=2000) for one in columns), strict=True)))
    )
    assert abs(z_of(found)) < 6.1
    assert found["identical_excess"] == 0


def test_pasted_rows_hardly_move_the_distances_and_are_found():
    training = people(1, 1600)
    pasted = people(3, 1800) + random.Random(5).sample(training, 200)
    found, clean = (figures_of(HoldOutDistances(), numeric(rows)) for rows in (pasted, people(3, 2000)))
    assert abs(found["closer_share"] - clean["closer_share"]) < 0.05
    assert found["identical_excess"] > found["identical_excess_low"] > 0
    assert found["pasted_share"] == pytest.approx(0.1, abs=6.1 * (0.1 * 4 / 2000) ** 0.5)
    assert clean["pasted_share"] == 0


@pytest.mark.parametrize("spread", [0.0, 0.01])
def test_rows_beside_training_rows_are_closer_to_them(spread):
    found = figures_of(
        HoldOutDistances(same_size=False), numeric(made_from(people(1, 1600), 6, 2000, spread))
    )
    assert found["closer_low"] > found["closer_baseline"] + 0.05
    assert found["distance_ratio"] < 0.2
    assert (found["identical_excess"] == 1) == (spread == 0)


def test_more_noise_is_less_close():
    training = people(1, 1600)
    shares = [
        figures_of(HoldOutDistances(same_size=False), numeric(made_from(training, 7, 1000, spread)))[
            "closer_share"
        ]
        for spread in (0.0, 0.1, 0.3, 1.0)
    ]
    assert shares == sorted(shares, reverse=True)


def test_hold_out_rows_in_the_file_are_no_excess():
    """Who learnt of the hold-out too gives it away as often: seen in both shares, and not in the excess."""
    both = people(1, 400) + people(2, 400)
    found = figures_of(HoldOutDistances(), MadeUp.of(people(1, 400), people(2, 400), both, NUMBERS))
    assert found["identical_share"] == found["identical_holdout_share"] == 0.5
    assert found["identical_excess"] == 0


def test_only_columns_asked_for_count():
    files = random_files(1)
    found = figures_of(HoldOutDistances(columns=("town",)), files)
    assert found["distance_5"] == 0
    assert found["identical_share"] > 0.9


def test_the_original_itself_stands_beside():
    files = random_files(2)
    result = result_of(HoldOutDistances(), files)
    training, hold_out = (readings(one, files.columns) for one in (files.training, files.hold_out))
    near = by_nearest(hold_out, training, spans(training + hold_out), False)
    assert result.before["distance_5"] == pytest.approx(np.quantile([one[0] for one in near], 0.05))
    (chart,) = result.charts
    assert chart.internal
    assert [one.reference for one in chart.series] == [False, False, True]


def test_a_column_under_labels_is_not_compared():
    """Copies stay copies in what is left; where nothing is left nothing passes."""
    files = random_files(1)
    files.released = [("[20, 30[", "a..c", pay, born) for _, _, pay, born in files.training]
    found = figures_of(HoldOutDistances(), files)
    assert found["columns_compared"] == 2
    assert found["identical_share"] == 1
    files.released = [("[20, 30[", "a..c", "[0, 10[", "196*")]
    assert "labels were put over" in result_of(HoldOutDistances(), files).reason


def test_dates_are_read_in_the_form_of_the_original():
    """The hold-out alone would not tell days from months."""
    columns = {"born": {"role": "quasi-identifier", "kind": "date"}}
    training = [(f"{day:02d}/01/2020",) for day in range(1, 31)]
    hold_out = [(f"{1 + day % 9:02d}/0{1 + day // 9}/2020",) for day in range(30)]
    found = figures_of(HoldOutDistances(), MadeUp.of(training, hold_out, [("2020-01-31",)], columns))
    assert found["distance_5"] == pytest.approx(1 / 93), "from the 1st of January to the 3rd of April"


CLASSES, LINKAGE = "class sizes", "record linkage"


@pytest.mark.parametrize(
    ("trace", "who"),
    [(Trace.KEPT, CLASSES), (Trace.COARSER, CLASSES), (Trace.PERTURBED, LINKAGE), (Trace.EXCHANGED, LINKAGE)],
)
def test_other_families_are_answered_by_others(trace, who):
    files = random_files(1)
    files.traces = dict.fromkeys(files.columns, trace)
    result = result_of(HoldOutDistances(), files)
    assert result.state is State.DOES_NOT_APPLY
    assert who in result.reason
    files.traces = dict.fromkeys(files.columns, Trace.MADE_UP)
    assert result_of(HoldOutDistances(), files).state is State.MEASURED


def test_without_enough_rows_set_aside_nothing_is_told():
    files = random_files(1)
    files.hold_out = files.hold_out[: FEWEST_HELD_OUT - 1]
    assert "Fewer than 30" in result_of(HoldOutDistances(), files).reason
    files.hold_out = []
    assert "No rows were set aside" in result_of(HoldOutDistances(), files).reason
    files = random_files(1)
    files.released = []
    assert "no rows" in result_of(HoldOutDistances(), files).reason
