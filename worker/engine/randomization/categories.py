"""The categories of a column as a fixed list: those that may be changed, and those that stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.randomization.strata import Strata
from worker.engine.randomization.transition import MOST_CATEGORIES
from worker.engine.tables.column import Codes, Column, Mask
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.wording import thousands


@dataclass(frozen=True)
class Categories:
    """`known` are the positions of values; the others stand for "no value"."""

    texts: tuple[str, ...]
    gone: tuple[bool, ...]

    @classmethod
    def of(cls, domain: Domain, listed: Sequence[str]) -> Categories:
        """The listed categories in their order, then what else occurs in the data."""
        missing = {text for text, gone in zip(domain.texts, domain.missing.tolist(), strict=True) if gone}
        texts = tuple(dict.fromkeys((*listed, *domain.texts)))
        if len(texts) - len(missing) > MOST_CATEGORIES:
            text = (
                f"column: a matrix between more than {MOST_CATEGORIES} categories would protect nobody "
                "and be read by nobody. Generalize the column first, or choose groups of it."
            )
            raise EngineError("too-many-categories", text, param="column")
        return cls(texts, tuple(text in missing for text in texts))

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def missing(self) -> Mask:
        """Which of them stand for "no value"."""
        return np.array(self.gone, dtype=bool)

    @property
    def known(self) -> tuple[int, ...]:
        """Where the values stand."""
        return tuple(i for i, gone in enumerate(self.gone) if not gone)

    def codes_of(self, column: Column) -> Codes:
        """The position of each of a column's labels; labels that no row holds get 0."""
        index = {text: i for i, text in enumerate(self.texts)}
        labels = column.label_texts
        return np.fromiter((index.get(text, 0) for text in labels), np.int32, len(labels))

    def counts(self, table: FrequencyTable, strata: Strata) -> list[list[int]]:
        """Rows per stratum and category."""
        index = {text: i for i, text in enumerate(self.texts)}
        to = np.array([index[text] for text in table.domains[0].texts], dtype=np.int64)
        found = np.zeros((len(strata), len(self.texts)), np.int64)
        if len(table):
            np.add.at(found, (strata.of_table(table), to[table.codes[0]]), table.counts)
        listed: list[list[int]] = found.tolist()
        return listed


def require_known(table: FrequencyTable, listed: Sequence[str], param: str) -> None:
    """Refuse data that hold a value which the steward did not list."""
    domain, allowed, strange = table.domains[0], set(listed), 0
    marginal = table.marginal(domain.name)
    for text, gone, rows in zip(domain.texts, domain.missing.tolist(), marginal.tolist(), strict=True):
        if not gone and text not in allowed:
            strange += rows
    if strange:
        text = (
            f"{param}: {thousands(strange)} rows hold a category that is not listed. List every category "
            "that may occur."
        )
        raise EngineError("unknown-category", text, param=param)
