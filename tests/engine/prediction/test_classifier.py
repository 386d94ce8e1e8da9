"""A model of classes, beside the shares of classes in each word."""

import numpy as np
import pytest

from worker.engine.prediction.classifier import Classifier


@pytest.mark.parametrize("number", [1, 2, 3])
def test_one_predictor_gives_the_shares_of_its_words(number):
    draw = np.random.default_rng(number)
    words, classes = (draw.integers(0, size, 20_000).astype(np.int32) for size in (4, number))
    classes[words == 1] = 0
    chances = Classifier.trained([words], [4], classes, number).chances([np.arange(4, dtype=np.int32)])
    for word in range(4):
        shares = np.bincount(classes[words == word], minlength=number) / (words == word).sum()
        assert chances[word, :number] == pytest.approx(shares, abs=0.02)


def test_of_no_rows_nothing_is_known():
    nothing = np.zeros(0, np.int32)
    found = Classifier.trained([nothing], [2], nothing, 2).chances([np.array([0, 1], np.int32)])
    assert found.tolist() == [[0.5, 0.5]] * 2
