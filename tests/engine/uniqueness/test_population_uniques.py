"""Where a model stops fitting before all uniques are gone, no more classes go than it asks for."""

import numpy as np
import pytest

from worker.engine.goals.population_uniqueness import PopulationUniqueness
from worker.engine.search.judging import sized

UNIQUES = 400
SIZES = np.repeat([1, 2, 3, 4, 5, 8, 13, 21, 60], [UNIQUES, 120, 60, 40, 30, 30, 20, 10, 10])


@pytest.mark.parametrize(
    ("model", "fraction", "fits_to_the_last"),
    [
        ("pitman", 0.001, False),
        ("dankar", 0.05, False),
        ("snb", 0.05, False),
        ("dankar", 0.4, True),
        ("zayatz", 0.3, True),
    ],
)
def test_the_fewest_classes_go(model: str, fraction: float, fits_to_the_last: bool) -> None:
    asked = {"model": model, "sampling_fraction": fraction}
    limit = PopulationUniqueness(limit=1, **asked).achieved(sized(SIZES)) * 0.7
    goal = PopulationUniqueness(limit=limit, **asked)
    fewest = next(number for number in range(UNIQUES) if goal.met(sized(SIZES[number:])))
    assert 0 < fewest < UNIQUES - 1
    assert np.flatnonzero(~goal.spared(sized(SIZES))).tolist() == list(range(fewest))
    fits = [goal.achieved(sized(SIZES[number:])) is not None for number in range(UNIQUES)]
    assert all(fits) == fits_to_the_last
