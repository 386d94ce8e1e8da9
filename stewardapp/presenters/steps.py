"""The seven steps from a file to a publication, as shown above the pages that belong to one."""

from collections.abc import Mapping
from typing import NamedTuple

LABELS = {
    "upload": "Upload",
    "tag": "Tag columns",
    "configure": "Configure",
    "run": "Run & compare",
    "submit": "Submit",
    "review": "Review",
    "publish": "Publish",
}


ALL_DONE = "done"


class Step(NamedTuple):
    """One step: its words, where it leads, and whether it is done, current or to come."""

    label: str
    url: str
    state: str


def release_steps(current: str, urls: Mapping[str, str] | None = None) -> list[Step]:
    """The steps with those before the current one marked as done, or all of them; `urls` makes links."""
    names, links = list(LABELS), urls or {}
    here = len(names) if current == ALL_DONE else names.index(current)
    states = ["done" if index < here else "current" if index == here else "" for index in range(len(names))]
    return [Step(LABELS[name], links.get(name, ""), state) for name, state in zip(names, states, strict=True)]
