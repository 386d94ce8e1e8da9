"""A small invented table on which every example of every method, goal and measure works."""

from __future__ import annotations

from typing import Any

from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema, Table

DISEASES = ("none", "flu", "asthma", "ulcer", "none")


def sample_schema() -> Schema:
    """Its columns with kinds and roles."""
    return Schema(
        (
            Field("name", Kind.TEXT, Role.DIRECT_IDENTIFIER),
            Field("age", Kind.INTEGER, Role.QUASI_IDENTIFIER),
            Field("sex", Kind.CATEGORICAL, Role.QUASI_IDENTIFIER),
            Field("zip", Kind.TEXT, Role.QUASI_IDENTIFIER),
            Field("birth", Kind.DATE, Role.OTHER),
            Field("disease", Kind.CATEGORICAL, Role.SENSITIVE),
            Field("income", Kind.DECIMAL, Role.SENSITIVE),
            Field("visits", Kind.INTEGER, Role.OTHER),
            Field("weight", Kind.DECIMAL, Role.WEIGHT),
            Field("household", Kind.TEXT, Role.HOUSEHOLD_KEY),
        )
    )


def sample_declarations() -> dict[str, Declaration]:
    """What a steward would declare of it."""
    return {
        "age": Declaration(
            hierarchy=HierarchySpec(builder="interval", options={"width": 10, "fan_out": 2}), bounds=(0, 120)
        ),
        "zip": Declaration(hierarchy=HierarchySpec(builder="mask", options={"side": "right"})),
        "disease": Declaration(categories=("asthma", "flu", "none", "ulcer")),
        "income": Declaration(bounds=(0, 10_000), bin_width=500),
        "visits": Declaration(bounds=(0, 20), bin_width=1),
    }


def sample_columns() -> dict[str, dict[str, Any]]:
    """The same as the columns of a recipe."""
    columns: dict[str, dict[str, Any]] = {}
    for field in sample_schema():
        columns[field.name] = {"role": str(field.role), "kind": str(field.kind)}
    columns["age"]["hierarchy"] = {"builder": "interval", "width": 10, "fan_out": 2}
    columns["zip"]["hierarchy"] = {"builder": "mask", "side": "right"}
    columns["age"]["bounds"] = [0, 120]
    columns["disease"]["categories"] = ["asthma", "flu", "none", "ulcer"]
    columns["income"] |= {"bounds": [0, 10_000], "bin_width": 500}
    columns["visits"] |= {"bounds": [0, 20], "bin_width": 1}
    return columns


def sample_table(rows: int = 240) -> Table:
    """So many rows, the same ones every time. Row i is made from i alone."""
    texts: dict[str, list[str]] = {field.name: [] for field in sample_schema()}
    for i in range(rows):
        for name, text in _row(i).items():
            texts[name].append(text)
    kinds = {field.name: field.kind for field in sample_schema()}
    return Table((Column.of_texts(name, column, kinds[name]) for name, column in texts.items()), 0, rows)


def _row(i: int) -> dict[str, str]:
    mixed = (i * 7919 + 13) % 1009
    age = 18 + mixed % 60
    return {
        "name": f"person {i}",
        "age": str(age),
        "sex": "female" if mixed % 2 else "male",
        "zip": f"{10000 + (mixed % 6) * 111}",
        "birth": f"{2020 - age}-{1 + mixed % 12:02d}-{1 + mixed % 28:02d}",
        "disease": DISEASES[(mixed // 3) % len(DISEASES)],
        "income": f"{900 + (mixed * 37) % 4100}.{mixed % 100:02d}",
        "visits": str(mixed % 9),
        "weight": f"{1 + mixed % 5}.5",
        "household": f"h{i // 3}",
    }


POPULATION = "population.csv"
"""The name under which examples refer to the sample population."""


def sample_population(rows: int = 240) -> Table:
    """Everybody of the sample table and twice as many others, by their quasi-identifiers."""
    names = sample_schema().named(Role.QUASI_IDENTIFIER)
    people = [_row(i) for i in range(3 * rows)]
    return Table((Column.of_texts(name, [one[name] for one in people]) for name in names), 0, len(people))
