"""A hierarchy that somebody is editing: where it began and what was changed, carried by the page itself.

Nothing is stored until it is saved. Taking back a change leaves out the last one of the list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worker.engine.algorithms.hierarchy_edits import refusal

MOST_CHANGES = 1000
ATTACHED, NOTHING, BUILT = "attached", "nothing", "built"
Change = Mapping[str, Any]


@dataclass(frozen=True)
class Draft:
    """The beginning (the attached hierarchy, nothing, or a builder's settings) and the changes since."""

    base: str = ATTACHED
    spec: Mapping[str, Any] | None = None
    changes: tuple[Change, ...] = ()

    @classmethod
    def sent(cls, posted: Mapping[str, str]) -> Draft:
        """What the page carried; refused when it is none."""
        base = posted.get("base", ATTACHED)
        try:
            spec = json.loads(posted.get("spec") or "null")
            changes = json.loads(posted.get("changes") or "[]")
        except (json.JSONDecodeError, RecursionError):
            raise refusal("The page sent an unreadable draft; start again.") from None
        whole = isinstance(changes, list) and all(isinstance(one, dict) for one in changes)
        built = isinstance(spec, dict) and isinstance(spec.get("builder"), str)
        if base not in (ATTACHED, NOTHING, BUILT) or not whole or (base == BUILT and not built):
            raise refusal("The page sent an unreadable draft; start again.")
        if len(changes) > MOST_CHANGES:
            raise refusal(f"That are more than {MOST_CHANGES} changes; save, then go on.")
        return cls(base, spec if base == BUILT else None, tuple(changes))

    def changed(self, change: Change) -> Draft:
        """With one more change."""
        return replace(self, changes=(*self.changes, change))

    def taken_back(self) -> Draft:
        """Without the last change."""
        return replace(self, changes=self.changes[:-1])

    @property
    def changes_json(self) -> str:
        """The changes as the page carries them."""
        return json.dumps(self.changes, ensure_ascii=False)

    @property
    def spec_json(self) -> str:
        """The settings of the builder as the page carries them."""
        return json.dumps(self.spec, ensure_ascii=False) if self.spec else ""


def change_of(command: str, posted: Mapping[str, str], picked: Sequence[tuple[int, str]]) -> dict[str, Any]:
    """The change a button stands for; `picked` are (level, label) of the ticked boxes."""
    verb, _, place = command.partition(":")
    if verb in ("add-level", "remove-level"):
        return {"change": verb, "level": place}
    if verb == "complete":
        return {"change": verb}
    levels = {level for level, _ in picked}
    if not picked:
        raise refusal("Tick the labels first.")
    if len(levels) > 1:
        raise refusal("Tick labels of one level only.")
    labels, to = [label for _, label in picked], posted.get("label", "")
    if verb == "group":
        return {"change": verb, "level": levels.pop(), "labels": labels, "to": to}
    if len(labels) > 1:
        raise refusal("Tick one label to rename; to join several, group them.")
    return {"change": "rename", "level": levels.pop(), "label": labels[0], "to": to}
