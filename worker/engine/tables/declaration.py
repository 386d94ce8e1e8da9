"""What the steward declares of a column besides its kind and role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worker.engine.tables.kinds import Kind


@dataclass(frozen=True)
class HierarchySpec:
    """Where a hierarchy comes from: lines `value;level1;…`, or a builder with its options.

    `missing` are texts for "no value" that its lines may use where the data hold the empty text.
    """

    lines: tuple[str, ...] | None = None
    builder: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declaration:
    """The steward's word on one column; nothing here is taken from the data."""

    hierarchy: HierarchySpec | None = None
    bounds: tuple[Any, Any] | None = None
    bin_width: Any = None
    categories: tuple[str, ...] | None = None
    granted: tuple[str, ...] = ()
    release: bool = False
    kind: Kind | None = None
    provenance: str = ""
    """Where the bounds or categories are known from."""
    known: bool = True
    """Whether others could know the values of a kept column."""
    why: str = ""
    """Why they could not."""
