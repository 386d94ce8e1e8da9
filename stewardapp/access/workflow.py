"""The states of a release and every way from one to another, in one table.

Buttons, refusals, audit names, notifications, the state diagram and the test matrix all come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stewardapp.access.roles import Permission


class State(StrEnum):
    """Where a release stands."""

    DRAFT = "draft"
    IN_REVIEW = "in-review"
    CHANGES_REQUESTED = "changes-requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    PUBLISHED = "published"
    REVOKED = "revoked"

    @property
    def label(self) -> str:
        """The word printed on a page."""
        return self.value.replace("-", " ").capitalize()


TERMINAL = frozenset({State.REJECTED, State.WITHDRAWN, State.REVOKED})
EDITABLE = frozenset({State.DRAFT, State.CHANGES_REQUESTED})


class Audience(StrEnum):
    """Who may download a published release."""

    PROJECT = "project"
    SIGNED_IN = "signed-in"
    NAMED = "named"
    PUBLIC_LINK = "public-link"


class Decision(StrEnum):
    """What a reviewer says about a candidate."""

    APPROVE = "approve"
    REQUEST_CHANGES = "request-changes"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table: who may take a release from where to where, under which guards."""

    name: str
    sources: frozenset[State]
    target: State
    permission: Permission
    guards: tuple[str, ...]
    event: str
    label: str


TRANSITIONS: tuple[Transition, ...] = (
    Transition(
        name="edit",
        sources=EDITABLE,
        target=State.DRAFT,
        permission=Permission.EDIT_RELEASE,
        guards=(),
        event="release.edited",
        label="Edit",
    ),
    Transition(
        name="submit",
        sources=EDITABLE,
        target=State.IN_REVIEW,
        permission=Permission.SUBMIT,
        guards=("run succeeded", "goals hold", "policy met"),
        event="release.submitted",
        label="Submit for review",
    ),
    Transition(
        name="approve",
        sources=frozenset({State.IN_REVIEW}),
        target=State.APPROVED,
        permission=Permission.REVIEW,
        guards=(
            "four eyes",
            "same candidate",
            "demanded assessments ended",
            "compared with what is out",
            "enough approvals",
        ),
        event="review.recorded",
        label="Approve",
    ),
    Transition(
        name="request-changes",
        sources=frozenset({State.IN_REVIEW}),
        target=State.CHANGES_REQUESTED,
        permission=Permission.REVIEW,
        guards=("four eyes", "same candidate", "all votes in"),
        event="review.recorded",
        label="Request changes",
    ),
    Transition(
        name="reject",
        sources=frozenset({State.IN_REVIEW}),
        target=State.REJECTED,
        permission=Permission.REVIEW,
        guards=("four eyes", "same candidate", "all votes in"),
        event="review.recorded",
        label="Reject",
    ),
    Transition(
        name="withdraw",
        sources=frozenset({State.DRAFT, State.CHANGES_REQUESTED, State.APPROVED}),
        target=State.WITHDRAWN,
        permission=Permission.SUBMIT,
        guards=(),
        event="release.withdrawn",
        label="Withdraw",
    ),
    Transition(
        name="reopen",
        sources=frozenset({State.APPROVED}),
        target=State.IN_REVIEW,
        permission=Permission.SUBMIT,
        guards=("too few votes still count, or more is out",),
        event="release.reopened",
        label="Return to review",
    ),
    Transition(
        name="publish",
        sources=frozenset({State.APPROVED}),
        target=State.PUBLISHED,
        permission=Permission.PUBLISH,
        guards=("same candidate", "enough approvals still count", "compared with what is out"),
        event="release.published",
        label="Publish",
    ),
    Transition(
        name="revoke",
        sources=frozenset({State.PUBLISHED}),
        target=State.REVOKED,
        permission=Permission.PUBLISH,
        guards=(),
        event="release.revoked",
        label="Revoke",
    ),
)

BY_NAME: dict[str, Transition] = {transition.name: transition for transition in TRANSITIONS}


def transition(name: str) -> Transition:
    """The row with this name."""
    return BY_NAME[name]


def diagram() -> str:
    """The table as a Mermaid state diagram; the generated documentation page holds exactly this."""
    lines = ["stateDiagram-v2", f"    [*] --> {_node(State.DRAFT)}: Create"]
    for row in TRANSITIONS:
        lines += [
            f"    {_node(source)} --> {_node(row.target)}: {row.label}"
            for source in State
            if source in row.sources and source is not row.target
        ]
    lines += [f"    {_node(state)} --> [*]" for state in State if state in TERMINAL]
    return "\n".join(lines) + "\n"


def _node(state: State) -> str:
    return state.value.replace("-", "_")
