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
