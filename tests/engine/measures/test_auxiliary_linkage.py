"""Whom a register finds in a release, against somebody who looks each person up by hand."""

import random
from math import sqrt

import pytest

from tests.engine.measures.outside import World, figures_of, looked, reason_of
from tests.engine.measures.scenes import Case
from worker.engine.contracts.traces import Trace
from worker.engine.measures.attack.auxiliary_linkage import AuxiliaryLinkage

TREE = {f"v{i}": [f"v{i}", f"g{i // 2}", "*"] for i in range(6)}
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
KEYS = ("town", "age")
VOTERS = AuxiliaryLinkage(file="voters.csv")


def somebody(draw):
    return {"town": f"v{draw.randrange(6)}", "age": str(draw.randrange(12)), "job": draw.choice("abc")}


def cells_of(rows, names):
    return {name: [row[name] for row in rows] for name in names}


def coarser(draw, row, level, width):
    low = int(row["age"]) // width * width
    age = row["age"] if width == 1 else f"[{low}, {low + width}["
    made = {"town": TREE[row["town"]][level], "age": age, "job": row["job"]}
    return {**made, "town": "*", "age": "*"} if draw.random() < 0.1 else made


def fitting(label, value):
    if label in ("*", value):
        return True
    if label.startswith("["):
        low, high = map(int, label[1:-1].split(","))
        return low <= int(value) < high
    return label.startswith("g") and label == f"g{int(value[1:]) // 2}"


def world_of(seed, columns=COLUMNS, moved=False):
    draw = random.Random(seed)
    rows = [somebody(draw) for _ in range(draw.choice([1, 4, 12, 30]))]
    others = [somebody(draw) for _ in range(draw.choice([0, 3, 20]))]
    for i, row in enumerate(rows + others):
        row["who"] = f"p{i if i >= len(rows) or seed % 2 else draw.randrange(len(rows))}"
    level, width = draw.randrange(3), draw.choice([1, 4])
    released = [coarser(draw, row, level, width) for row in rows]
    if moved:
        released = [{**row, "town": draw.choice([row["town"], f"v{draw.randrange(6)}"])} for row in rows]
    register = [row for row in rows if draw.random() < 0.7] + others
    register = register or rows[:1]
    draw.shuffle(register)
    if "who" in columns:
        register = list({row["who"]: row for row in register}.values())
    names = [name for name in columns if name != "job"]
    case = Case(columns, cells_of(rows, columns), cells_of(released, COLUMNS))
    if moved:
        case.traces = {"who": Trace.REMOVED, "town": Trace.PERTURBED, "age": Trace.KEPT, "job": Trace.KEPT}
        case.traces = {name: case.traces[name] for name in columns}
    return World(case, files={"voters.csv": cells_of(register, names)}), rows, released, register


def by_hand(rows, released, register, keys, who):
    """Look everybody up: `who` names the column that says who a row is about, where there is one."""
    shown = [i for i, row in enumerate(released) if any(row[key] != "*" for key in keys)]

    def unit(i):
        return rows[i][who] if who else i

    fit = [
        {unit(i) for i in shown if all(fitting(released[i][key], person[key]) for key in keys)}
        for person in register
    ]
    claims = [
        sum(all(fitting(released[i][k], person[k]) for k in keys) for person in register) for i in shown
    ]
    claim = dict(zip(shown, claims, strict=True))
    figures = {
        "matches": sum(bool(one) for one in fit),
        "unique": 0,
        "correct": 0,
        "targets": 0.0,
        "right": 0.0,
    }
    values = [tuple(row[key] for key in keys) for row in rows]
    for person, candidates in zip(register, fit, strict=True):
        mine = tuple(person[key] for key in keys)
        about = {
            unit(i) for i in range(len(rows)) if (rows[i][who] == person[who] if who else values[i] == mine)
        }
        alike = sum(tuple(one[key] for key in keys) == mine for one in register)
        alone = len(candidates) == 1 and min(
            claim[i] for i in shown if all(fitting(released[i][key], person[key]) for key in keys)
        ) == 1  # fmt: skip
        hit = {
            unit(i)
            for i in shown
            if unit(i) in about and all(fitting(released[i][key], person[key]) for key in keys)
        }
        chance = bool(about) * 1.0 if who else min(1.0, len(about) / alike)
        figures["unique"] += alone
        figures["correct"] += alone and bool(hit)
        figures["targets"] += chance
        if candidates and about:
            figures["right"] += chance * len(hit) / len(about) / len(candidates)
    return figures


def judged(found, expected, rows):
    assert found["matches"] == expected["matches"]
    assert found["unique_matches"] == expected["unique"]
    assert found["correct_matches"] == expected["correct"]
    assert found["correct_share"] == pytest.approx(expected["correct"] / rows, abs=1e-9)
    assert found["targets"] == round(expected["targets"])
    if expected["unique"]:
        assert found["precision"] == pytest.approx(expected["correct"] / expected["unique"])
    if expected["targets"]:
        success, trials = expected["right"] / expected["targets"], expected["targets"]
        assert found["success"] == pytest.approx(success, abs=1e-9)
        assert found["advantage"] == pytest.approx(success - 1 / rows, abs=1e-9)
        z = 1.959963984540054
        middle, width = (
            success + z * z / 2 / trials,
            z * sqrt(success * (1 - success) / trials + (z / trials / 2) ** 2),
        )
        assert found["success_low"] == pytest.approx(
            max((middle - width) / (1 + z * z / trials), 0), abs=1e-9
        )
        assert found["success_high"] == pytest.approx(
            min((middle + width) / (1 + z * z / trials), 1), abs=1e-9
        )


@pytest.mark.parametrize("seed", range(45))
def test_a_coarser_release(seed):
    world, rows, released, register = world_of(seed)
    found = figures_of(VOTERS, world)
    judged(found, by_hand(rows, released, register, KEYS, None), len(rows))
    for keys in (("town",), ("age",)):
        alone = by_hand(rows, released, register, keys, None)
        assert found["matches_by"][keys[0]] == alone["matches"]
        assert found["unique_by"][keys[0]] == alone["unique"]
        assert found["correct_by"][keys[0]] == alone["correct"]


@pytest.mark.parametrize("seed", range(40))
def test_a_person_key_tells_who_is_meant(seed):
    world, rows, released, register = world_of(seed, PERSON)
    persons = len({row["who"] for row in rows})
    judged(figures_of(VOTERS, world), by_hand(rows, released, register, KEYS, "who"), persons)


@pytest.mark.parametrize("seed", range(40))
def test_an_exact_match_on_drawn_categories_is_right_as_rarely_as_said(seed):
    world, rows, released, register = world_of(seed, moved=True)
    judged(figures_of(VOTERS, world), by_hand(rows, released, register, KEYS, None), len(rows))


def little():
    rows = [
        {"town": "v0", "age": "3", "job": "a"},
        {"town": "v0", "age": "4", "job": "b"},
        {"town": "v2", "age": "4", "job": "c"},
    ]
    register = [{"town": "v0", "age": "3"}, {"town": "v2", "age": "4"}, {"town": "v2", "age": "5"}]
    return rows, register


def world_with(rows, register, released=None, **more):
    after = cells_of(released or rows, COLUMNS)
    return World(
        Case(COLUMNS, cells_of(rows, COLUMNS), after, **more), files={"voters.csv": cells_of(register, KEYS)}
    )


def test_a_list_of_voters_finds_two_of_three():
    found = figures_of(VOTERS, world_with(*little()))
    assert (found["people"], found["matches"], found["unique_matches"], found["correct_matches"]) == (
        3,
        2,
        2,
        2,
    )
    assert found["correct_share"] == pytest.approx(2 / 3)
    assert found["precision"] == 1
    assert found["matches_by"] == {"town + age": 2, "age": 2, "town": 3}
    assert found["unique_by"] == {"town + age": 2, "age": 1, "town": 0}
    assert looked(VOTERS, world_with(*little())).records["auxiliary-linkage_found"].tolist() == [1, 0, 1]


def test_two_persons_for_one_row_are_no_match():
    rows, register = little()
    found = figures_of(VOTERS, world_with(rows, [*register, {"town": "v2", "age": "4"}]))
    assert found["unique_matches"] == 1
    assert found["targets"] == 2


@pytest.mark.parametrize("seed", range(10))
def test_a_file_in_another_order_is_read_by_its_labels(seed):
    world, rows, released, register = world_of(seed)
    if any(row["town"] == "*" and row["age"] == "*" for row in released):
        return
    order = random.Random(seed).sample(range(len(rows)), len(rows))
    mixed = World(
        Case(COLUMNS, world.case.before, cells_of([released[i] for i in order], COLUMNS)), files=world.files
    )
    judged(figures_of(VOTERS, mixed), by_hand(rows, released, register, KEYS, None), len(rows))


def test_what_moved_is_answered_for_elsewhere():
    traces = {"town": Trace.MADE_UP, "age": Trace.PERTURBED, "job": Trace.KEPT}
    assert "record linkage" in reason_of(VOTERS, world_with(*little(), traces=traces))
    asked = AuxiliaryLinkage(file="voters.csv", keys=("town", "age"))
    half = {**traces, "town": Trace.COARSER}
    assert "record linkage" in reason_of(asked, world_with(*little(), traces=half))
    assert set(figures_of(VOTERS, world_with(*little(), traces=half))["matches_by"]) == {"town"}


def test_moved_values_in_an_unknown_order_tell_nothing():
    rows, register = little()
    moved = [{**row, "town": "v5"} for row in rows]
    assert "which row was which" in reason_of(VOTERS, world_with(rows, register, moved, aligned=False))


def test_a_key_that_is_not_there_is_refused():
    rows, register = little()
    world = world_with(rows, register)
    del world.files["voters.csv"]["age"]
    result = looked(AuxiliaryLinkage(file="voters.csv", keys=("age",)), world).results[0]
    assert str(result.state) == "failed"
    assert "'age'" in result.reason
    del world.files["voters.csv"]["town"]
    world.files["voters.csv"]["job"] = ["a"] * 3
    assert "No quasi-identifier" in reason_of(VOTERS, world)


def test_a_coarser_release_is_never_easier():
    rows, register = little()
    shares = []
    for level in range(3):
        released = [{**row, "town": TREE[row["town"]][level]} for row in rows]
        shares.append(figures_of(VOTERS, world_with(rows, register, released))["correct_share"])
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]
