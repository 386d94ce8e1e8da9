"""Measures that say what they ask say all of it: whatever else they asked would cost a pass by itself."""

import pytest

from tests.engine.running import recipe_of, run
from worker.engine import catalogue
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.tables.statistics import Statistics

EXAMPLES = [
    pytest.param(example, id=f"{cls.slug}-{number}")
    for cls in catalogue.measures().values()
    for number, example in enumerate(cls.examples())
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_measure_asks_what_it_announced(example, monkeypatch):
    asked, answer = [], Statistics.answer

    def watched(self, question):
        question = self._settled(question)
        asked.append((question, question in self._announced))
        return answer(self, question)

    monkeypatch.setattr(Statistics, "answer", watched)
    named = {"measure": example.slug, "params": example.params()}
    recipe = recipe_of(sample_columns(), [], [], [named])
    run(recipe, sample_table(), keep_order=True)
    assert not example.questions(recipe.schema) or all(announced for _, announced in asked), asked
