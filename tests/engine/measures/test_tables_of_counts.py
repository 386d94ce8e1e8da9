"""Tables of counts, beside a brute force over plain lists and by hand."""

from collections import Counter
from itertools import combinations

import pytest

from tests.engine.measures.scenes import TREE, Case, figures_of, random_answers, random_case, result_of
from worker.engine.contracts.result import State
from worker.engine.measures.utility.tables_of_counts import TablesOfCounts

MEASURE = TablesOfCounts()
KEYS = ("town", "age")


def mean(numbers):
    return sum(numbers) / len(numbers)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def day(text):
    return int(text.replace("-", "")) if len(text) == 10 else None


def tenths(texts, read):
    """A function that says in which part of the originals a text lies; others stay as they are."""
    known = sorted(x for x in map(read, texts) if x is not None)

    def quantile(share):
        at = share * (len(known) - 1)
        low, high = known[int(at)], known[min(int(at) + 1, len(known) - 1)]
        return low + (at - int(at)) * (high - low)

    edges = sorted({quantile(q / 10) for q in range(1, 10)}) if known else []
    return lambda text: text if read(text) is None else sum(edge <= read(text) for edge in edges)


def level_of(text):
    return next((n for n in range(4) if any(path[n] == text for path in TREE.values())), 0)


def lifted(text, level):
    if text in ("", "*"):
        return text
    return next(path[level] for path in TREE.values() if text in path)


def in_words(before, after):
    """Both sides as the measure reads them: labels of towns at their highest level, numbers in tenths."""
    made = [dict(before), dict(after)]
    level = max((level_of(text) for text in after["town"] if text not in ("", "*")), default=0)
    values = set(before["town"])
    if any(text not in values and text not in ("", "*") for text in after["town"]):
        for side in made:
            side["town"] = [lifted(text, level) for text in side["town"]]
    for name in ("age", "pay"):
        part = tenths(before[name], number)
        for side in made:
            side[name] = [part(text) for text in side[name]]
    return made


def without_suppressed(cells):
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    return [row for row in rows if {row[key] for key in KEYS} != {"*"}]


def apart(before, after, names):
    was, became = (Counter(tuple(row[name] for name in names) for row in side) for side in (before, after))
    return sum(abs(was[key] / len(before) - became[key] / len(after)) for key in was | became) / 2


@pytest.mark.parametrize("seed", range(60))
def test_is_what_brute_force_finds(seed):
    case = random_answers(seed) if seed % 2 else random_case(seed)
    intervals = any(text.startswith("[") for text in case.after["age"])  # drawn by lot: judged below
    names = [name for name in case.after if name != "born" and not (intervals and name == "age")]
    released = case.released()
    after = {name: [row[name] for row in released] for name in case.after}
    before, after = map(without_suppressed, in_words({name: case.before[name] for name in after}, after))
    result = result_of(MEASURE, case)
    assert result.after["suppressed_rows"] == len(released) - len(after)
    if not after:
        assert result.after["distance"] is None
        return
    for pair in combinations(names, 2):
        expected = apart(before, after, pair)
        assert result.after["total_variation"][" × ".join(pair)] == pytest.approx(expected, abs=1e-9)
    everything = result.after["total_variation"].values()
    assert result.after["distance"] == pytest.approx(mean(everything), abs=1e-9)
    assert result.after["largest_distance"] == max(everything)


@pytest.mark.parametrize("seed", range(10))
def test_tables_of_three(seed):
    case = random_case(seed)
    case.columns = {name: part for name, part in case.columns.items() if name in ("job", "pay", "same")}
    case.before = {name: case.before[name] for name in case.columns}
    case.after = {name: case.after[name] for name in case.columns}
    part = tenths(case.before["pay"], number)
    released = [{**row, "pay": part(row["pay"])} for row in case.released()]
    rows = zip(*case.before.values(), strict=True)
    before = [
        {**row, "pay": part(row["pay"])} for row in (dict(zip(case.before, one, strict=True)) for one in rows)
    ]
    expected = apart(before, released, tuple(case.columns))
    found = figures_of(MEASURE, case)
    assert (found["triples"], found["distance_of_three"]) == (1, pytest.approx(expected, abs=1e-9))


PLAIN = {name: {"role": "other", "kind": "categorical"} for name in "xyz"}


def test_a_shuffled_column_keeps_each_column_and_loses_the_table_by_hand():
    cells = {"x": list("aabb"), "y": list("ccdd"), "z": list("eeee")}
    found = figures_of(MEASURE, Case(PLAIN, cells, {**cells, "x": list("abab")}))
    assert found["total_variation"] == {"x × y": 0.5, "x × z": 0.0, "y × z": 0.0}
    assert found["distance_of_three"] == 0.5


def test_the_same_file_is_at_no_distance():
    case = random_case(5)
    case.after, case.kept = {name: case.before[name] for name in case.after}, []
    assert figures_of(MEASURE, case)["largest_distance"] == pytest.approx(0, abs=1e-12)


def test_an_interval_is_spread_over_the_originals_in_it():
    columns = {"n": {"role": "other", "kind": "integer"}, "x": {"role": "other", "kind": "categorical"}}
    before = {"n": [str(i % 100) for i in range(20_000)], "x": ["a"] * 20_000}
    after = {**before, "n": [f"[{i % 100 // 50 * 50}, {i % 100 // 50 * 50 + 50}[" for i in range(20_000)]}
    assert figures_of(MEASURE, Case(columns, before, after))["distance"] < 0.02


def test_many_tables_are_drawn():
    case = random_case(8)
    found = figures_of(TablesOfCounts(pairs=4, triples=3), case)
    assert (found["pairs"], found["triples"], len(found["total_variation"])) == (4, 3, 4)
    whole = figures_of(MEASURE, case)["total_variation"]
    assert all(found["total_variation"][pair] == whole[pair] for pair in found["total_variation"])


def test_the_map_shows_the_same_numbers_on_both_sides_of_its_diagonal():
    result = result_of(MEASURE, random_case(8))
    (chart,) = result.charts
    (series,) = chart.series
    for row, one in enumerate(series.y):
        for column, other in enumerate(series.x[:row]):
            assert series.z[row][column] == series.z[column][row]
            assert series.z[row][column] == result.after["total_variation"][f"{other} × {one}"]


def test_one_column_is_no_table():
    case = Case({"x": {"role": "other"}}, {"x": ["a"]}, {"x": ["a"]})
    assert result_of(MEASURE, case).state is State.DOES_NOT_APPLY
