"""Rules about populations: whoever decides about the people of some data holds such data, and is not alone.

Limits, parts, overlaps and what a dataset is about are proposed by one person and agreed to by another. At
least one of them is a steward of a project that holds data about the people; the other one is a second such
steward or a data protection officer. Each of two populations has its own say. Where nobody holds data any
more, an officer and an administrator decide, or two officers.
"""

from __future__ import annotations

from stewardapp.access.facts import LookFacts, Person, PopulationFacts, ProposalFacts, Stake
from stewardapp.access.permitted import permitted
from stewardapp.access.roles import Permission
from stewardapp.access.verdict import Verdict, first_no, no, yes

Concerned = tuple[PopulationFacts, ...]

LOOKS_A_DAY = 5
"""So many times a day somebody is told whether people are known: often enough to decide, not to search."""
PROBABLY_KNOWN = "These are probably people already known to this site."

HOLDER = "a steward of a project that holds data about {}"
OFFICER = "a data protection officer"


def may_propose(stake: Stake, concerned: Concerned) -> Verdict:
    """Ask for a limit, a part or an overlap of these populations."""
    return _has_a_say(stake, concerned, "propose this")


def may_register_leak(stake: Stake, population: PopulationFacts) -> Verdict:
    """Say that a file about these people leaked, or take that back."""
    return _has_a_say(stake, (population,), "say which files about these people leaked")


def may_propose_move(person: Person) -> Verdict:
    """Say that a dataset is about other people, or ask to be counted among those who hold data."""
    return permitted(person, Permission.UPLOAD, "say whom a dataset is about")


def may_agree(stake: Stake, proposal: ProposalFacts) -> Verdict:
    """Stand behind what somebody else proposed."""
    return first_no(
        _there_before(stake),
        _has_a_say(stake, proposal.concerned, "decide about this"),
        _open(proposal),
        _another(stake, proposal),
    )


def may_be_told(today: int) -> Verdict:
    """Learn whether the people of a proposal are probably known to the site: only so many times a day."""
    if today < LOOKS_A_DAY:
        return yes()
    return no(
        "told-enough",
        f"Agreeing tells whether these people are known to the site, and you were told {LOOKS_A_DAY} times "
        "within a day. Agree tomorrow, or let somebody else agree.",
    )


def may_confirm(look: LookFacts, aware: bool) -> Verdict:
    """Stand behind a budget for people of whom one was told whether they are probably known."""
    if look.told is None and look.needed:
        return no("not-told", "Whether these people are known to this site was not looked at yet.")
    if look.told and not aware:
        return no("known-people", PROBABLY_KNOWN)
    return yes()


def may_decline(stake: Stake, proposal: ProposalFacts) -> Verdict:
    """Turn a proposal down; whoever made it may take it back the same way."""
    mine = stake.person.id == proposal.proposed_by
    said = yes() if mine else _has_a_say(stake, proposal.concerned, "decide about this")
    return first_no(said, _open(proposal))


def may_allot(stake: Stake, population: PopulationFacts) -> Verdict:
    """Divide a limit without asking anybody: only where no other project holds data about the people."""
    if population.id not in stake.holds:
        only = HOLDER.format(population.name)
        return no("not-a-holder", f"Only {only} can divide its budget.")
    if population.holders == 1:
        return yes()
    return no(
        "others-hold", "Other projects hold data about these people too: propose the part, and others agree."
    )


def still_missing(proposal: ProposalFacts) -> tuple[str, ...]:
    """Who still has to agree, in words; nothing when a proposal has everybody it needs."""
    concerned = proposal.concerned
    backers = [one for one in proposal.backers if has_a_say(one, concerned)]
    officer = any(one.person.is_officer for one in backers)
    missing = tuple(_spokespeople(concerned, backers, officer))
    if missing or len({one.person.id for one in backers}) > 1:
        return missing
    return (_second(concerned),)


def has_a_say(stake: Stake, concerned: Concerned) -> bool:
    """Whether this person counts where these populations are decided about."""
    if any(one.id in stake.holds for one in concerned) or stake.person.is_officer:
        return True
    return stake.person.is_admin and not any(one.holders for one in concerned)


def _spokespeople(concerned: Concerned, backers: list[Stake], officer: bool) -> list[str]:
    """For each population somebody who holds data about it or an officer; for all together one holder."""
    held = [one for one in concerned if one.holders]
    if held and not any(one.id in stake.holds for one in held for stake in backers):
        return [HOLDER.format(" or ".join(one.name for one in held))]
    silent = [one for one in concerned if not any(one.id in stake.holds for stake in backers)]
    if officer:
        return []
    return [
        f"{HOLDER.format(one.name)}, or {OFFICER}" if one.holders else f"{OFFICER}, for {one.name}"
        for one in silent
    ]


def _second(concerned: Concerned) -> str:
    """Who may stand beside the only one."""
    held = [one.name for one in concerned if one.holders]
    if not held:
        return f"an administrator, or another one who is {OFFICER}"
    return f"another person: {HOLDER.format(' or '.join(held))}, or {OFFICER}"


def _has_a_say(stake: Stake, concerned: Concerned, what: str) -> Verdict:
    if has_a_say(stake, concerned):
        return yes()
    held = [one.name for one in concerned if one.holders]
    if held:
        who = f"{HOLDER.format(' or '.join(held))}, or {OFFICER},"
    else:
        who = f"{OFFICER} or an administrator, because no project holds data about these people,"
    return no("not-a-holder", f"Only {who} can {what}.")


def _there_before(stake: Stake) -> Verdict:
    """Nobody comes to speak for some people because a proposal waits for a second voice."""
    if not stake.came_later:
        return yes()
    reason = (
        "This was proposed before you became a steward as an administrator or through a member of the "
        "project, or before an administrator set your password or removed your second factor; somebody else "
        "has to agree."
    )
    return no("came-later", reason)


def _open(proposal: ProposalFacts) -> Verdict:
    return yes() if proposal.open else no("decided", "This proposal is already decided.")


def _another(stake: Stake, proposal: ProposalFacts) -> Verdict:
    if stake.person.id == proposal.proposed_by:
        return no("four-eyes", "You made this proposal; somebody else has to agree.")
    if stake.person.id in {one.person.id for one in proposal.backers}:
        return no("agreed", "You have agreed already; somebody else has to agree too.")
    return yes()
