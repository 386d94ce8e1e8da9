"""Proposals fit the values they were made for; shipped classifications are complete and name a source."""

import re
from collections import Counter

import pytest

from worker.engine.hierarchies.classifications import UNKNOWN, classifications
from worker.engine.hierarchies.hierarchy import checked
from worker.engine.hierarchies.proposals import proposal, round_width
from worker.engine.hierarchies.rules import build

SHIPPED = {one.slug: one for one in classifications()}
ADULT = {
    "sex": {"Male": 20380, "Female": 9782},
    "age": {str(age): 100 for age in range(17, 91)},
    "race": {"White": 25933, "Black": 2817, "Asian-Pac-Islander": 895, "Other": 231},
    "marital-status": {"Married-civ-spouse": 14065, "Never-married": 9726, "Divorced": 4214, "Widowed": 827},
    "education": {"HS-grad": 9840, "Some-college": 6678, "Bachelors": 5044, "7th-8th": 557, "Preschool": 45},
    "native-country": {"United-States": 27504, "Mexico": 610, "Holand-Netherlands": 1, "South": 71},
    "workclass": {"Private": 22286, "Self-emp-not-inc": 2499, "Local-gov": 2067, "Without-pay": 14},
    "occupation": {"Prof-specialty": 4038, "Craft-repair": 4030, "Sales": 3584, "Armed-Forces": 9},
}  # fmt: skip


def laid(kind, name, counts, **more):
    """The proposal over its own values, level by level."""
    spec = dict(proposal(kind, name, counts, **more))
    if "rows" in spec:
        return checked(spec["rows"], name)
    return checked(build(spec.pop("builder"), spec, sorted(counts), name), name)


@pytest.mark.parametrize("name", ADULT)
def test_every_column_of_a_survey_gets_a_proposal_that_covers_it(name):
    made = laid("integer" if name == "age" else "categorical", name, ADULT[name])
    assert set(made.paths) >= set(ADULT[name])
    assert {path[-1] for path in made.paths.values()} == {"*"}
    sizes = [len({path[level] for path in made.paths.values()}) for level in range(made.height + 1)]
    assert sizes == sorted(sizes, reverse=True), "every level is coarser"
    assert name in ("sex",) or made.height > 1


def test_ages_do_not_jump_beyond_the_data():
    assert laid("integer", "age", ADULT["age"]).paths["42"][1:] == ("[40, 45[", "[40, 50[", "[40, 60[", "*")
    young = laid("integer", "age", Counter(map(str, range(7, 12)))).paths["8"]
    assert young[1:] == ("[5, 10[", "[0, 10[", "*")


@pytest.mark.parametrize("values", [range(3), range(8), range(1900, 1905), range(2), range(100)])
def test_intervals_of_whole_numbers_are_never_narrower_than_one(values):
    for name in ("visits", "age", "year"):
        spec = proposal("integer", name, Counter(map(str, values)))
        assert spec["builder"] == "order" or spec["width"] >= 1
        assert len(laid("integer", name, Counter(map(str, values))).paths) == len(values)


def test_the_rarest_values_are_joined_first():
    counts = {"a": 900, "b": 60, "c": 30, "d": 5, "e": 3, "f": 2}
    paths = laid("categorical", "thing", counts).paths
    assert paths["a"][1:] == ("a", "a", "*")
    assert len({paths[value][1] for value in "def"}) == 1
    assert paths["d"][1] != paths["b"][1]
    assert paths["d"][2] == paths["b"][2]


@pytest.mark.parametrize(
    ("texts", "name", "path"),
    [
        (["9/27/00", "12/1/85"], "DOB", ("2000-09", "2000", "[2000, 2010[", "*")),
        (["27.9.1945", "1.12.1985"], "born", ("1945-09", "1945", "[1940, 1950[", "*")),
        (["9/27/45", "12/1/85"], "DOB", ("1945-09", "1945", "[1940, 1950[", "*")),
        (["9/7/1945", "12/1/1985"], "visit", ("1945", "[1940, 1950[", "*")),
        (["2000-09-27"], "visit", ("2000-09", "2000", "[2000, 2010[", "*")),
    ],
)
def test_dates_are_read_as_they_are_written(texts, name, path):
    """Where day and month could be either way only the year is sure; nobody was born in a year to come."""
    assert laid("date", name, Counter(texts), this_year=2026).paths[texts[0]][1:] == path


@pytest.mark.parametrize(
    ("slug", "value", "path"),
    [
        ("m49", "deu", ("Western Europe", "Western Europe", "Europe")),
        ("m49", "Côte d'Ivoire", ("Western Africa", "Sub-Saharan Africa", "Africa")),
        ("m49", "JAM", ("Caribbean", "Latin America and the Caribbean", "Americas")),
        ("m49", "840", ("Northern America", "Northern America", "Americas")),
        ("isco08", "2211", ("221", "22", "Professionals")),
        ("nace2", "62.01", ("620", "62", "J Information and communication")),
        ("icd10", "E11.9", ("E11", "IV Endocrine, nutritional and metabolic diseases")),
        ("isced", "Bachelors", ("Bachelor's or equivalent level", "High (5-8)")),
        ("isced", "Lower secondary education", ("Lower secondary education", "Low (0-2)")),
        (
            "nace2",
            "4711",
            ("471", "47", "G Wholesale and retail trade; repair of motor vehicles and motorcycles"),
        ),
        ("marital", "widowed", ("Widowed", "Formerly married")),
        ("nuts", "DE212", ("DE21", "DE2", "Germany")),
    ],
)
def test_values_find_their_place(slug, value, path):
    assert SHIPPED[slug].path(value) == path


@pytest.mark.parametrize(
    ("slug", "value"), [("icd10", "D49"), ("nace2", "04"), ("nuts", "XX1"), ("m49", "Utopia")]
)
def test_what_is_no_code_is_not_classified(slug, value):
    assert SHIPPED[slug].path(value) is None or slug == "nace2"
    assert SHIPPED["icd10"].rows(["D49", "E11"])[0] == ("D49", UNKNOWN, UNKNOWN, "*")


def test_the_classifications_are_complete():
    m49 = SHIPPED["m49"].lines
    codes = [names.split("|")[:3] for names, _ in m49]
    assert len(m49) == 249
    assert all(re.fullmatch("[A-Z]{2}", a) and re.fullmatch("[A-Z]{3}", b) and re.fullmatch("[0-9]{3}", c)
               for a, b, c in codes)  # fmt: skip
    assert all(len(set(column)) == 249 for column in zip(*codes, strict=True))
    continents = Counter(labels[-1] for _, labels in m49)
    assert set(continents) == {"Africa", "Americas", "Antarctica", "Asia", "Europe", "Oceania"}
    within: dict[str, set[str]] = {}
    for _, (region, part, _) in m49:
        within.setdefault(part, set()).add(region)
    assert {part: regions for part, regions in within.items() if regions != {part}} == {
        "Sub-Saharan Africa": {"Eastern Africa", "Middle Africa", "Southern Africa", "Western Africa"},
        "Latin America and the Caribbean": {"Caribbean", "Central America", "South America"},
    }
    assert sum(labels[0] != labels[1] for _, labels in m49) == 105
    assert len(SHIPPED["isco08"].lines) == 10
    assert len(SHIPPED["nace2"].lines) == 21
    assert len(SHIPPED["icd10"].lines) == 22
    assert len(SHIPPED["isced"].lines) == 9
    divisions = {n for keys, _ in SHIPPED["nace2"].lines for n in range(int(keys[:2]), int(keys[3:]) + 1)}
    assert len(divisions - {4, 34, 40, 44, 48, 54, 57, 67, 76, 83, 89}) == 88


@pytest.mark.parametrize("one", classifications(), ids=lambda one: one.slug)
def test_every_classification_says_its_source_and_licence_and_is_found_by_name(one):
    assert one.title
    assert one.source
    assert one.licence
    assert one.words
    labels = [labels for _, labels in one.lines]
    assert len({len(path) for path in labels}) == 1
    keys = [key for names, _ in one.lines for key in names.split("|")]
    assert len(keys) == len(set(keys)), "no value stands twice"


@pytest.mark.parametrize(("width", "rounded"), [("3.65", "5"), ("1", "1"), ("0.03", "0.05"), ("70", "100")])
def test_widths_are_round(width, rounded):
    from decimal import Decimal

    assert round_width(Decimal(width)) == Decimal(rounded)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("categorical", []),
        ("integer", ["1", "x"]),
        ("decimal", ["1", "NaN"]),
        ("date", ["yesterday"]),
    ],
)
def test_where_the_values_are_not_what_was_said_nothing_is_proposed(kind, values):
    assert proposal(kind, "q", dict.fromkeys(values, 1)) is None


def test_ordered_values_and_lonely_numbers_are_joined_with_their_neighbours():
    assert proposal("ordinal", "q", {"low": 1, "high": 2}) == {"builder": "order", "fan_out": 2}
    assert proposal("integer", "q", {"7": 3}) == {"builder": "order", "fan_out": 2}
    assert proposal("integer", "age", {"1": 1, "2": 1})["width"] == 2


def test_a_year_of_two_digits_lies_in_the_past_where_people_are_born():
    days = {"31/12/68": 1, "13/01/07": 1}
    assert proposal("date", "birth", days, 2026)["pivot"] == 26
    assert "pivot" not in proposal("date", "visit", days, 2026)
    assert "pivot" not in proposal("date", "birth", days)


def test_where_no_value_is_rare_the_two_rarest_are_joined():
    levels = laid("categorical", "q", dict.fromkeys("abcdef", 100))
    assert levels.height >= 2
    joined = [row[1] for row in levels.rows]
    assert len(joined) - len(set(joined)) == 1
