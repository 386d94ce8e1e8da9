"""Rules about query desks: who opens one, who asks there, who sees what is true beside what is told."""

from __future__ import annotations

from stewardapp.access.data_rules import ADMINS_DO_NOT_READ, exists, was_read
from stewardapp.access.facts import DeskFacts, Person, QueryFacts, VersionFacts
from stewardapp.access.permitted import permitted
from stewardapp.access.roles import Permission
from stewardapp.access.verdict import Verdict, first_no, no, yes


def may_open_desk(person: Person, version: VersionFacts, *, has_desk: bool) -> Verdict:
    """Let analysts ask questions about a version."""
    one = no("desk-open", "A query desk is open on this version already.") if has_desk else yes()
    return first_no(_may_manage(person, "open a query desk"), exists(version), was_read(version), one)


def may_close_desk(person: Person, desk: DeskFacts) -> Verdict:
    """Take no more questions."""
    return first_no(_may_manage(person, "close a query desk"), _open(desk))


def may_ask(person: Person, desk: DeskFacts) -> Verdict:
    """Put a question; whether it can be paid for is asked when its price is known."""
    gone = no("destroyed", "The data of this desk were destroyed.") if desk.destroyed else yes()
    allowed = permitted(person, Permission.ASK, "ask questions")
    none = no("no-allowance", "You have no allowance for questions about these people. Ask a steward.")
    return first_no(allowed, _open(desk), gone, yes() if desk.has_allowance else none)


def may_withdraw_question(person: Person, query: QueryFacts) -> Verdict:
    """Take a question back while it costs nothing and nobody else waits for its answer."""
    own = person.id == query.asked_by
    foreign = no("not-yours", "Only who asked it can take a question back.")
    taken = no("taken", "It is on its way to an answer, or has ended: its price is not given back.")
    free = query.untouched and not query.others_wait  # that others wait is not told
    return first_no(yes() if own else foreign, yes() if free else taken)


def may_see_exact(person: Person) -> Verdict:
    """See the true figure beside the one with noise: only who may look into the data."""
    allowed = permitted(person, Permission.VIEW_DATA, "see true figures")
    return ADMINS_DO_NOT_READ if not allowed and person.is_admin else allowed


def _may_manage(person: Person, what: str) -> Verdict:
    allowed = permitted(person, Permission.MANAGE_DESK, what)
    return ADMINS_DO_NOT_READ if not allowed and person.is_admin else allowed


def _open(desk: DeskFacts) -> Verdict:
    return yes() if desk.open else no("desk-closed", "This query desk is closed.")
