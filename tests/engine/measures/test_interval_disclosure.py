"""Numbers that stay close to the original, against plain loops and sdcMicro's own reading."""

import math
import random

import pytest

from tests.engine.measures.scenes import Case, figures_of, result_of
from tests.engine.running import recipe_of, run
from worker.engine.contracts.result import State
from worker.engine.contracts.samples import sample_table
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.interval_disclosure import MADE_UP, NO_NUMBERS, NOT_MOVED, IntervalDisclosure

COLUMNS = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "pay": {"role": "sensitive", "kind": "decimal"},
    "size": {"role": "other", "kind": "decimal"},
}


def deviation(numbers):
    if len(numbers) < 2:
        return 0.0
    mean = sum(numbers) / len(numbers)
    return math.sqrt(sum((x - mean) ** 2 for x in numbers) / (len(numbers) - 1))


def numbers(texts):
    return [None if text in ("", "*") else float(text) for text in texts]


def known(values):
    return [one for one in values if one is not None]


def random_noisy(seed):
    """Whole numbers beside decimals, some missing, some rows left out, some cells `*`."""
    draw = random.Random(seed)
    rows = draw.choice([3, 10, 40])
    before = {
        "age": ["" if draw.random() < 0.1 else str(draw.randrange(60)) for _ in range(rows)],
        "pay": ["" if draw.random() < 0.1 else f"{draw.randrange(4000) / 4}" for _ in range(rows)],
    }
    before["age"][:2], before["pay"][:2] = ["1", "50"], ["10.5", "900.0"]
    after = {
        name: [text and str(round(float(text) + draw.gauss(0, spread), 1)) for text in before[name]]
        for name, spread in (("age", draw.choice([1, 9])), ("pay", draw.choice([10, 200])))
    }
    after["pay"][-1] = draw.choice(["*", after["pay"][-1]])
    kept = [True, True, *(draw.random() < 0.9 for _ in range(rows - 2))] if seed % 3 == 0 else []
    moved = {"age": Trace.PERTURBED, "pay": Trace.PERTURBED}
    return Case({name: COLUMNS[name] for name in before}, before, after, kept, moved)


def pairs_of(case, name):
    each = case.pairs(name)
    return list(zip(numbers(was for was, _ in each), numbers(became for _, became in each), strict=True))


def inside(case, name, width):
    """For each row whether it is inside; None where there are no two numbers."""
    reach = width * deviation(known(numbers(case.before[name])))
    return [
        None if was is None or became is None else abs(was - became) <= reach + 1e-9
        for was, became in pairs_of(case, name)
    ]


def share(found):
    return sum(map(bool, known(found))) / len(known(found))


@pytest.mark.parametrize("seed", range(50))
def test_shares_are_those_of_plain_loops(seed):
    case, width = random_noisy(seed), (0.05, 0.1, 0.5)[seed % 3]
    figures = figures_of(IntervalDisclosure(width=width), case)
    each = {name: inside(case, name, width) for name in case.before}
    shares = {name: share(one) for name, one in each.items()}
    assert figures["inside_share"] == pytest.approx(shares, rel=1e-9)
    assert figures["worst_share"] == pytest.approx(max(map(share, each.values())), rel=1e-9)
    rows = [one for one in zip(*each.values(), strict=True) if known(one)]
    assert figures["rows"] == len(rows)
    assert figures["all_inside_share"] == pytest.approx(sum(all(known(one)) for one in rows) / len(rows))


@pytest.mark.parametrize("seed", range(50))
def test_ranks_are_shares_of_the_original_below(seed):
    case, width = random_noisy(seed), 0.1
    figures = figures_of(IntervalDisclosure(width=width, by="rank"), case)
    for name in case.before:
        originals = known(numbers(case.before[name]))

        def place(x, originals=originals):
            return (
                (sum(one < x for one in originals) + sum(one <= x for one in originals)) / 2 / len(originals)
            )

        pairs = [(was, became) for was, became in pairs_of(case, name) if None not in (was, became)]
        found = sum(abs(place(was) - place(became)) <= width + 1e-9 for was, became in pairs)
        assert figures["inside_share"][name] == pytest.approx(found / len(pairs), rel=1e-9)
    assert "drisk" not in figures


@pytest.mark.parametrize("seed", range(40))
def test_drisk_is_counted_as_sdcmicro_does(seed):
    """Deviations of the masked file, and rows of which no more than one number lies outside."""
    draw = random.Random(seed)
    rows, width = 30, 0.2
    before = {name: [str(draw.randrange(500)) for _ in range(rows)] for name in ("age", "pay", "size")}
    after = {
        name: [str(int(text) + draw.randrange(-90, 91)) for text in texts] for name, texts in before.items()
    }
    columns = dict.fromkeys(before, COLUMNS["pay"])
    case = Case(columns, before, after, traces=dict.fromkeys(before, Trace.PERTURBED))
    rows_in = 0
    for i in range(rows):
        outside = 0
        for name in before:
            x, masked = float(before[name][i]), numbers(after[name])
            reach = width * deviation(masked)
            outside += x < masked[i] - reach or x > masked[i] + reach
        rows_in += outside in (0, 1)
    assert figures_of(IntervalDisclosure(width=width), case)["drisk"] == pytest.approx(rows_in / rows)


def test_by_hand():
    """The deviation of 0, 10, 20 is 10: with a tenth of it, one unit to either side."""
    before, after = {"age": ["0", "10", "20"]}, {"age": ["1", "12", "20"]}
    case = Case({"age": COLUMNS["age"]}, before, after, traces={"age": Trace.PERTURBED})
    assert figures_of(IntervalDisclosure(), case)["inside_share"] == {"age": pytest.approx(2 / 3)}
    assert figures_of(IntervalDisclosure(width=0.2), case)["worst_share"] == 1.0


def test_a_wider_interval_holds_more_and_more_noise_leaves_fewer():
    draw = random.Random(4)
    before = [str(draw.randrange(1000)) for _ in range(200)]
    for amounts, widths in (((10, 30, 90, 270, 810), (0.1,) * 5), ((90,) * 5, (2.0, 0.5, 0.2, 0.1, 0.02))):
        means = []
        for amount, width in zip(amounts, widths, strict=True):
            found = []
            for seed in range(20):
                noise = random.Random(seed)
                after = [str(round(int(text) + noise.gauss(0, amount))) for text in before]
                case = Case(
                    {"pay": COLUMNS["pay"]}, {"pay": before}, {"pay": after}, traces={"pay": Trace.PERTURBED}
                )
                found.append(figures_of(IntervalDisclosure(width=width), case)["worst_share"])
            means.append(sum(found) / 20)
        assert means == sorted(means, reverse=True)
        assert means[-1] < means[0]


def test_noise_that_was_never_added_is_all_inside():
    before = {"age": ["3", "9", "40"], "pay": ["5.5", "7.25", "90.0"]}
    moved = {"age": Trace.PERTURBED, "pay": Trace.EXCHANGED}
    columns = {name: COLUMNS[name] for name in before}
    figures = figures_of(IntervalDisclosure(), Case(columns, before, before, traces=moved))
    assert figures["inside_share"] == {"age": 1.0, "pay": 1.0}
    assert figures["all_inside_share"] == 1.0


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (Trace.KEPT, NOT_MOVED),
        (Trace.COARSER, NOT_MOVED),
        (Trace.REMOVED, NOT_MOVED),
        (Trace.MADE_UP, MADE_UP),
    ],
)
def test_where_no_number_moved_it_does_not_apply(trace, reason):
    cells = {"age": ["3", "9", "40"]}
    result = result_of(
        IntervalDisclosure(), Case({"age": COLUMNS["age"]}, cells, cells, traces={"age": trace})
    )
    assert (result.state, result.reason) == (State.DOES_NOT_APPLY, reason)


def test_columns_nobody_asks_about_are_not_judged():
    cells = {"size": ["3", "9", "40"]}
    other = Case({"size": COLUMNS["size"]}, cells, cells, traces={"size": Trace.PERTURBED})
    assert result_of(IntervalDisclosure(), other).reason == NO_NUMBERS
    assert figures_of(IntervalDisclosure(columns=("size",)), other)["worst_share"] == 1.0


def test_without_traces_the_data_tell():
    before = {"age": ["3", "9", "40"], "pay": ["5", "7", "90"]}
    columns = {name: COLUMNS[name] for name in before}
    moved = {"age": before["age"], "pay": ["6", "7", "90"]}
    assert set(figures_of(IntervalDisclosure(), Case(columns, before, moved))["inside_share"]) == {"pay"}
    assert result_of(IntervalDisclosure(), Case(columns, before, before)).reason == NOT_MOVED
    apart = Case(columns, before, moved, aligned=False)
    assert result_of(IntervalDisclosure(), apart).state is State.DOES_NOT_APPLY


def test_a_run_with_noise_is_judged():
    columns = {"income": {"role": "sensitive", "kind": "decimal"}, "sex": {"role": "quasi-identifier"}}
    steps = [("noise", {"column": "income", "amount": 0.5})]
    _, report = run(recipe_of(columns, [], steps, ["interval-disclosure"]), sample_table())
    (entry,) = report["measures"]
    assert 0.05 < entry["after"]["inside_share"]["income"] < 0.3  # 2Φ(0.2) − 1 = 0.16
