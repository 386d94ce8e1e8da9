"""Rules about trying many values at once."""

from __future__ import annotations

from stewardapp.access.facts import Person, ReleaseFacts
from stewardapp.access.permitted import permitted
from stewardapp.access.release_rules import may_start_run
from stewardapp.access.roles import Permission
from stewardapp.access.verdict import Verdict, first_no, no, yes


def may_sweep(person: Person, release: ReleaseFacts, *, charged: bool) -> Verdict:
    """Queue a grid of runs: whoever may start one, of a recipe that takes nothing from a budget."""
    allowed = permitted(person, Permission.RUN, "start a sweep")
    return first_no(allowed, _free(charged), may_start_run(person, release))


def _free(charged: bool) -> Verdict:
    if not charged:
        return yes()
    reason = (
        "A step takes from the privacy budget, and every run of a sweep would: choose its values from the "
        "error that is shown before a run, which costs nothing."
    )
    return no("charged", reason)


def may_cancel_sweep(person: Person, *, under_way: bool) -> Verdict:
    """Stop every run of a sweep that waits or works."""
    allowed = permitted(person, Permission.RUN, "cancel a sweep")
    if allowed and not under_way:
        return no("ended", "Every run of this sweep has ended, or is being cancelled already.")
    return allowed
