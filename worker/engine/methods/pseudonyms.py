"""Pseudonyms in place of identifiers."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

import pyarrow as pa
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema
from worker.engine.tables.table import Field as ColumnField

KEYS = frozenset({Role.PERSON_KEY, Role.HOUSEHOLD_KEY})


@register
class Pseudonyms(Method):
    """Replace identifiers by pseudonyms that only the holder of a key could compute again.

    The pseudonym is a keyed hash (HMAC-SHA256) of the exact text. With the project's key the same person has
    the same pseudonym in every release and file of the project, which lets analysts, and attackers, link
    them; with a fresh key per release nothing links two releases, and the key is destroyed with the run.
    A pseudonym is not anonymity: all that the other columns tell about a person is still there. A person or
    household key stays where it is and its pseudonym becomes a column of its own.
    """

    slug = "pseudonyms"
    title = "Pseudonyms"
    family = Family.PSEUDONYMIZING
    references = ("ENISA (2019), Pseudonymisation techniques and best practices",)

    column: Annotated[str, Columns()] = Field(title="Column", description="The identifiers to replace.")
    key: Literal["release", "project"] = Field(
        "release",
        title="Key",
        description="Release: nothing links two releases. Project: the same in all files.",
    )
    domain: str = Field(
        "person",
        min_length=1,
        max_length=40,
        title="Domain",
        description="What is identified. Files with the same domain and project key have the same "
        "pseudonyms.",
    )
    length: Annotated[int, Unit("characters")] = Field(
        16,
        ge=10,
        le=52,
        title="Length",
        description="Five random bits each; 16 are enough for any population.",
    )
    prefix: str = Field(
        "",
        max_length=20,
        pattern=r"^[A-Za-z0-9_.-]*$",
        title="Prefix",
        description="Put before each pseudonym.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(column="name"), cls(column="household", domain="household", prefix="H-"))

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset("Fresh", "Rows of one person can be linked within the release only.", {"key": "release"}),
            Preset(
                "Per project",
                "The same person can be followed through the project's files.",
                {"key": "project"},
            ),
        )

    def describe(self) -> str:
        which = "the project's key" if self.key == "project" else "a key that is destroyed with the run"
        return f"Replace {self.column} by pseudonyms under {which}."

    def needs_project_key(self) -> bool:
        return self.key == "project"

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return (self.column,)

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {self._output(schema[self.column].role): Trace.MADE_UP}

    def output_schema(self, schema: Schema) -> Schema:
        role = schema[self.column].role
        name = self._output(role)
        released = Role.OTHER if role is Role.DIRECT_IDENTIFIER or role in KEYS else role
        return schema.with_field(ColumnField(name, Kind.TEXT, released))

    def check(self, schema: Schema) -> None:
        super().check(schema)
        name = self._output(schema[self.column].role)
        if name != self.column and name in schema:
            text = f"column: the data already have a column named {name!r}. Rename it first."
            raise EngineError("column-exists", text, param="column")

    def plan(self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter) -> Plan:
        self.require_values(statistics)
        if self.key == "project" and source.project_key is None:
            text = (
                "key: this run was not given the project's key. Choose pseudonyms per release, or run it "
                "in the project."
            )
            raise EngineError("no-project-key", text, param="key")
        name = self._output(statistics.schema[self.column].role)
        return Plan({"column": self.column, "output": name, "key": self.key, "bits": 5 * self.length})

    def transform(self, chunk: Chunk, plan: Plan, source: Source) -> Chunk:
        column = chunk[self.column].compact()
        key = source.project_key if self.key == "project" else None
        hashes = source.keyed_texts(column.label_texts, self.domain, key)
        texts = [
            "" if gone else self._pseudonym(one)
            for one, gone in zip(hashes, column.missing.tolist(), strict=True)
        ]
        made = Column(plan.facts["output"], Kind.TEXT, column.codes, pa.array(texts, pa.string()))
        return chunk.with_columns(made)

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        reach = "all files of the project" if self.key == "project" else "this release only"
        return (
            f"{facts['output']}: a pseudonym; equal pseudonyms mean the same {self.domain} in {reach}. It "
            "carries no other information and has no order.",
        )

    def _output(self, role: Role | None) -> str:
        return f"{self.column}_pseudonym" if role in KEYS else self.column

    def _pseudonym(self, digest: bytes) -> str:
        return self.prefix + base64.b32encode(digest).decode("ascii").lower()[: self.length]
