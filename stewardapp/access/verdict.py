"""A verdict is yes, or no with a code and a reason a person can read."""

from __future__ import annotations

from dataclasses import dataclass

NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a rule: truthy when allowed; `reason` is the tooltip and the text of the 403 page."""

    allowed: bool
    code: str = ""
    reason: str = ""

    def __bool__(self) -> bool:
        return self.allowed

    @property
    def applies(self) -> bool:
        """Whether there was anything to check: what does not apply stands in no way, but was not passed."""
        return self.code != NOT_APPLICABLE


class Refused(Exception):
    """An action was not done; `code` is for programs, `reason` for people. Never holds a data value."""

    status = 400

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class NotAllowed(Refused):
    """The person may not do this now (403)."""

    status = 403


class Conflict(Refused):
    """Somebody else changed the thing in the meantime (409)."""

    status = 409


class NoRoom(Refused):
    """The disk has no room for it (507)."""

    status = 507


class Invalid(Refused):
    """The input cannot be accepted (400); `param` names the field when one is to blame."""

    def __init__(self, code: str, reason: str, param: str = "") -> None:
        super().__init__(code, reason)
        self.param = param


_YES = Verdict(allowed=True)


def yes() -> Verdict:
    """Allowed."""
    return _YES


def no(code: str, reason: str) -> Verdict:
    """Not allowed, and why."""
    return Verdict(allowed=False, code=code, reason=reason)


def does_not_apply(reason: str) -> Verdict:
    """Nothing to check, and why."""
    return Verdict(allowed=True, code=NOT_APPLICABLE, reason=reason)


def first_no(*verdicts: Verdict) -> Verdict:
    """The first refusal among several verdicts, or yes when there is none."""
    return next((verdict for verdict in verdicts if not verdict), _YES)


def require(verdict: Verdict) -> None:
    """Raise NotAllowed with the verdict's reason unless it is a yes."""
    if not verdict:
        raise NotAllowed(verdict.code, verdict.reason)
