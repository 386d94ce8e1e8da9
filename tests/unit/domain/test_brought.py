"""A file that is brought along is looked at by something, or refused."""

from __future__ import annotations

import pytest

from stewardapp.access.verdict import Invalid
from stewardapp.domain.brought import check_used, names
from stewardapp.models import Assessment, Blob
from worker.engine.recipes.document import Entry, RecipeJson


def asking(*measures: Entry | str) -> RecipeJson:
    return {"version": 1, "measures": list(measures)}


def test_a_measure_looks_at_it() -> None:
    attack = Entry(measure="auxiliary-linkage", params={"file": "uploaded"})
    check_used(asking("marginals", attack))


def test_nothing_that_looks_at_it_is_refused_at_its_field() -> None:
    dataset = Entry(measure="auxiliary-linkage", params={"file": "a dataset"})
    for measures in ((), ("marginals",), (dataset,), (Entry(measure="marginals"),)):
        with pytest.raises(Invalid) as refused:
            check_used(asking(*measures))
        assert refused.value.param == "brought"


def test_sentences_call_it_what_it_is() -> None:
    assert names(Assessment()) == {}
    assert names(Assessment(brought=Blob())) == {"uploaded": "a file uploaded for it"}
