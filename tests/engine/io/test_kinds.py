"""The kind of a column: strict, the same whatever the order in which texts are seen."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.io.kinds import CATEGORY_LABELS, KindGuess, date_forms, kind_of_labels
from worker.engine.tables.kinds import Kind


def kind(*texts: str) -> Kind:
    return kind_of_labels(pa.array(texts, pa.string()), np.zeros(len(texts), bool))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "-20", "+3"], Kind.INTEGER),
        (["1", "2.5", "1e3", ".5", "3."], Kind.DECIMAL),
        (["01", "02", "10"], Kind.CATEGORICAL),  # a leading zero: codes
        (["1", "2", "x"], Kind.CATEGORICAL),
        (["1,5", "2,5"], Kind.CATEGORICAL),
        (["0", "1"], Kind.BOOLEAN),
        (["0"], Kind.INTEGER),
        (["1", "1.0"], Kind.DECIMAL),
        (["Yes", "no"], Kind.BOOLEAN),
        (["ja", "nein"], Kind.BOOLEAN),
        (["ja", "no"], Kind.CATEGORICAL),
        (["yes", "no", "maybe"], Kind.CATEGORICAL),
        (["2020-01-31", "1999-12-01"], Kind.DATE),
        (["2020-01-31T12:30:00Z", "1999-12-01"], Kind.DATE),
        (["31.1.2020", "1.12.1999"], Kind.DATE),
        (["2020-13-01", "2020-01-01"], Kind.CATEGORICAL),
        (["20200131", "19991201"], Kind.DATE),
        (["20200131", "19991299"], Kind.INTEGER),
        (["x" * 61], Kind.TEXT),
        ([], Kind.TEXT),
    ],
)
def test_the_narrowest_kind_that_all_texts_fit(texts: list[str], expected: Kind) -> None:
    assert kind(*texts) is expected


def test_missing_labels_say_nothing() -> None:
    labels = pa.array(["n/a", "1", "2"])
    assert kind_of_labels(labels, np.array([True, False, False])) is Kind.INTEGER
    assert kind_of_labels(labels, np.zeros(3, bool)) is Kind.CATEGORICAL


def test_many_labels_are_text() -> None:
    texts = [f"label {number}" for number in range(CATEGORY_LABELS + 1)]
    assert kind(*texts[:-1]) is Kind.CATEGORICAL
    assert kind(*texts) is Kind.TEXT


def test_which_number_is_the_day() -> None:
    assert date_forms(pa.array(["03/04/2020", "05/06/2021"])) == ("%d/%m/%Y", "%m/%d/%Y")
    assert date_forms(pa.array(["03/04/2020", "25/06/2021"])) == ("%d/%m/%Y",)
    assert date_forms(pa.array(["3.4.20"])) == ("%d.%m.%y", "%m.%d.%y")
    assert date_forms(pa.array([], pa.string())) == ()


@pytest.mark.parametrize("seed", range(20))
def test_batches_in_any_order_say_the_same(seed: int) -> None:
    chance = random.Random(seed)
    pools = ("0 1", "1 2.5 x", "2020-01-01 2020-02-02", "t F", "7 8 9")
    pool = chance.choice(pools).split()
    texts = [chance.choice(pool) for _ in range(12)]
    guess, looked = KindGuess(), KindGuess()
    batches = [pa.array(sorted(set(texts[at : at + 3]))) for at in range(0, 12, 3)]
    for batch in batches:
        guess.see(batch)
    fitting = [looked.looked_at(batch) for batch in batches]  # all looked at before any is taken in
    chance.shuffle(fitting)
    for one in fitting:
        looked.add(one)
    distinct = sorted(set(texts))
    assert guess.kind(len(distinct)) is looked.kind(len(distinct)) is kind(*distinct)
