"""The door of measures to what is not in the data: files that a caller opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from worker.engine.contracts.scene import no_file
from worker.engine.errors import EngineError
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import TableSource

NO_COLUMNS = "no-columns"


def _never(_: TableSource) -> Statistics | None:
    """Of no release it is known where its rows stood."""
    return None


@dataclass(frozen=True)
class OpenedFiles:
    """Tables by the names that parameters give them, and other releases by name."""

    tagged: Callable[[TableSource], Statistics]
    """What may be asked of a table whose columns are tagged as those of the data of the same names."""
    files: Mapping[str, TableSource] = field(default_factory=dict)
    others: Mapping[str, TableSource] = field(default_factory=dict)
    laid_back: Callable[[TableSource], Statistics | None] = _never
    """The same of a release whose rows are put back to where they stood; None where that cannot be."""
    place: str = ""
    """The column of such a release that says where."""

    def auxiliary(self, name: str) -> Statistics:
        """The table that a parameter names."""
        if name not in self.files:
            raise no_file(name)
        try:
            return self.tagged(self.files[name])
        except EngineError as error:
            if error.code == NO_COLUMNS:
                raise _nothing_common(name) from None
            raise

    def releases(self) -> Mapping[str, Statistics]:
        """Other releases about the same people, as far as they have columns of the data."""
        found = {name: self._laid.get(name) or self._known(source) for name, source in self.others.items()}
        return {name: one for name, one in found.items() if one is not None}

    def _known(self, source: TableSource) -> Statistics | None:
        try:
            return self.tagged(source)
        except EngineError as error:
            if error.code != NO_COLUMNS:
                raise
            return None

    def placed(self) -> frozenset[str]:
        """Those of them whose rows are back where they stood."""
        return frozenset(self._laid)

    @cached_property
    def _laid(self) -> Mapping[str, Statistics]:
        known = {name: one for name, one in self.others.items() if self.place and self.place in one.schema}
        laid = {name: self.laid_back(source) for name, source in known.items()}
        return {name: one for name, one in laid.items() if one is not None}


def _nothing_common(name: str) -> EngineError:
    text = f"The auxiliary file {name} has no column of the data. Give its columns the names they have there."
    return EngineError("no-common-column", text)
