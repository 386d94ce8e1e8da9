"""Domains of many numbers find what domains of texts find, without a list of texts."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from worker.engine.tables.column import Column
from worker.engine.tables.dense import FIRST_OTHER, Numbers, codes_of
from worker.engine.tables.frequency import NumberDomain
from worker.engine.tables.kinds import Kind

TEXTS = st.lists(st.sampled_from(["", "5", "5.0", "-0.25", "+3", "abc", "007", "12", "12.5"]))


def domain_of(texts):
    """The distinct values of some texts, in codes."""
    column = dense(texts)
    return NumberDomain("x", Kind.DECIMAL, np.unique(column.values, return_counts=True)[0], column.others)


def dense(texts):
    """The texts as decimal codes, with those that have none."""
    values = codes_of(pa.array(texts, pa.string()))
    others = [
        "",
        *sorted({text for text, value in zip(texts, values, strict=True) if value == FIRST_OTHER} - {""}),
    ]
    left = np.flatnonzero(values == FIRST_OTHER)
    values[left] = [FIRST_OTHER + others.index(texts[at]) for at in left]
    return Numbers("x", Kind.DECIMAL, values, pa.array(others, pa.string()))


@given(TEXTS, TEXTS)
def test_every_text_is_found_where_it_stands(held, asked):
    domain = domain_of(held)
    for column in (Column.of_texts("x", asked), dense(asked)):
        found = domain.translate(column).tolist()
        assert [domain.find(text) for text in asked] == found
        assert "texts" not in vars(domain)
        for text, at in zip(asked, found, strict=True):
            assert (domain.text(at) == text) if at >= 0 else (text not in held)
