"""Whom the difference between two editions exposes, against somebody who compares all sets by hand."""

import random
from collections import Counter, defaultdict

import pytest

from tests.engine.measures.outside import World, figures_of, reason_of
from tests.engine.measures.scenes import Case
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.differencing import Differencing

TREE = {f"v{i}": [f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)}
UNDER = defaultdict(set)
for value, path in TREE.items():
    for label in path:
        UNDER[label].add(value)
COLUMNS = {
    "town": {
        "role": "quasi-identifier",
        "kind": "categorical",
        "hierarchy": [";".join(path) for path in TREE.values()],
    },
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "job": {"role": "sensitive", "kind": "categorical"},
}
NAMES = tuple(COLUMNS)


def somebody(draw):
    return (f"v{draw.randrange(8)}", str(draw.randrange(8)), draw.choice("abc"))


def covered(label):
    if label.startswith("["):
        low, high = map(int, label[1:-1].split(","))
        return {str(age) for age in range(low, high)}
    return {label} if label != "*" else {str(age) for age in range(8)}


def released(rows, level, width, k):
    def coarser(town, age, job):
        low = int(age) // width * width
        return (TREE[town][level], age if width == 1 else f"[{low}, {low + width}[", job)

    made = [coarser(*row) for row in rows]
    sizes = Counter(row[:2] for row in made)
    return [row if sizes[row[:2]] >= k else ("*", "*", row[2]) for row in made]


def cells_of(rows):
    return {name: [row[at] for row in rows] for at, name in enumerate(NAMES)}


def by_hand(here, there, k):
    """Merge classes that share a possible person until nothing overlaps, and take the counts apart."""
    shown = [[row for row in rows if row[:2] != ("*", "*")] for rows in (here, there)]
    regions = []
    for side, rows in enumerate(shown):
        for label in {row[:2] for row in rows}:
            people = {(town, age) for town in UNDER[label[0]] for age in covered(label[1])}
            regions.append((people, {(side, label)}))
    merged = True
    while merged:
        merged = False
        for one in regions:
            for other in regions:
                if one is not other and one[0] & other[0]:
                    regions.remove(one)
                    regions.remove(other)
                    regions.append((one[0] | other[0], one[1] | other[1]))
                    merged = True
                    break
            if merged:
                break
    exposed = differing = certain = rows = 0
    sizes = []
    for _, classes in regions:
        jobs = [Counter(row[2] for row in shown[side] if (side, row[:2]) in classes) for side in (0, 1)]
        counts = [sum(one.values()) for one in jobs]
        more = abs(counts[0] - counts[1])
        rows += max(counts)
        sizes += [more] if more else []
        if 0 < more < k:
            exposed += more
            differing += 1
            certain += more if sum(jobs[0][job] != jobs[1][job] for job in "abc") == 1 else 0
    return exposed, differing, certain, rows, min(sizes, default=None)


def editions(seed, same_level):
    draw = random.Random(seed)
    now = [somebody(draw) for _ in range(draw.choice([4, 20, 60]))]
    stayed = [row for row in now if draw.random() < 0.9] or now
    before = stayed + [somebody(draw) for _ in range(draw.choice([0, 2]))]
    draw.shuffle(before)
    how = (draw.randrange(4), draw.choice([1, 2, 4]))
    other = how if same_level else (draw.randrange(4), draw.choice([1, 2, 4]))
    k = draw.choice([1, 1, 3])
    return now, released(now, *how, k), released(before, *other, k)


@pytest.mark.parametrize("seed", range(60))
def test_differences_are_those_found_by_hand(seed):
    rows, here, there = editions(seed, same_level=seed % 2 == 0)
    world = World(Case(COLUMNS, cells_of(rows), cells_of(here)), {"last year": cells_of(there)})
    k = random.Random(seed).choice([2, 5])
    if all(row[:2] == ("*", "*") for row in here + there):
        return
    exposed, differing, certain, whole, smallest = by_hand(here, there, k)
    found = figures_of(Differencing(k=k), world)
    assert found["exposed_rows"] == exposed
    assert found["differing"] == {"last year": differing}
    assert found["exposed_share"] == pytest.approx(exposed / whole if whole else None, abs=1e-9)
    assert found["smallest_difference"] == smallest
    assert found["certain_share"]["job"] == pytest.approx(certain / exposed if exposed else None, abs=1e-9)


def test_two_who_came_are_known_with_their_job():
    stayed = [("v0", "1", "a")] * 6 + [("v2", "1", "b")] * 6
    now = [*stayed, ("v0", "1", "c"), ("v1", "1", "c")]
    here, there = released(now, 1, 4, 1), released(stayed, 1, 4, 1)
    world = World(Case(COLUMNS, cells_of(now), cells_of(here)), {"last year": cells_of(there)})
    found = figures_of(Differencing(), world)
    assert (found["exposed_rows"], found["smallest_difference"]) == (2, 2)
    assert found["exposed_share"] == pytest.approx(2 / 14)
    assert found["certain_share"] == {"job": 1}
    assert figures_of(Differencing(k=2), world)["exposed_rows"] == 0


def test_one_file_twice_exposes_nobody():
    rows, here, _ = editions(2, same_level=True)
    world = World(Case(COLUMNS, cells_of(rows), cells_of(here)), {"again": cells_of(here)})
    found = figures_of(Differencing(), world)
    assert found["exposed_share"] == 0
    assert found["smallest_difference"] is None


@pytest.mark.parametrize("seed", range(20))
def test_a_larger_k_never_exposes_fewer(seed):
    rows, here, there = editions(seed, same_level=True)
    world = World(Case(COLUMNS, cells_of(rows), cells_of(here)), {"last year": cells_of(there)})
    shares = [figures_of(Differencing(k=k), world)["exposed_rows"] for k in (2, 3, 5, 100)]
    assert shares == sorted(shares)


def test_of_several_releases_the_worst_counts():
    stayed = [("v0", "1", "a")] * 6
    now = [*stayed, ("v0", "1", "c")]
    others = {"same": cells_of(now), "last year": cells_of(stayed)}
    found = figures_of(Differencing(), World(Case(COLUMNS, cells_of(now), cells_of(now)), others))
    assert found["exposed"] == {"same": 0, "last year": pytest.approx(1 / 7)}
    assert found["exposed_share"] == pytest.approx(1 / 7)
    assert found["compared_releases"] == 2


def test_without_another_release_nothing_is_passed():
    now = [("v0", "1", "a")] * 6
    assert "No other file about the same people" in reason_of(
        Differencing(), World(Case(COLUMNS, cells_of(now), cells_of(now)))
    )


@pytest.mark.parametrize("trace", [Trace.PERTURBED, Trace.EXCHANGED, Trace.MADE_UP])
def test_perturbed_counts_say_nothing_certain(trace):
    now = [("v0", "1", "a")] * 6
    traces = {"town": trace, "age": trace, "job": Trace.KEPT}
    case = Case(COLUMNS, cells_of(now), cells_of(now), traces=traces)
    assert "nothing certain" in reason_of(Differencing(), World(case, {"other": cells_of(now)}))


def test_a_release_without_the_keys_is_not_compared():
    now = [("v0", "1", "a")] * 6
    case = Case(COLUMNS, cells_of(now), cells_of(now))
    assert "same quasi-identifiers" in reason_of(Differencing(), World(case, {"other": {"job": ["a"]}}))
