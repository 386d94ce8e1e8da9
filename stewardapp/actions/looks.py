"""Telling whoever is about to agree to a budget that its people are probably known already."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from stewardapp.access.facts import LookFacts
from stewardapp.access.rules import may_agree, may_be_told
from stewardapp.access.verdict import require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.telling import tell_guardians
from stewardapp.domain.familiarity import Found, facts_of_look, found_by
from stewardapp.domain.holding import proposal_facts, stake_in
from stewardapp.models import Look, Proposal, Resemblance, User

DAY = timedelta(days=1)


def look(*, proposal: Proposal, by: User) -> LookFacts:
    """Look once, and remember the answer. The comparison is made before anything is locked."""
    facts = facts_of_look(proposal, by)
    if facts.told is None and facts.needed:
        require(may_agree(stake_in(proposal, by), proposal_facts(proposal)))
        require(may_be_told(_lately(by)))
        told(proposal=proposal, found=found_by(proposal), by=by)
        return facts_of_look(proposal, by)
    return facts


@action
def told(*, proposal: Proposal, found: Sequence[Found], by: User) -> Look:
    """Tell somebody whether, and those who hold the other data which and how much.

    Attempts are counted under the lock of the person, so that many at once are no more than one by one.
    """
    by = locked(User.objects.get(pk=by.pk))  # who asks on a page is not loaded yet
    require(may_agree(stake_in(proposal, by), proposal_facts(proposal)))
    require(may_be_told(_lately(by)))
    made, _ = Look.objects.get_or_create(proposal=proposal, by=by, defaults={"known": bool(found)})
    for one in found:
        _note(proposal, one, by)
    audit.record(f"proposal.{proposal.kind}-looked", proposal, by=by)
    return made


def _lately(by: User) -> int:
    return Look.objects.lately_by(by, DAY).count()


def _note(proposal: Proposal, found: Found, by: User) -> None:
    """Only those who guard the known population see it; the one who asked is told no more for being told."""
    theirs, between = proposal.theirs, {"population": proposal.theirs, "known": found.known}
    Resemblance.objects.filter(**between).delete()
    made = Resemblance(**between, version=found.version)
    made.saying(found={"people": found.people, "percent": found.percent}).save()
    text = f"Probably some of the same people: {found.known} and {theirs}."
    tell_guardians([found.known], text, by, page="population-detail")
