"""Three attackers on perturbed rows, against brute force, chance, and releases that leak."""

import math
import random

import numpy as np
import pytest

from tests.engine.measures.linkage_oracle import Attack, deviation, kept, normal, pram
from tests.engine.measures.scenes import Case, figures_of, measured_of, result_of
from tests.engine.running import recipe_of, run
from worker.engine.contracts.result import State
from worker.engine.contracts.samples import sample_table
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.record_linkage import COARSER, MADE_UP, UNTAGGED, RecordLinkage
from worker.engine.methods.noise import Noise
from worker.engine.methods.pram import Pram
from worker.engine.methods.rank_swapping import RankSwapping

QUASI = {"role": "quasi-identifier"}
TOWN = {**QUASI, "kind": "categorical"}
AGE = {**QUASI, "kind": "integer"}
ALPHA = 6.2
"""Deviations of a normal distribution that one in a thousand million passes."""


def case_of(before, after, traces, methods=(), kinds=None, **more):
    columns = {name: kinds[name] if kinds else (AGE if name in ("age", "pay") else TOWN) for name in before}
    return Case(columns, before, after, traces=traces, methods=tuple(methods), **more)


def rows_of(cells):
    return list(zip(*cells.values(), strict=True))


def moved(draw, texts, categories, keep):
    return [text if not text or draw.random() < keep else draw.choice(categories) for text in texts]


def noisy(draw, texts, spread):
    return [text and str(round(float(text) + draw.gauss(0, spread))) for text in texts]


def random_moved(seed):
    """Categories after PRAM beside numbers with noise, a kept column, some cells missing, and the oracle."""
    draw = random.Random(seed)
    rows = draw.choice([2, 3, 8, 20, 30])
    blank = draw.choice([0, 0.15])
    parts = draw.choice(
        [("town",), ("age",), ("age", "pay"), ("town", "sex"), ("town", "age"), tuple("tagk")]
    )
    names = ("town", "age", "pay", "kept") if parts == tuple("tagk") else parts

    def cells(one):
        return ["" if draw.random() < blank else one() for _ in range(rows)]

    makers = {
        "town": lambda: draw.choice("abcd"),
        "sex": lambda: draw.choice("fm"),
        "kept": lambda: draw.choice("pq"),
        "age": lambda: str(draw.randrange(draw.choice([5, 80]))),
        "pay": lambda: str(100 * draw.randrange(30)),
    }
    before = {name: cells(makers[name]) for name in names}
    for name in ("age", "pay"):
        if name in before and sum(text != "" for text in before[name]) < 2:
            before[name] = [str(i) for i in range(rows)]
    keep, amount = draw.choice([0.5, 0.9]), draw.choice([0.1, 1.0])
    after, likely, methods, traces = {}, [], [], {}
    for name in names:
        traces[name] = Trace.PERTURBED
        if name == "kept":
            after[name], traces[name] = list(before[name]), Trace.KEPT
            likely.append(kept)
        elif name in ("town", "sex"):
            known = sorted({text for text in before[name] if text})
            after[name] = moved(draw, before[name], known, keep) if known else list(before[name])
            likely.append(pram(keep, known))
            methods.append(Pram(column=name, keep=keep))
        else:
            spread = deviation([float(text) for text in before[name] if text])
            after[name] = noisy(draw, before[name], amount * spread)
            likely.append(normal(max(amount * spread, 1 / math.sqrt(12))))
            methods.append(Noise(column=name, amount=amount))
    kinds = [name in ("age", "pay") for name in names]
    return case_of(before, after, traces, methods), Attack(rows_of(before), rows_of(after), kinds, likely)


@pytest.mark.parametrize("seed", range(60))
def test_all_three_attackers_are_those_of_brute_force(seed):
    case, attack = random_moved(seed)
    found = measured_of(RecordLinkage(), case)
    figures = found.results[0].after
    assert figures is not None, found.results[0].reason
    scores = (attack.distance, attack.informed, attack.of_others)
    each = [attack.linked(score) for score in scores]
    shares = [sum(one) / case.rows for one in each]
    assert list(figures["attackers"].values()) == pytest.approx(shares, rel=1e-9, abs=1e-9)
    assert figures["linked_share"] == pytest.approx(max(shares), rel=1e-9, abs=1e-9)
    near = sum(attack.linked(attack.distance, 3)) / case.rows
    assert figures["own_among_nearest"] == pytest.approx(near, rel=1e-9)
    assert figures["highest_posterior"] == pytest.approx(attack.highest_posterior(), rel=1e-9)
    was, chance = attack.unchanged()
    assert figures["unchanged_share"] == pytest.approx(max(was - chance, 0.0), rel=1e-9, abs=1e-9)
    strongest = list(figures["attackers"]).index(figures["strongest"])
    (records,) = found.records.values()
    assert records.tolist() == pytest.approx(each[strongest], rel=1e-9, abs=1e-9)


def test_by_hand():
    """Three ages a decade apart; the middle one moves next to the last."""
    before, after = {"age": ["10", "20", "30"]}, {"age": ["10", "29", "30"]}
    figures = figures_of(RecordLinkage(), case_of(before, after, {"age": Trace.PERTURBED}))
    assert figures["attackers"]["nearest"] == pytest.approx(1.0)  # 20 is nearer to 29 than to 10
    after = {"age": ["19", "30", "31"]}
    figures = figures_of(RecordLinkage(), case_of(before, after, {"age": Trace.PERTURBED}))
    assert figures["attackers"]["nearest"] == pytest.approx(1 / 3)  # 20 takes 19, 30 takes 30
    assert figures["chance_share"] == pytest.approx(1 / 3)
    assert figures["targets"] == 3


def test_ties_are_divided_and_a_row_that_is_gone_is_not_linked():
    before = {"town": ["a", "a", "b", "c"]}
    case = case_of(before, before, {"town": Trace.EXCHANGED}, kept=[True, True, True, False])
    figures = figures_of(RecordLinkage(), case)
    assert figures["attackers"]["nearest"] == pytest.approx((1 / 2 + 1 / 2 + 1 + 0) / 4)
    assert figures["targets_gone"] == 1
    hidden = {"town": ["a", "a", "b", "*"]}
    figures = figures_of(RecordLinkage(), case_of(before, hidden, {"town": Trace.EXCHANGED}))
    assert figures["attackers"]["nearest"] == pytest.approx(2 / 4)
    assert figures["targets_gone"] == 1


def test_a_label_that_holds_the_value_is_as_near_as_the_value():
    """The town is coarser, the age moved: all keys are used together."""
    lines = ["a;x;*", "b;x;*", "c;y;*", "d;y;*"]
    kinds = {"town": {**TOWN, "hierarchy": lines}, "age": AGE}
    before = {"town": list("abcd"), "age": ["10", "20", "10", "20"]}
    after = {"town": list("xxyy"), "age": ["11", "19", "12", "18"]}
    traces = {"town": Trace.COARSER, "age": Trace.PERTURBED}
    figures = figures_of(RecordLinkage(), case_of(before, after, traces, kinds=kinds))
    assert list(figures["attackers"].values()) == [1.0, 1.0, 1.0]
    without = figures_of(RecordLinkage(columns=("age",)), case_of(before, after, traces, kinds=kinds))
    assert without["attackers"]["nearest"] == pytest.approx(0.5)


def test_an_interval_holds_the_numbers_in_it():
    before = {"age": ["12", "18", "31", "39"], "town": list("abab")}
    after = {"age": ["[10, 20[", "[10, 20[", "[30, 40[", "[30, 40["], "town": list("abab")}
    traces = {"age": Trace.COARSER, "town": Trace.PERTURBED}
    case = case_of(before, after, traces, [Pram(column="town", keep=0.9)])
    assert list(figures_of(RecordLinkage(), case)["attackers"].values()) == [1.0, 1.0, 1.0]


def test_a_rank_bound_rules_out_the_rows_beyond_it():
    """Values move by one rank at most: whoever knows it finds the outermost ones among two."""
    before = {"age": [str(i) for i in range(10)]}
    after = {"age": [str(i ^ 1) for i in range(10)]}
    swap = RankSwapping(columns=("age",), percent=10)
    figures = figures_of(RecordLinkage(), case_of(before, after, {"age": Trace.EXCHANGED}, [swap]))
    # Inside three values are possible, at both ends two.
    assert figures["attackers"]["informed"] == pytest.approx((8 / 3 + 2 / 2) / 10)
    assert figures["attackers"]["nearest"] == 0.0
    without = figures_of(RecordLinkage(), case_of(before, after, {"age": Trace.EXCHANGED}))
    assert without["attackers"]["informed"] == 0.0


def simulated(draw, before, after):
    """Rows that somebody gets right who picks any released row that equals the known one."""
    places = {}
    for number, row in enumerate(after):
        places.setdefault(row, []).append(number)
    return sum(draw.choice(places[row]) == number for number, row in enumerate(before) if row in places)


def test_an_exact_match_attacker_is_right_as_rarely_as_the_page_says():
    """And class sizes, which would answer for true rows, say another share."""
    draw, rows, keep = random.Random(5), 400, 0.4
    right = expected = spread = class_sizes = 0.0
    for _ in range(40):
        before = {
            "town": [draw.choice("abc") for _ in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
        }
        after = {name: moved(draw, texts, sorted(set(texts)), keep) for name, texts in before.items()}
        found = measured_of(RecordLinkage(), case_of(before, after, dict.fromkeys(before, Trace.PERTURBED)))
        share = found.results[0].after["attackers"]["nearest"]
        tuples = rows_of(after)
        right += simulated(draw, rows_of(before), tuples)
        expected += share * rows
        spread += share * rows
        class_sizes += sum(1 / tuples.count(row) for row in tuples)
    assert abs(right - expected) < ALPHA * math.sqrt(spread)
    assert abs(right - class_sizes) > ALPHA * math.sqrt(spread)


@pytest.mark.parametrize("method", ["noise", "pram"])
def test_more_noise_links_fewer(method):
    """The mean over twenty seeds falls from each of five amounts to the next."""
    means = []
    for amount in (0.02, 0.1, 0.3, 0.6, 0.95):
        found = []
        for seed in range(20):
            draw = random.Random(seed)
            if method == "noise":
                before = {name: [str(draw.randrange(1000)) for _ in range(60)] for name in ("age", "pay")}
                after = {name: noisy(draw, texts, amount * 289) for name, texts in before.items()}
                methods = [Noise(column=name, amount=amount) for name in before]
            else:
                before = {name: [draw.choice("abcde") for _ in range(60)] for name in ("town", "sex", "job")}
                after = {name: moved(draw, texts, "abcde", 1 - amount) for name, texts in before.items()}
                methods = [Pram(column=name, keep=max(1 - 0.8 * amount, 0.2)) for name in before]
            traces = dict.fromkeys(before, Trace.PERTURBED)
            found.append(figures_of(RecordLinkage(), case_of(before, after, traces, methods))["linked_share"])
        means.append(sum(found) / len(found))
    assert means == sorted(means, reverse=True)
    assert means[-1] < means[0] / 2


def leaking(rows=80):
    draw = random.Random(3)
    return {
        "town": [draw.choice("abcdefgh") for _ in range(rows)],
        "age": [str(draw.randrange(90)) for _ in range(rows)],
        "pay": [str(draw.randrange(10_000)) for _ in range(rows)],
    }


@pytest.mark.parametrize("leak", ["identity", "shifted", "permuted"])
@pytest.mark.parametrize("known", [True, False])
def test_releases_that_leak_are_caught(leak, known):
    before = leaking()
    order = {
        "identity": list(range(80)),
        "shifted": [*range(1, 80), 0],
        "permuted": random.Random(1).sample(range(80), 80),
    }
    after = {name: [texts[i] for i in order[leak]] for name, texts in before.items()}
    traces = dict.fromkeys(before, Trace.EXCHANGED) if known else None
    result = result_of(RecordLinkage(), case_of(before, after, traces))
    if leak == "identity" and not known:  # nobody says that anything was moved, and nothing was
        assert (result.state, result.reason) == (State.DOES_NOT_APPLY, COARSER)
        return
    assert max(result.after["linked_share"], result.after["unchanged_share"]) > 0.9
    assert (result.after["linked_share"] > 0.9) == (leak == "identity")


def test_columns_in_orders_of_their_own_give_nobody_away():
    before, draw = leaking(), random.Random(2)
    after = {name: draw.sample(texts, len(texts)) for name, texts in before.items()}
    figures = figures_of(RecordLinkage(), case_of(before, after, dict.fromkeys(before, Trace.EXCHANGED)))
    assert figures["unchanged_share"] < 0.05
    assert figures["linked_share"] < 0.15
    one = {"pay": before["pay"]}  # a single column stands in every order as it was
    figures = figures_of(RecordLinkage(), case_of(one, {"pay": after["pay"]}, {"pay": Trace.EXCHANGED}))
    assert figures["unchanged_found"] == 1.0
    assert figures["unchanged_share"] == 0.0


def test_a_sample_of_targets_covers_the_share_of_all():
    draw, before = random.Random(9), leaking(400)
    after = {name: texts if name == "town" else noisy(draw, texts, 12) for name, texts in before.items()}
    traces = {"town": Trace.KEPT, "age": Trace.PERTURBED, "pay": Trace.PERTURBED}
    whole = figures_of(RecordLinkage(), case_of(before, after, traces))
    found = measured_of(RecordLinkage(targets=100), case_of(before, after, traces))
    some = found.results[0].after
    assert some["targets"] == 100
    assert some["linked_low"] <= whole["linked_share"] <= some["linked_high"]
    (records,) = found.records.values()
    assert np.count_nonzero(~np.isnan(records)) == 100


@pytest.mark.parametrize(
    ("traces", "reason"),
    [
        ({"town": Trace.COARSER, "age": Trace.KEPT}, COARSER),
        ({"town": Trace.KEPT, "age": Trace.KEPT}, COARSER),
        ({"town": Trace.MADE_UP, "age": Trace.MADE_UP}, MADE_UP),
        ({"town": Trace.REMOVED, "age": Trace.REMOVED}, "No quasi-identifier leaves"),
    ],
)
def test_where_nothing_moved_another_measure_answers(traces, reason):
    before = {"town": list("abc"), "age": ["1", "2", "3"]}
    result = result_of(RecordLinkage(), case_of(before, before, traces))
    assert result.state is State.DOES_NOT_APPLY
    assert result.reason.startswith(reason)


def test_without_quasi_identifiers_or_order_it_does_not_apply():
    before = {"town": list("abc")}
    other = case_of(before, before, None, kinds={"town": {"role": "other", "kind": "categorical"}})
    assert result_of(RecordLinkage(), other).reason == UNTAGGED
    apart = case_of(before, before, {"town": Trace.PERTURBED}, aligned=False)
    assert result_of(RecordLinkage(), apart).state is State.DOES_NOT_APPLY


def test_a_run_tells_the_measure_its_mechanism():
    """PRAM on one key: the informed attacker is at least as good as by what the rows show."""
    columns = {
        "sex": TOWN,
        "age": AGE,
        "income": {"role": "sensitive", "kind": "decimal"},
    }
    steps = [("pram", {"column": "sex", "keep": 0.8}), ("noise", {"column": "age", "amount": 0.2})]
    _, report = run(recipe_of(columns, [], steps, ["record-linkage"]), sample_table())
    (entry,) = report["measures"]
    assert entry["state"] == "measured", entry["reason"]
    assert 0 < entry["after"]["linked_share"] < 0.5
