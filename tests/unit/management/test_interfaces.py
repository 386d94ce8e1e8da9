"""What a file may use is told as the classes are written, and is enough for the examples of the guide."""

import inspect
import re
from enum import Enum
from typing import ClassVar

import pytest

from stewardapp import guide
from stewardapp.management import interfaces
from stewardapp.management.interfaces import PARTS, Member, interfaces_page, members


class Base:
    """Ours, as its module says."""

    inherited: int = 3

    def told(self) -> str:
        """Told here.

        And no further.
        """
        raise NotImplementedError


class Mine(Base):
    """Builds on it."""

    name: str
    """What it is
    called."""
    kinds: ClassVar[tuple[str, ...]] = ()
    other = 5
    _hidden: int = 0

    @property
    def size(self) -> int | None:
        """How large."""
        return None

    def told(self, *names: str, often: bool = False) -> str | None:
        """Told anew."""
        return None

    def silent(self) -> None:
        return None

    def _private(self) -> None:
        """Nobody asks."""


class Colour(Enum):
    """Some."""

    RED = "red"
    BLUE = "blue"
    """As the sky."""


@pytest.fixture(autouse=True)
def these_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interfaces, "OURS", ("worker.", __name__))


def test_a_class_has_its_fields_and_what_may_be_asked_of_it() -> None:
    assert members(Mine) == (
        Member("name", "name: str", "What it is called."),
        Member("kinds", "kinds: ClassVar[tuple[str, ...]]", ""),
        Member("size", "size: int | None", "How large."),
        Member("told", "told(*names: str, often: bool=False) -> str | None", "Told anew."),
        Member("inherited", "inherited: int = 3", ""),
    )


def test_of_a_choice_the_names_are_told() -> None:
    assert members(Colour) == (Member("RED", "RED", ""), Member("BLUE", "BLUE", "As the sky."))


def test_a_stroke_does_not_end_a_cell() -> None:
    rows = re.findall(r"^\| .*$", interfaces_page(), re.M)
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}


def test_each_thing_stands_with_its_module_and_its_words() -> None:
    page = interfaces_page()
    for thing in (one for part in PARTS.values() for one in part):
        assert f"### `{thing.__name__}" in page
        assert f"`\n\n`{thing.__module__}`\n\n{inspect.getdoc(thing)}\n" in page


def test_what_the_examples_of_the_guide_import_is_on_the_page() -> None:
    examples = re.findall(r"```python\n(.*?)```", (guide.FOLDER / "adding.md").read_text(), re.S)
    named = re.findall(r"^from (worker\.engine\.[\w.]+) import (.+)$", "\n".join(examples), re.M)
    imported = {(module, name) for module, names in named for name in names.split(", ")}
    told = {(thing.__module__, thing.__name__) for part in PARTS.values() for thing in part}
    plain = {"register", "NUMERIC", "Chunk"}  # a decorator, a set of kinds, another name of Table
    assert {name for module, name in imported if (module, name) not in told} <= plain
