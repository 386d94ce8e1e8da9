"""Kinds that were guessed: one button confirms one, another one all that a page lists."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import columns as actions
from stewardapp.models import Version
from stewardapp.views.people import signed_in

ALL = "all"
LAST = "kinds-confirmed"


def confirm(request: HttpRequest, version: Version, wanted: str) -> None:
    """Confirm the kind of the column at a place, or of all that were shown; as they were shown."""
    require(rules.may_tag(version.person(signed_in(request)), version.facts()))
    places = {f"kind-{column.position}": column for column in version.columns.filter(kind_confirmed=False)}
    asked = places if wanted == ALL else {f"kind-{wanted}"} & places.keys()
    kinds = {places[place].name: request.POST[place] for place in asked if place in request.POST}
    if not kinds:
        messages.info(request, "There was nothing left to confirm.")
        return
    actions.confirm_kinds(version=version, kinds=kinds, by=signed_in(request))
    request.session[LAST] = {"reading": str(version.current_id), "kinds": kinds}
    said = ", ".join(f"{name} is {kind}" for name, kind in kinds.items())
    messages.success(request, f"Confirmed: {said}.")


def last_confirmed(request: HttpRequest, version: Version) -> Mapping[str, str]:
    """What this person confirmed last of this reading, as far as it still stands."""
    kept: Any = request.session.get(LAST) or {}
    if kept.get("reading") != str(version.current_id):
        return {}
    standing = {one.name: one.kind for one in version.columns.filter(kind_confirmed=True)}
    return {name: kind for name, kind in kept["kinds"].items() if standing.get(name) == kind}


def take_back(request: HttpRequest, version: Version) -> None:
    """Make guesses again of what was confirmed last."""
    require(rules.may_tag(version.person(signed_in(request)), version.facts()))
    kinds = last_confirmed(request, version)
    request.session.pop(LAST, None)
    if not kinds:
        messages.info(request, "There is nothing to take back.")
        return
    actions.confirm_kinds(version=version, kinds=kinds, confirmed=False, by=signed_in(request))
    messages.success(request, f"Guesses again: {', '.join(kinds)}.")
