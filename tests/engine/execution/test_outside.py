"""What is not in the data comes through one door, and what is not behind it is refused by name."""

from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.execution.outside import OpenedFiles


def tagged(source: Any) -> Any:
    if isinstance(source, EngineError):
        raise source
    return f"statistics of {source}"


class Named:
    """A table of which only the columns are known."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.schema = names


def door(**files: Any) -> OpenedFiles:
    return OpenedFiles(tagged, files, {"last year": "other"})  # type: ignore[dict-item]


def test_a_file_and_other_releases_are_asked_as_the_data_are() -> None:
    assert door(people="people").auxiliary("people") == "statistics of people"
    assert dict(door().releases()) == {"last year": "statistics of other"}


def test_a_release_without_a_column_of_the_data_is_left_out() -> None:
    others = {"alien": EngineError("no-columns", "none"), "last year": "other"}
    assert list(OpenedFiles(tagged, {}, others).releases()) == ["last year"]  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="odd"):
        OpenedFiles(tagged, {}, {"x": EngineError("encoding", "odd")}).releases()  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "no-auxiliary-file"),
        ({"people": EngineError("no-columns", "none")}, "no-common-column"),
        ({"people": EngineError("encoding", "odd")}, "encoding"),
    ],
)
def test_what_cannot_be_asked_is_refused(files: dict[str, Any], code: str) -> None:
    with pytest.raises(EngineError) as caught:
        door(**files).auxiliary("people")
    assert caught.value.code == code


def test_releases_whose_rows_are_known_are_put_back() -> None:
    here, there = Named(("age", "place")), Named(("age",))
    opened = OpenedFiles(tagged, {}, {"known": here, "other": there}, lambda source: "put back", "place")  # type: ignore[dict-item,arg-type,return-value]
    assert opened.releases()["known"] == "put back"  # type: ignore[comparison-overlap]
    assert str(opened.releases()["other"]).startswith("statistics of")
    assert opened.placed() == {"known"}
    full = OpenedFiles(tagged, {}, {"known": here}, lambda source: None, "place")  # type: ignore[dict-item]
    assert full.placed() == frozenset()
