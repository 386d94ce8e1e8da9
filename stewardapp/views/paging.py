"""Long lists are shown in pages, and searched by words."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)
PER_PAGE = 25
MOST_WORDS = 8


def paged(request: HttpRequest, found: QuerySet[Row], per_page: int = PER_PAGE) -> Page[Row]:
    """The page that is asked for, the last one where it is beyond."""
    return Paginator(found, per_page).get_page(request.GET.get("page"))


def searched(request: HttpRequest, found: QuerySet[Row], *fields: str) -> QuerySet[Row]:
    """What has every word that is asked for, each in one of these fields."""
    for word in request.GET.get("q", "").split()[:MOST_WORDS]:
        found = found.filter(reduce(or_, (Q((f"{field}__icontains", word)) for field in fields)))
    return found
