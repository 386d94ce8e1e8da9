"""How likely labels meet conditions, and what is answered of them."""

import pytest

from tests.engine.information.pairs import pairs_of
from worker.engine.hierarchies.hierarchy import read
from worker.engine.information.bins import Line
from worker.engine.queries.answering import Known, answer, likelihoods
from worker.engine.queries.language import parsed
from worker.engine.tables.kinds import Kind


def known(kind, lines=(), line=None):
    line = line or Line()
    hierarchy = read(lines, "x") if lines else None
    if kind is Kind.CATEGORICAL:
        return Known(kind, hierarchy)
    return Known(kind, hierarchy, line.of_texts, line.numbers, line.middles)


def likely(condition, texts, how):
    domain = pairs_of([(text, text) for text in texts], how.kind).domains[0]
    (one,) = parsed(f"count where x {condition}").conditions
    return dict(zip(domain.texts, likelihoods(one, domain, how).tolist(), strict=True))


def test_missing_values_and_stars_meet_no_condition():
    for condition in ("= a", "!= a", "!= b"):
        found = likely(condition, ["", "*", "a"], known(Kind.CATEGORICAL))
        assert found[""] == found["*"] == 0


def test_a_label_of_the_hierarchy_by_the_values_below_it():
    tree = ["a;ab;all", "b;ab;all", "c;c;all"]
    found = likely("= a", ["ab", "all", "a", "c"], known(Kind.CATEGORICAL, tree))
    assert found == pytest.approx({"ab": 1 / 2, "all": 1 / 3, "a": 1, "c": 0})


def test_intervals_of_numbers_by_their_hierarchy_or_their_width():
    tree = ["1;[1, 9[;*", "2;[1, 9[;*"]
    assert likely("> 1", ["[1, 9["], known(Kind.INTEGER, tree)) == {"[1, 9[": 0.5}
    assert likely("> 3", ["[1, 9["], known(Kind.DECIMAL)) == {"[1, 9[": 0.75}
    assert likely("> 3", ["[1, 5["], known(Kind.INTEGER)) == {"[1, 5[": 0.25}
    assert likely("> 3", ["[0, 4000["], known(Kind.INTEGER)) == pytest.approx({"[0, 4000[": 1 - 3 / 4000})


def test_months_by_the_days_below_them():
    tree = ["1990-01-01;1990-01;*", "1990-01-20;1990-01;*"]
    found = likely("< 1990-01-10", ["1990-01", "1990-01-20"], known(Kind.DATE, tree, Line("%Y-%m-%d")))
    assert found == {"1990-01": 0.5, "1990-01-20": 0}


def test_an_interval_adds_its_middle():
    table = pairs_of([("[0, 10[", "x")] * 10 + [("20", "x")] * 10 + [("*", "x")], Kind.INTEGER)
    table = table.only(["original x"])
    how = {"original x": known(Kind.INTEGER)}
    assert answer(parsed('mean "original x"'), table, how) == 12.5
    assert answer(parsed('sum "original x" where "original x" < 5'), table, how) is None, "of 5 rows"
    assert answer(parsed('share where "original x" >= 20'), table, how) == pytest.approx(10 / 21)
