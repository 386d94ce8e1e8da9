"""Bookmarked combinations side by side: what the search found of each, and what tells them apart."""

from __future__ import annotations

import pytest

from stewardapp.models import Run
from stewardapp.presenters.bookmarks import Line, Shelf
from stewardapp.presenters.explorer import Lattice
from tests import factories
from tests.unit.views.test_explorer import searched

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    made = factories.make_succeeded_run(factories.make_release(factories.make_project()))
    return searched(made, {"age": 3, "zip": 2}, {"age": 1, "zip": 1})


def test_risk_utility_loss_suppression_and_levels(run: Run) -> None:
    for node in ("1-1", "3-1", "9-9"):  # the last is none of this lattice
        factories.make_bookmark(run, node=node)
    lattice = Lattice(run, 0, {})
    shelf = Shelf.of(lattice, run.bookmarks.all())
    said = {line.title: line.texts for line in shelf.lines}
    assert said["State"] == ("Chosen", "Feasible")
    assert said["Score"] == ("0.2", "0.4")
    assert said["Suppressed"] == ("4 (66.7\xa0%)", "2 (33.3\xa0%)")
    assert said["Level of age"] == ("1", "3")
    assert said["Level of zip"] == ("1", "1")
    one, other = (kept.point for kept in shelf.kept)
    assert said["Kept"] == (one.kept_words, other.kept_words)
    assert said["Highest risk"] == (one.risk_words, other.risk_words)
    alike = {line.title for line in shelf.lines if line.alike}
    assert "Level of zip" in alike
    assert not {"Level of age", "Kept", "Score"} & alike


def test_what_was_noted_of_one(run: Run) -> None:
    factories.make_bookmark(run, note="")
    lattice = Lattice(run, 0, {})
    shelf = Shelf.of(lattice, run.bookmarks.all())
    assert shelf.note_of(lattice.point((1, 1))) == ""
    assert shelf.note_of(lattice.point((0, 0))) is None
    assert Line("Score", ("1", "1")).alike
