"""People of a population are counted where they fit, and a file that cannot say so is refused."""

import io
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.verification import examine
from worker.engine.verification.finding import Facts
from worker.engine.verification.presence import People

COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": ["30;3x;*", "31;3x;*", "40;4x;*"]}}


def facts(**files: bytes) -> Facts:
    return Facts(COLUMNS, frozenset(), {}, {f"{name}.csv": io.BytesIO(file) for name, file in files.items()})


@pytest.mark.parametrize(
    ("files", "code"),
    [({}, "no-population-file"), ({"people": b"name\nAnn\n"}, "population-column")],
)
def test_a_file_that_cannot_tell_is_refused(files: dict[str, bytes], code: str) -> None:
    with pytest.raises(EngineError) as caught:
        People({"population": "people.csv"}, facts(**files))
    assert (caught.value.code, caught.value.param) == (code, "population")


@pytest.mark.parametrize(("people", "fewest"), [("30 31 31 40", 1), ("30 40 40", 1), ("40 40", 0), ("", 0)])
def test_the_fewest_people_of_a_class_decide(people: str, fewest: int) -> None:
    recipe: dict[str, Any] = {"version": 1, "columns": COLUMNS, "steps": []}
    recipe["goals"] = [{"goal": "k-map", "params": {"k": 2, "population": "people.csv"}}]
    released = io.BytesIO(b"age\n3x\n3x\n4x\n")
    file = io.BytesIO("\n".join(["age", *people.split()]).encode() + b"\n")
    (found,) = examine(recipe, released, populations={"people.csv": file}).results
    assert found.achieved == fewest
    assert not found.holds
