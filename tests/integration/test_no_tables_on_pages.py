"""No page opens a table or an uploaded file: the matrix of addresses complains of it; here is its control.

What pages know of values was kept by the reading.
"""

from __future__ import annotations

import pytest
from django.urls import reverse

from stewardapp.domain import value_lists
from stewardapp.models import Column, Reading
from tests.integration.test_url_matrix import RAW, complaints
from tests.integration.url_scene import Scene, scene
from tests.integration.url_table import TABLE, Request
from tests.scenes import undone

__all__ = ["scene"]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["column-hierarchy-edit", "version-hierarchies"])
def test_values_are_shown_without_one(scene: Scene, name: str) -> None:
    """The control: these pages do look at values, and find them where the reading kept them."""
    with undone():
        asked = Request.valid(scene, name, "draft", "get").by("steward")
    assert asked.outcome == "yes"
    assert "values" in asked.opened


@pytest.mark.parametrize("purpose", sorted(RAW))
def test_a_page_that_opened_it_would_be_complained_of(scene: Scene, purpose: str) -> None:
    reading = scene.version.read_now()
    wrong = scene.version.raw if purpose == "raw" else reading.table
    with undone():
        Reading.objects.filter(pk=reading.pk).update(values_kept=wrong)
        asked = Request.valid(scene, "column-hierarchy-edit", "draft", "get").by("steward")
    said = list(complaints(TABLE["column-hierarchy-edit"], "get", asked, "yes", "here"))
    assert said[:1] == [f"here: opened ['{purpose}']"]


def test_a_file_that_was_read_before_values_were_kept(scene: Scene) -> None:
    """Its pages say so and work; nothing is looked up in the table instead."""
    column = Column.objects.select_related(value_lists.WITH_VALUES).get(pk=scene.attached.pk)
    assert value_lists.previewable(column)
    reading = column.version.read_now()
    Reading.objects.filter(pk=reading.pk).update(values_kept=None)
    column = Column.objects.get(pk=column.pk)
    assert not value_lists.previewable(column)
    assert value_lists.values_of(column) == {}
    page = scene.ask("steward", "get", reverse("column-hierarchy", args=[column.pk])).answer
    assert b"not kept for pages" in page.content
