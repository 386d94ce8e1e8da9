"""Attribute disclosure, beside a brute force, by hand, and beside what is verified on the same bytes."""

import io
import math
import random
from collections import defaultdict

import pytest

from tests.engine.measures.scenes import Case, figures_of, result_of
from tests.engine.running import recipe_of, run, table_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.attribute_disclosure import AttributeDisclosure
from worker.engine.verification import examine

MEASURE = AttributeDisclosure()
COLUMNS = {
    "town": {"role": "quasi-identifier", "kind": "categorical"},
    "sex": {"role": "quasi-identifier", "kind": "categorical"},
    "ill": {"role": "sensitive", "kind": "categorical"},
    "pay": {"role": "sensitive", "kind": "integer"},
}
KEYS = ("town", "sex")


def random_rows(seed, person=False):
    draw = random.Random(seed)
    rows = draw.choice([1, 2, 5, 12, 30])
    cells = {
        "town": [draw.choice(["a", "b", "c", ""]) for _ in range(rows)],
        "sex": [draw.choice("fm") for _ in range(rows)],
        "ill": [draw.choice(["flu", "flu", "none", "none", "rare", "", "*"]) for _ in range(rows)],
        "pay": [str(draw.choice([1, 5, 7, 30, 200])) for _ in range(rows)],
    }
    for i in range(rows):
        if draw.random() < 0.15:
            cells["town"][i] = cells["sex"][i] = "*"
    if person:
        cells["who"] = [f"p{draw.randrange(max(rows // 2, 1))}" for _ in range(rows)]
    return cells


def classes_of(cells, name):
    """Each class as (its people, the people of each value), and the people of each value in the table."""
    rows = [{key: column[i] for key, column in cells.items()} for i in range(len(cells[name]))]
    hidden = [all(row[key] == "*" for key in KEYS) for row in rows]
    if all(hidden):
        hidden = [False] * len(rows)
    groups, table = defaultdict(lambda: (set(), defaultdict(set))), defaultdict(set)
    for number, (row, gone) in enumerate(zip(rows, hidden, strict=True)):
        who = row.get("who", number)
        table[row[name]].add(who)
        if not gone:
            people, values = groups[tuple(row[key] for key in KEYS)]
            people.add(who)
            values[row[name]].add(who)
    counted = [(len(people), lengths(values)) for people, values in groups.values()]
    return counted, lengths(table)


def lengths(people_of):
    return {value: len(people) for value, people in people_of.items()}


def shares_of(counts):
    return {value: count / sum(counts.values()) for value, count in counts.items()}


def rank(name, value):
    return (float(value) if value else -math.inf) if name == "pay" else value


def plainly(cells, name, benign=()):
    """Every figure of a column from the definitions, class by class."""
    classes, table = classes_of(cells, name)
    q, shares = shares_of(table), [shares_of(values) for _, values in classes]
    open_ones = [p for p in shares if set(p) - set(benign)]
    everybody = sum(people for people, _ in classes)
    alone = [(people, set(values)) for people, values in classes if len(values) == 1]
    posteriors = [(p[value], p[value] - q[value]) for p in shares for value in p if value not in benign]
    scale = sorted(q, key=lambda value: rank(name, value))
    walked = []
    for p in shares:
        flow, far = 0.0, 0.0
        for value in scale:
            flow += p.get(value, 0) - q[value]
            far += abs(flow)
        walked.append(far / (len(scale) - 1) if len(scale) > 1 else 0.0)
    return {
        "highest_posterior": max((p for p, _ in posteriors), default=None),
        "highest_gain": max((max(gain, 0) for _, gain in posteriors), default=None),
        "highest_prior": max((q[value] for value in q if value not in benign), default=None),
        "certain_share": sum(people for people, values in alone if values - set(benign)) / everybody,
        "homogeneity": sum(people for people, _ in alone) / everybody,
        "distinct_l": min(map(len, open_ones), default=None),
        "entropy_l": min(
            (math.exp(-sum(x * math.log(x) for x in p.values())) for p in open_ones), default=None
        ),
        "equal_t": max(sum(abs(p.get(value, 0) - q[value]) for value in q) / 2 for p in shares),
        "ordered_t": max(walked) if name == "pay" else None,
    }


@pytest.mark.parametrize("seed", range(80))
def test_is_what_brute_force_finds(seed):
    person, benign = seed % 3 == 0, ("none", "flu") if seed % 2 else ()
    cells = random_rows(seed, person)
    columns = COLUMNS | ({"who": {"role": "person-key", "kind": "text"}} if person else {})
    found = figures_of(AttributeDisclosure(benign=benign), Case(columns, cells, cells))
    for name in ("ill", "pay"):
        for figure, value in plainly(cells, name, benign).items():
            expected = None if value is None else pytest.approx(value, abs=1e-9)
            assert found[figure][name] == expected, (figure, name)
    stars = sum(town == sex == "*" for town, sex in zip(cells["town"], cells["sex"], strict=True))
    assert found["suppressed_rows"] == (stars if stars < len(cells["town"]) else 0)


@pytest.mark.parametrize("seed", range(12))
def test_l_and_t_are_those_verified_on_the_same_bytes(seed):
    draw = random.Random(seed)
    people = [
        {"age": str(draw.randrange(20, 60)), "ill": draw.choice("abc"), "pay": str(draw.randrange(9))}
        for _ in range(60)
    ]
    columns = {
        "age": {
            "role": "quasi-identifier", "kind": "integer", "hierarchy": {"builder": "interval", "width": 10}
        },
        "ill": COLUMNS["ill"],
        "pay": COLUMNS["pay"],
    }  # fmt: skip
    steps = [("generalization", {"suppression_limit": 0.1})]
    out, report = run(
        recipe_of(columns, [("k-anonymity", {"k": 4})], steps, ["attribute-disclosure"]), table_of(people)
    )
    figures = report["measures"][0]["after"]
    goals = [
        ("l-diversity", {"column": name, "variant": variant})
        for name in ("ill", "pay")
        for variant in ("distinct", "entropy")
    ]
    goals += [("t-closeness", {"column": name}) for name in ("ill", "pay")]
    goals.append(("t-closeness", {"column": "pay", "distance": "ordered"}))
    verified = [one.achieved for one in examine(recipe_of(columns, goals, [], []), io.BytesIO(out)).results]
    measured = [figures[f"{kind}_l"][name] for name in ("ill", "pay") for kind in ("distinct", "entropy")]
    measured += [figures["equal_t"]["ill"], figures["equal_t"]["pay"], figures["ordered_t"]["pay"]]
    assert measured == pytest.approx(verified, rel=1e-9)


LECTURE = """Black 1965 M 0214* short breath|Black 1965 M 0214* chest pain|Black 1965 F 0213* hypertension
Black 1965 F 0213* hypertension|Black 1964 F 0213* obesity|Black 1964 F 0213* chest pain
White 1964 M 0213* chest pain|White 1964 M 0213* obesity|White 1964 M 0213* short breath
White 1967 M 0213* chest pain|White 1967 M 0213* chest pain"""


def lecture():
    names = ("Ethnicity", "Birth", "Gender", "ZIP", "Condition")
    rows = [line.split(" ", 4) for line in LECTURE.replace("\n", "|").split("|")]
    cells = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    columns = {name: {"role": "quasi-identifier", "kind": "text"} for name in names[:4]}
    columns["Condition"] = {"role": "sensitive", "kind": "categorical"}
    return columns, cells


def test_the_two_classes_of_the_lectures_are_told_in_words():
    columns, cells = lecture()
    result = result_of(MEASURE, Case(columns, cells, cells))
    told = next(chart for chart in result.charts if chart.slug == "worst-classes-Condition")
    assert told.internal
    assert [(one.name, one.x, one.y) for one in told.series] == [
        (
            side,
            (
                "Everybody with Black, 1965, F, 0213* has hypertension (2 rows)",
                "Everybody with White, 1967, M, 0213* has chest pain (2 rows)",
            ),
            (1.0, 1.0),
        )
        for side in ("Before", "After")
    ]
    assert result.after["certain_share"] == {"Condition": pytest.approx(4 / 11)}
    assert result.after["highest_prior"] == {"Condition": pytest.approx(5 / 11)}
    assert result.after["highest_gain"] == {"Condition": pytest.approx(9 / 11)}
    assert (result.after["distinct_l"], result.after["entropy_l"]) == ({"Condition": 1}, {"Condition": 1.0})


def test_from_the_original_the_same_two_classes_follow():
    columns, cells = lecture()
    columns["ZIP"] = {**columns["ZIP"], "hierarchy": {"builder": "mask", "side": "right"}}
    zips = "02141 02142 02131 02132 02131 02132 02131 02132 02133 02131 02132".split()
    rows = [{name: cells[name][i] for name in cells} | {"ZIP": zips[i]} for i in range(11)]
    steps = [("generalization", {})]
    recipe = recipe_of(columns, [("k-anonymity", {"k": 2})], steps, ["attribute-disclosure"])
    _, report = run(recipe, table_of(rows))
    told = next(one for one in report["measures"][0]["charts"] if one["slug"].startswith("worst-classes"))
    assert {one["name"]: len(one["x"]) for one in told["series"]} == {"Before": 0, "After": 2}


def test_the_map_spreads_everybody_over_how_likely_a_class_makes_a_value():
    columns, cells = lecture()
    result = result_of(MEASURE, Case(columns, cells, cells))
    drawn = next(chart for chart in result.charts if chart.slug == "certainty-Condition").series[1]
    lines = dict(zip(drawn.y, drawn.z, strict=True))
    assert drawn.name == "After"
    assert lines["chest pain"] == pytest.approx([2 / 11, 0, 0, 3 / 11, 4 / 11, 0, 2 / 11])
    assert lines["hypertension"] == pytest.approx([9 / 11, 0, 0, 0, 0, 0, 2 / 11])


def test_benign_values_need_no_protection():
    columns, cells = lecture()
    found = figures_of(AttributeDisclosure(benign=("chest pain",)), Case(columns, cells, cells))
    assert found["certain_share"]["Condition"] == pytest.approx(2 / 11)
    assert found["homogeneity"]["Condition"] == pytest.approx(4 / 11)
    everything = AttributeDisclosure(benign=tuple(set(cells["Condition"])))
    found = figures_of(everything, Case(columns, cells, cells))
    assert (found["highest_posterior"], found["distinct_l"]) == ({"Condition": None},) * 2


@pytest.mark.parametrize("seed", range(20))
def test_merging_classes_never_tells_more(seed):
    cells = random_rows(seed)
    before = figures_of(MEASURE, Case(COLUMNS, cells, cells))
    merged = {**cells, "sex": ["x" if sex != "*" else sex for sex in cells["sex"]]}
    after = figures_of(MEASURE, Case(COLUMNS, cells, merged))
    for figure in ("highest_posterior", "certain_share", "homogeneity", "equal_t", "ordered_t"):
        for name, value in after[figure].items():
            assert value is None or value <= before[figure][name] + 1e-9
    assert all(after["distinct_l"][name] >= least for name, least in before["distinct_l"].items())


def test_persons_are_counted_where_a_key_tells_them_apart():
    columns = {**COLUMNS, "who": {"role": "person-key", "kind": "text"}}
    cells = {"town": list("aaab"), "sex": list("ffff"), "ill": ["flu", "flu", "none", "flu"]}
    cells |= {"pay": list("1111"), "who": list("xxyz")}
    found = figures_of(MEASURE, Case(columns, cells, cells))
    assert found["highest_posterior"]["ill"] == 1
    assert found["certain_share"]["ill"] == pytest.approx(1 / 3)
    assert found["highest_prior"]["ill"] == pytest.approx(2 / 3)


def changed(**traces):
    columns, cells = lecture()
    found = dict.fromkeys(columns, Trace.KEPT) | traces
    return result_of(MEASURE, Case(columns, cells, cells, traces=found))


def test_a_family_whose_classes_are_nobodys_has_another_answer():
    made_up = dict.fromkeys(("Ethnicity", "Birth", "Gender", "ZIP", "Condition"), Trace.MADE_UP)
    perturbed = dict.fromkeys(("Ethnicity", "Birth", "Gender", "ZIP"), Trace.PERTURBED)
    for traces in (made_up, perturbed, {"Condition": Trace.EXCHANGED}, {"Condition": Trace.REMOVED}):
        result = changed(**traces)
        assert result.state is State.DOES_NOT_APPLY
        assert result.reason


def test_keys_and_columns_that_stayed_true_still_answer():
    found = changed(Ethnicity=Trace.PERTURBED, Birth=Trace.PERTURBED).after
    assert found["certain_share"]["Condition"] == pytest.approx(0)  # by sex and place alone
    assert changed(ZIP=Trace.COARSER).after["certain_share"]["Condition"] == pytest.approx(4 / 11)
    cells = {"town": list("aabb"), "sex": list("ffff"), "ill": ["flu"] * 4, "pay": list("1234")}
    traces = dict.fromkeys(cells, Trace.KEPT) | {"pay": Trace.PERTURBED}
    found = figures_of(MEASURE, Case(COLUMNS, cells, cells, traces=traces))
    assert set(found["highest_posterior"]) == {"ill"}


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_without_keys_or_sensitive_columns_there_is_nothing_to_learn(role):
    case = Case({"x": {"role": role}}, {"x": ["a"]}, {"x": ["a"]})
    assert result_of(MEASURE, case).state is State.DOES_NOT_APPLY
