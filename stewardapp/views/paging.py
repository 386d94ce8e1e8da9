"""Long lists are shown in pages."""

from __future__ import annotations

from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)
PER_PAGE = 25


def paged(request: HttpRequest, found: QuerySet[Row], per_page: int = PER_PAGE) -> Page[Row]:
    """The page that is asked for, the last one where it is beyond."""
    return Paginator(found, per_page).get_page(request.GET.get("page"))
