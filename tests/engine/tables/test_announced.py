"""Measures that say what they ask say all of it: whatever else they asked would cost a pass by itself."""

import pytest

from tests.engine.running import recipe_of, run
from tests.engine.tables.test_statistics import statistics_of
from worker.engine import catalogue
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.tables import statistics
from worker.engine.tables.questions import CountsOf
from worker.engine.tables.statistics import Statistics

EXAMPLES = [
    pytest.param(example, id=f"{cls.slug}-{number}")
    for cls in catalogue.measures().values()
    for number, example in enumerate(cls.examples())
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_measure_asks_what_it_announced(example, monkeypatch):
    asked, together = [], Statistics._together

    def watched(self, question):
        """What follows from another answer costs no pass."""
        asked.append((question, question in self._announced))
        return together(self, question)

    monkeypatch.setattr(Statistics, "_together", watched)
    named = {"measure": example.slug, "params": example.params()}
    recipe = recipe_of(sample_columns(), [], [], [named])
    run(recipe, sample_table(), keep_order=True)
    assert not example.questions(recipe.schema) or all(announced for _, announced in asked), asked


@pytest.fixture
def every_answer_is_large(monkeypatch):
    monkeypatch.setattr(statistics, "LARGE_SHARE", 1 << 40)


@pytest.mark.usefixtures("every_answer_is_large")
def test_a_large_table_stays_as_long_as_somebody_is_going_to_ask():
    asked = statistics_of(sample_table(), sample_columns())
    wide, narrow = CountsOf(("age", "sex", "zip")), CountsOf(("age", "sex"))
    asked.announce([wide])
    first = asked.answer(wide)
    asked.forget_but([narrow, CountsOf(("sex",))])
    assert asked.answer(wide) is first, "what follows from it is not there yet"
    follows = asked.answer(narrow)
    asked.forget_but([narrow])
    assert asked.answer(narrow) is follows
    assert asked.answer(wide) is not first


@pytest.mark.usefixtures("every_answer_is_large")
def test_what_was_given_up_is_not_counted_again_beside_others(monkeypatch):
    asked, counted = statistics_of(sample_table(), sample_columns()), []
    asked.announce([CountsOf(("age", "sex"))])
    asked.answer(CountsOf(("age", "sex")))
    asked.forget_but([])
    monkeypatch.setattr(
        asked, "_pass", lambda tallies: counted.append(len(tallies)) or Statistics._pass(asked, tallies)
    )
    asked.answer(CountsOf(("zip", "disease")))
    assert counted == [0, 1]


def test_measures_find_the_same_whatever_was_given_up(request):
    recipe = recipe_of(sample_columns(), [("k-anonymity", {"k": 3})], [("mondrian", {})])
    released, kept = run(recipe, sample_table())
    request.getfixturevalue("every_answer_is_large")
    again, anew = run(recipe, sample_table())
    assert again == released
    assert figures(anew) == figures(kept)


def figures(report):
    return [{name: value for name, value in one.items() if name != "seconds"} for one in report["measures"]]
