"""Scenes that take longer to make than to look at: made once for a file, and each test finds them as made."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from django.db import transaction

T = TypeVar("T")


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is written inside is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def once(make: Callable[[], T]) -> tuple[Any, Any]:
    """Two fixtures for a file, to be called `made` and as tests like: the scene, and a copy for each test."""

    @pytest.fixture(scope="module")
    def made(django_db_setup: None, django_db_blocker: Any) -> Iterator[T]:
        with django_db_blocker.unblock(), undone():
            yield make()

    @pytest.fixture
    def found(made: T, db: None) -> T:
        """What a test writes is taken back by `db`; what it does to the objects is done to its copy."""
        return copy.deepcopy(made)

    return made, found
