"""Every state as colour, word and icon, in one table."""

from typing import NamedTuple


class Status(NamedTuple):
    """How a state looks: a tone of the tokens, a word, an icon."""

    tone: str
    word: str
    icon: str


STATUSES: dict[str, Status] = {
    # jobs
    "queued": Status("", "Queued", "clock"),
    "running": Status("accent", "Running", "play"),
    "succeeded": Status("ok", "Succeeded", "check"),
    "failed": Status("danger", "Failed", "alert"),
    "cancelled": Status("", "Cancelled", "ban"),
    # releases
    "draft": Status("", "Draft", "edit"),
    "in-review": Status("accent", "In review", "eye"),
    "changes-requested": Status("warn", "Changes requested", "undo"),
    "approved": Status("ok", "Approved", "check"),
    "rejected": Status("danger", "Rejected", "cross"),
    "withdrawn": Status("", "Withdrawn", "minus"),
    "published": Status("ok", "Published", "send"),
    "revoked": Status("danger", "Revoked", "ban"),
    # decisions
    "approve": Status("ok", "Approve", "check"),
    "request-changes": Status("warn", "Request changes", "undo"),
    "reject": Status("danger", "Reject", "cross"),
    # versions
    "reading": Status("accent", "Being read", "play"),
    "ready": Status("ok", "Ready", "check"),
    "unreadable": Status("danger", "Could not be read", "alert"),
    "destroyed": Status("", "Destroyed", "trash"),
    # uploads
    "open": Status("accent", "Open", "upload"),
    "complete": Status("ok", "Complete", "check"),
    "abandoned": Status("", "Abandoned", "trash"),
    # surveys
    "collecting": Status("accent", "Open", "users"),
    "paused": Status("warn", "Paused", "clock"),
    "closed": Status("", "Closed", "lock"),
    # questions
    "waiting": Status("accent", "Waiting", "clock"),
    "answered": Status("ok", "Answered", "check"),
    "unanswered": Status("danger", "No answer", "alert"),
    # parts of the desk
    "ok": Status("ok", "Well", "check"),
    "degraded": Status("warn", "Needs you", "alert"),
    "failing": Status("danger", "Does not work", "cross"),
    # verdicts on figures
    "holds": Status("ok", "Holds", "check"),
    "fails": Status("danger", "Does not hold", "cross"),
    "yes": Status("ok", "Yes", "check"),
    "no": Status("", "No", "minus"),
    "public": Status("accent", "Public", "users"),
    "private": Status("", "Private", "lock"),
    "settled": Status("ok", "Settled", "check"),
    "unsettled": Status("warn", "Open", "alert"),
}


def status(state: object) -> Status:
    """How this state looks; a state the table does not know is printed as it is, without colour."""
    key = str(getattr(state, "value", state))
    return STATUSES.get(key) or Status("", key.replace("-", " ").capitalize(), "info")
