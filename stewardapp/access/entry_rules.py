"""The rule about coming in at all: who has to have a second factor first."""

from __future__ import annotations

from dataclasses import dataclass

from stewardapp.access.verdict import Verdict, no, yes

HOW = "Set one up to go on: you need an authenticator app, and it takes a minute."


@dataclass(frozen=True, slots=True)
class Standing:
    """Somebody who signed in, apart from any project.

    `serves_site` is for administrators and data protection officers, `asked_to` for reviewers in a project
    whose policy wants it, `on_site` for an installation with real users on a network.
    """

    second_factor: bool = False
    serves_site: bool = False
    asked_to: bool = False
    on_site: bool = False


def may_enter(standing: Standing) -> Verdict:
    """Use anything but the pages that set up a second factor."""
    if standing.second_factor:
        return yes()
    if standing.on_site and standing.serves_site:
        who = "Administrators and data protection officers sign in with a second factor."
        return no("second-factor", f"{who} {HOW}")
    if standing.asked_to:
        who = "A project in which you are a reviewer asks its reviewers for a second factor."
        return no("second-factor", f"{who} {HOW}")
    return yes()
