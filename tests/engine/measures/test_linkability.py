"""Two lists brought together by made-up rows, beside a brute force and known mutants."""

import numpy as np
import pytest
from pydantic import ValidationError

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
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.linkability import Linkability

SIX = {name: {"role": "quasi-identifier", "kind": "decimal"} for name in "abcdef"}


def nearest(target, released, widths, columns) -> set[int]:
    def only(row):
        return tuple(row[at] for at in columns)

    far = [apart(only(target), only(one), only(widths)) for one in released]
    return {at for at, one in enumerate(far) if one <= min(far) + 1e-10}


def expected(files: MadeUp, one: list[int], other: list[int]) -> dict[str, float]:
    training, hold_out, released = (
        readings(part, files.columns) for part in (files.training, files.hold_out, files.released)
    )
    widths, found = spans(training + hold_out), {"baseline": 1 / len(released), "attacks": len(training)}
    for name, people in (("success", training), ("control", hold_out)):
        hits = 0.0
        for target in people:
            first, second = (nearest(target, released, widths, columns) for columns in (one, other))
            hits += len(first & second) / (len(first) * len(second))
        low, high = wilson(hits, len(people))
        found |= {name: hits / len(people), f"{name}_low": low, f"{name}_high": high}
    s, c = ([found[f"{name}{end}"] for end in ("", "_low", "_high")] for name in ("success", "control"))
    value, left = (s[0] - c[0]) / (1 - c[0]), 1 - c[0]
    slope = (1 - s[0]) / left**2
    low = value - (((s[0] - s[1]) / left) ** 2 + ((c[2] - c[0]) * slope) ** 2) ** 0.5
    high = value + (((s[2] - s[0]) / left) ** 2 + ((c[0] - c[1]) * slope) ** 2) ** 0.5
    told = {"advantage": value, "advantage_low": low, "advantage_high": high}
    return found | {name: min(1.0, max(0.0, one)) for name, one in told.items()}


@pytest.mark.parametrize("seed", range(40))
def test_figures_are_those_of_every_pair(seed):
    files = random_files(seed, file=seed % 4 == 0)
    file = FILE if files.file else None
    found = figures_of(Linkability(hold_out=file), files)
    assert found == pytest.approx(expected(files, [0], [1]), abs=1e-9), "the quasi-identifiers in halves"
    found = figures_of(Linkability(first=("born", "age"), second=("pay",), hold_out=file), files)
    assert found == pytest.approx(expected(files, [0, 3], [2]), abs=1e-9)


def people(seed: int, rows: int, alike: float = 0.0) -> list[tuple[str, ...]]:
    draw = np.random.default_rng(seed)
    common = alike * draw.standard_normal((rows, 1))
    return [tuple(f"{one:.6f}" for one in row) for row in common + draw.standard_normal((rows, 6))]


def six(released) -> MadeUp:
    return MadeUp.of(people(1, 800), people(2, 200), released, SIX)


def test_strangers_link_as_few_as_by_guessing():
    found = figures_of(Linkability(), six(people(3, 1000)))
    assert found["success"] < 0.05
    assert found["advantage_low"] == 0
    assert found["attacks"] == 200


def test_copies_link_those_who_were_copied():
    training = people(1, 800)
    pasted = figures_of(Linkability(), six(people(3, 900) + training[:100]))
    assert pasted["success"] == pytest.approx(1 / 8, abs=6.1 * (1 / 8 * 7 / 8 / 200) ** 0.5)
    assert pasted["advantage_low"] > 0
    copy = figures_of(Linkability(), six(training))
    assert copy["success"] == copy["advantage"] == 1
    assert copy["control"] < 0.05


def test_what_columns_have_to_do_with_each_other_is_no_advantage():
    """Columns that nearly repeat one another link strangers too: above guessing, and not above control."""
    alike = MadeUp.of(people(1, 800, 30.0), people(2, 200, 30.0), people(3, 100, 30.0), SIX)
    found = figures_of(Linkability(), alike)
    assert found["success_low"] > 5 * found["baseline"]
    assert found["advantage_low"] == 0


def test_fewer_attacks_have_a_wider_interval():
    files = six(people(1, 800)[:400] + people(3, 400))
    few, many = (figures_of(Linkability(attacks=attacks), files) for attacks in (30, 200))
    assert (few["attacks"], many["attacks"]) == (30, 200)
    assert few["success_high"] - few["success_low"] > many["success_high"] - many["success_low"]


def test_both_lists_or_neither():
    for lists in ({"first": ("age",)}, {"first": ("age",), "second": ("age", "town")}):
        with pytest.raises(ValidationError):
            Linkability(**lists)


def test_does_not_apply():
    files = random_files(1)
    files.traces = dict.fromkeys(files.columns, Trace.COARSER)
    assert "class sizes" in result_of(Linkability(), files).reason
    one = {"age": {"role": "quasi-identifier", "kind": "integer"}}
    rows = [(str(age),) for age in range(40)]
    assert "two columns" in result_of(Linkability(), MadeUp.of(rows, rows, rows, one)).reason
    everybody = MadeUp.of([("20", "a", "1", "2020-01-01")] * 40, [("20", "a", "1", "2020-01-01")] * 40,
                          [("20", "a", "1", "2020-01-01")])  # fmt: skip
    result = result_of(Linkability(), everybody)
    assert result.state is State.DOES_NOT_APPLY
    assert "no step saw too" in result.reason
