"""What two releases tell together: joint classes by row and by label, against a plain reading of both."""

import random
from collections import Counter, defaultdict
from itertools import product

import pytest

from tests.engine.measures.outside import World, figures_of, looked, reason_of
from tests.engine.measures.scenes import Case
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.intersection import Intersection

TREE = {f"v{i}": [f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)}
COLUMNS = {
    "town": {
        "role": "quasi-identifier",
        "kind": "categorical",
        "hierarchy": [";".join(path) for path in TREE.values()],
    },
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "job": {"role": "sensitive", "kind": "categorical"},
}
PERSON = {"who": {"role": "person-key", "kind": "text"}, **COLUMNS}


def people(draw, rows, gone):
    return {
        "town": ["" if draw.random() < gone else f"v{draw.randrange(8)}" for _ in range(rows)],
        "age": [str(draw.randrange(20)) for _ in range(rows)],
        "job": [draw.choice("abc") for _ in range(rows)],
    }


def interval(text, width):
    low = int(text) // width * width
    return text if width == 1 else f"[{low}, {low + width}["


def recoded(before, level, width, k):
    """Full-domain recoding; rows in classes smaller than k are suppressed."""
    town = [TREE[text][level] if text else text for text in before["town"]]
    age = [interval(text, width) for text in before["age"]]
    sizes = Counter(zip(town, age, strict=True))
    small = [sizes[pair] < k for pair in zip(town, age, strict=True)]
    return {
        "town": ["*" if gone else one for one, gone in zip(town, small, strict=True)],
        "age": ["*" if gone else one for one, gone in zip(age, small, strict=True)],
        "job": list(before["job"]),
    }


def pairs_of(cells, kept):
    pairs = list(zip(cells["town"], cells["age"], strict=True))
    return [pair if stays else None for pair, stays in zip(pairs, kept, strict=True)]


def joint_sizes(releases, who=None):
    """For each row the rows, or persons, equal in every release; none where it has no joint class."""
    rows = list(zip(*releases, strict=True))
    holders = defaultdict(set)
    for i, row in enumerate(rows):
        holders[row].add(i if who is None else who[i])
    sizes = []
    for row in rows:
        there = row[0] is not None and any(one is not None for one in row[1:])
        shown = any(one is not None and set(one) != {"*"} for one in row)
        sizes.append(len(holders[row]) if there and shown else None)
    return sizes


def judged(found, releases, who=None):
    sizes = joint_sizes(releases, who)
    counted = [one for one in sizes if one is not None]
    assert found["rows"] == len(counted)
    assert found["smallest_joint_class"] == (min(counted) if counted else None)
    assert found["unique_rows"] == sum(one == 1 for one in counted)
    if not counted:
        return
    assert found["unique_share"] == pytest.approx(sum(one == 1 for one in counted) / len(counted), abs=1e-9)
    assert found["success"] == pytest.approx(sum(1 / one for one in counted) / len(counted), abs=1e-9)
    alone = []
    for release in releases:
        held = defaultdict(set)
        for i, one in enumerate(release):
            held[one].add(i if who is None else who[i])
        chances = [
            1 / len(held[one]) if one is not None else 0
            for one, size in zip(release, sizes, strict=True)
            if size
        ]
        alone.append(sum(chances) / len(counted))
    assert found["baseline"] == pytest.approx(max(alone), abs=1e-9)
    assert found["advantage"] == pytest.approx(found["success"] - max(alone), abs=1e-9)


def world_of(seed, columns=COLUMNS, gone=0.1):
    draw = random.Random(seed)
    rows = draw.choice([1, 3, 10, 40])
    before = people(draw, rows, gone)
    if "who" in columns:
        before["who"] = [f"p{draw.randrange(rows)}" for _ in range(rows)]

    def release():
        return recoded(before, draw.randrange(4), draw.choice([1, 2, 5, 20]), draw.choice([1, 2, 4]))

    kept = [draw.random() < 0.9 or i == 0 for i in range(rows)]
    case = Case(columns, before, release(), kept if seed % 2 else [True] * rows)
    others = {f"other {i}": release() for i in range(draw.choice([1, 2]))}
    return World(case, others)


@pytest.mark.parametrize("seed", range(45))
def test_joint_classes_by_row(seed):
    world = world_of(seed)
    draw, rows = random.Random(seed), world.case.rows
    world.placed = frozenset(world.others)
    world.kept = {name: [draw.random() < 0.8 or i == 0 for i in range(rows)] for name in world.others}
    releases = [pairs_of(world.case.after, world.case.kept)]
    releases += [pairs_of(cells, world.kept[name]) for name, cells in world.others.items()]
    found = figures_of(Intersection(), world)
    judged(found, releases)
    assert set(found["joined"].values()) == {"by row"}
    for name, other in zip(world.others, releases[1:], strict=True):
        sizes = [one for one in joint_sizes([releases[0], other]) if one is not None]
        assert found["joint_class"][name] == min(sizes, default=None)
        share = sum(one == 1 for one in sizes) / len(sizes) if sizes else None
        assert found["alone"][name] == pytest.approx(share, abs=1e-9)
    records = looked(Intersection(), world).records["intersection_joint_class_size"].tolist()
    assert [None if one != one else int(one) for one in records] == joint_sizes(releases)


@pytest.mark.parametrize("seed", range(40))
def test_joint_classes_by_label_are_those_by_row(seed):
    """Where all rows are recoded alike and no label stands for a missing value, labels say as much."""
    world = world_of(seed, gone=0)
    world.case.aligned = seed % 3 > 0
    world.case.kept = [True] * world.case.rows
    releases = [pairs_of(world.case.after, world.case.kept)]
    releases += [pairs_of(cells, world.case.kept) for cells in world.others.values()]
    draw = random.Random(seed)
    for name, cells in world.others.items():
        order = draw.sample(range(world.case.rows), world.case.rows)
        world.others[name] = {column: [texts[i] for i in order] for column, texts in cells.items()}
    found = figures_of(Intersection(), world)
    judged(found, releases)


@pytest.mark.parametrize("seed", range(40))
def test_persons_are_counted_where_a_key_tells(seed):
    world = world_of(seed, PERSON)
    world.placed = frozenset(world.others)
    releases = [pairs_of(world.case.after, world.case.kept)]
    releases += [pairs_of(cells, [True] * world.case.rows) for cells in world.others.values()]
    judged(figures_of(Intersection(), world), releases, world.case.before["who"])


def crossing():
    """Six people in classes of three and of two, crossed."""
    before = {
        "town": ["v0", "v0", "v1", "v1", "v2", "v3"],
        "age": ["1", "2", "1", "2", "1", "2"],
        "job": [*"abcabc"],
    }
    by_town = {"town": ["g0"] * 4 + ["g1"] * 2, "age": ["*"] * 6, "job": before["job"]}
    by_age = {"town": ["*"] * 6, "age": before["age"], "job": before["job"]}
    return before, by_town, by_age


def test_two_coarse_releases_leave_one():
    before, by_town, by_age = crossing()
    found = figures_of(Intersection(), World(Case(COLUMNS, before, by_town), {"last year": by_age}))
    assert found["smallest_joint_class"] == 1
    assert found["highest_risk"] == 1
    assert found["unique_rows"] == 2
    assert found["unique_share"] == pytest.approx(1 / 3)
    assert found["joint_class"] == {"last year": 1}
    assert found["joined"] == {"last year": "by row"}
    assert found["success"] == pytest.approx(4 / 6)
    assert found["baseline"] == pytest.approx(2 / 6)


def test_a_hundred_and_more_leave_one():
    """Classes of 126 and of 92 that share one person."""
    places = [(0, 0)] + [(0, 1 + i // 92) for i in range(125)] + [(1 + i // 126, 0) for i in range(91)]
    places += list(product((1, 2), (1, 2))) * 63
    before = {
        "town": [f"v{i}" for i, _ in places],
        "age": [str(j) for _, j in places],
        "job": ["a"] * len(places),
    }
    stars = ["*"] * len(places)
    first = {"town": before["town"], "age": stars, "job": before["job"]}
    second = {"town": stars, "age": before["age"], "job": before["job"]}
    assert min(Counter(first["town"]).values()) == 126
    assert min(Counter(second["age"]).values()) == 92
    found = figures_of(Intersection(), World(Case(COLUMNS, before, first), {"other": second}))
    assert found["smallest_joint_class"] == 1
    assert found["unique_rows"] == 1


def test_the_same_release_again_adds_nothing():
    before, by_town, _ = crossing()
    found = figures_of(Intersection(), World(Case(COLUMNS, before, by_town), {"again": by_town}))
    assert found["smallest_joint_class"] == 2
    assert found["advantage"] == 0


@pytest.mark.parametrize("seed", range(20))
def test_one_more_release_never_protects(seed):
    world = world_of(seed)
    world.case.kept = [True] * world.case.rows
    more = recoded(world.case.before, seed % 4, 5, 1)
    world.placed = frozenset(world.others) | {"more"}
    few = figures_of(Intersection(), world)
    world.others["more"] = more
    many = figures_of(Intersection(), world)
    if few["rows"] == many["rows"] and few["rows"]:
        assert many["smallest_joint_class"] <= few["smallest_joint_class"]
        assert many["success"] >= few["success"] - 1e-12


def test_without_another_release_nothing_is_passed():
    before, by_town, _ = crossing()
    assert "No other file about the same people" in reason_of(
        Intersection(), World(Case(COLUMNS, before, by_town))
    )


def test_without_a_quasi_identifier_nobody_is_looked_up():
    columns = {"job": COLUMNS["job"]}
    case = Case(columns, {"job": ["a"]}, {"job": ["a"]})
    assert "quasi-identifier" in reason_of(Intersection(), World(case, {"other": {"job": ["a"]}}))


@pytest.mark.parametrize("trace", [Trace.PERTURBED, Trace.EXCHANGED, Trace.MADE_UP])
def test_perturbed_keys_are_answered_for_elsewhere(trace):
    before, by_town, by_age = crossing()
    case = Case(COLUMNS, before, by_town, traces=dict.fromkeys(("town", "age"), trace) | {"job": Trace.KEPT})
    assert "record linkage" in reason_of(Intersection(), World(case, {"other": by_age}))


def test_keys_that_stayed_truthful_are_enough():
    before, by_town, by_age = crossing()
    traces = {"town": Trace.COARSER, "age": Trace.PERTURBED, "job": Trace.KEPT}
    found = figures_of(
        Intersection(), World(Case(COLUMNS, before, by_town, traces=traces), {"other": by_age})
    )
    assert found["smallest_joint_class"] == 1


def test_values_that_moved_are_no_classes():
    """Nobody said how the file was made, and its values are not those of the rows."""
    before, by_town, by_age = crossing()
    moved = {**before, "age": ["7", "8", "9", "7", "8", "9"]}
    assert "perturbed" in reason_of(Intersection(), World(Case(COLUMNS, before, moved), {"other": by_age}))
    assert "looked up in both" in reason_of(
        Intersection(), World(Case(COLUMNS, before, by_town), {"other": moved})
    )
    found = figures_of(
        Intersection(), World(Case(COLUMNS, before, by_town), {"other": by_age, "moved": moved})
    )
    assert found["joined"]["moved"].startswith("not comparable")
    assert found["compared_releases"] == 1


def test_a_mutant_that_loses_the_order_is_seen():
    """A file of as many rows whose rows do not fit where they stand is joined by label."""
    before, by_town, by_age = crossing()
    shifted = {name: [texts[-1], *texts[:-1]] for name, texts in by_age.items()}
    found = figures_of(Intersection(), World(Case(COLUMNS, before, by_town), {"other": shifted}))
    assert found["joined"] == {"other": "by label"}
    assert found["smallest_joint_class"] == 1
