"""Few rows are counted in a way of their own; tests of the other ways are written with few rows."""

import pytest

from worker.engine.scan import few_rows


@pytest.fixture
def as_many(monkeypatch):
    """Few rows are counted as many are."""
    monkeypatch.setattr(few_rows, "FEW_ROWS", 0)
