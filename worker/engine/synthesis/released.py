"""Which columns a synthetic release is made of, and what happens to the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.tables.table import Schema


def released_columns(schema: Schema, listed: Sequence[str]) -> tuple[str, ...]:
    """The listed columns in the table's order, or all that would leave."""
    if listed:
        return tuple(name for name in schema.names if name in listed)
    return tuple(field.name for field in schema if field.role in RELEASED or field.role is None)


def dropping(schema: Schema, made: Sequence[str]) -> Schema:
    """All other columns leave the release: beside made-up rows they would belong to nobody."""
    for field in schema:
        if field.name not in made:
            schema = schema.with_field(replace(field, role=Role.DROPPED))
    return schema
