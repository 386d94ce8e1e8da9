"""A hierarchy that somebody is editing: the list of changes, carried by the page itself.

Nothing is stored until it is saved. Taking back a change leaves out the last one of the list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worker.engine.hierarchies.edits import Change, refusal
from worker.engine.io.strict_json import BadJson, Limits, loads

MOST_CHANGES = 1000
LIMITS = Limits(length=16_000_000, values=1_000_000)
BUILD, RESTART = "build", "restart"


@dataclass(frozen=True)
class Draft:
    """The changes since the attached hierarchy. To build by rule and to start anew are changes too."""

    changes: tuple[Change, ...] = ()

    @classmethod
    def sent(cls, posted: Mapping[str, str]) -> Draft:
        """What the page carried; refused when it is none."""
        try:
            changes = loads(posted.get("changes") or "[]", LIMITS)
        except BadJson:
            raise refusal("The page sent an unreadable draft; start again.") from None
        if not isinstance(changes, list) or not all(map(_readable, changes)):
            raise refusal("The page sent an unreadable draft; start again.")
        if len(changes) > MOST_CHANGES:
            raise refusal(f"That are more than {MOST_CHANGES} changes; save, then go on.")
        return cls(tuple(changes))

    def changed(self, change: Change) -> Draft:
        """With one more change; settings tried one after the other are one."""
        again = bool(self.changes) and change["change"] == BUILD == self.changes[-1]["change"]
        return Draft((*(self.changes[:-1] if again else self.changes), change))

    def taken_back(self) -> Draft:
        """Without the last change."""
        return Draft(self.changes[:-1])

    @property
    def beginning(self) -> Change | None:
        """The last change that began anew; None when the attached hierarchy is still the beginning."""
        return next((one for one in reversed(self.changes) if one["change"] in (BUILD, RESTART)), None)

    @property
    def spec(self) -> dict[str, object]:
        """The builder's settings when the beginning was built by rule."""
        return dict((self.beginning or {}).get("spec", {}))

    @property
    def edits(self) -> tuple[Change, ...]:
        """The changes by hand since the beginning."""
        began = [at for at, one in enumerate(self.changes, 1) if one["change"] in (BUILD, RESTART)]
        return self.changes[began[-1] if began else 0 :]

    @property
    def changes_json(self) -> str:
        """The changes as the page carries them."""
        return json.dumps(self.changes, ensure_ascii=False)


def _readable(change: Any) -> bool:
    if not isinstance(change, dict) or not isinstance(change.get("change"), str):
        return False
    spec = change.get("spec")
    return change["change"] != BUILD or (isinstance(spec, dict) and isinstance(spec.get("builder"), str))


def change_of(
    command: str, posted: Mapping[str, str], picked: Sequence[tuple[int, str]]
) -> dict[str, object]:
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
