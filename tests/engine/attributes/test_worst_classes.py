"""The worst classes in their order, and in words."""

from tests.engine.attributes.test_posteriors import counted
from worker.engine.attributes.posteriors import Posteriors
from worker.engine.attributes.worst_classes import (
    BANDS,
    certainty_chart,
    in_words,
    words_chart,
    worst_classes,
)
from worker.engine.tables.classes import classes_of


def told(rows, benign=()):
    classes = classes_of(counted(rows), ("key",))
    found = Posteriors.of(classes, "ill", benign)
    return found, tuple(in_words(found, classes, ("key",), "row"))


ROWS = [(0, 0, 9), (0, 1, 3), (1, 1, 2), (2, 0, 5), (3, 1, 1), (4, 2, 2)]


def test_the_surest_come_first_then_the_rarest_values():
    _, sentences = told(ROWS)
    assert sentences == (
        "Everybody with key04 has ill02 (2 rows)",
        "Everybody with key01 has ill01 (2 rows)",
        "Everybody with key02 has ill00 (5 rows)",
        "9 of 12 rows with key00 have ill00",
    )


def test_what_is_harmless_one_alone_has_or_the_table_tells_is_not_listed():
    found, sentences = told(ROWS, benign=("ill00", "ill02"))
    assert sentences == ("Everybody with key01 has ill01 (2 rows)",)
    assert [int(found.ids[entry]) for entry in worst_classes(found)] == [1]
    assert told([(0, 0, 4), (1, 0, 4)])[1] == ()


def test_charts_are_for_those_who_may_see_the_data():
    found, sentences = told(ROWS)
    for chart in (words_chart("ill", found, sentences), certainty_chart("ill", found)):
        assert chart.internal
    (series,) = certainty_chart("ill", found).series
    assert series.x == BANDS
    assert all(abs(sum(line) - 1) < 1e-12 for line in series.z)
