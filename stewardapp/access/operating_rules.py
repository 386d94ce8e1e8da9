"""The rule about the machine itself: who sees how it is."""

from __future__ import annotations

from stewardapp.access.facts import Person
from stewardapp.access.verdict import Verdict, no, yes


def may_see_operations(person: Person) -> Verdict:
    """See how the installation is: no data, and no name of any."""
    if person.is_admin or person.is_officer:
        return yes()
    return no("operators-only", "Only administrators and data protection officers see how the desk is.")
