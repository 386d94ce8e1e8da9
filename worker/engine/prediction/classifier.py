"""A model of classes from the words of other columns: each class against all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.prediction.design import Design, commonest, number_of
from worker.engine.prediction.logistic import Logistic
from worker.engine.tables.column import Codes, Floats

WORDS = 50
"""Values of a predictor that are told apart; rarer ones count as one."""


@dataclass(frozen=True)
class Classifier:
    """One model for each class; what the features of each predictor's words are."""

    places: list[Codes]
    models: list[Logistic]

    @classmethod
    def trained(
        cls, predictors: Sequence[Codes], sizes: Sequence[int], classes: Codes, number: int
    ) -> Classifier:
        """On the rows of a training file. Two classes need one model."""
        places = [commonest(codes, size, WORDS) for codes, size in zip(predictors, sizes, strict=True)]
        features = _features(predictors, places)
        asked = range(number) if number != 2 else range(1)
        return cls(places, [Logistic.fitted(features, classes == one) for one in asked])

    def chances(self, predictors: Sequence[Codes]) -> Floats:
        """How likely each row is of each class: lines are rows."""
        features = _features(predictors, self.places)
        found = np.stack([model.chances(features) for model in self.models], axis=1)
        if len(self.models) == 1:
            return np.append(found, 1 - found, axis=1)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def _features(predictors: Sequence[Codes], places: Sequence[Codes]) -> Design:
    columns = [place[codes] for codes, place in zip(predictors, places, strict=True)]
    return Design.of(columns, [number_of(place) for place in places])
