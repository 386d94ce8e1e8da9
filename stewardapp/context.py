"""What every page knows: the navigation, who is signed in, the theme."""

from functools import cache
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from stewardapp.access.rules import may_see_operations
from stewardapp.models import User
from stewardapp.models.membership import person_on_site
from stewardapp.reads.releases import count_waiting

THEME_COOKIE = "theme"
THEMES = frozenset({"light", "dark"})

# label, URL name, and the nouns whose pages belong to it
NAVIGATION = (
    ("Home", "home", ("home",)),
    ("Projects", "project-list", ("project", "survey", "replay")),
    ("Datasets", "dataset-list", ("dataset", "version", "upload", "column", "hierarchy")),
    ("Budgets", "population-list", ("population", "allotment", "proposal")),
    ("Query desk", "desk-list", ("desk", "question")),
    ("Releases", "release-list", ("release", "run")),
    ("Reviews", "review-list", ("review",)),
    ("Catalogue", "catalogue-list", ("catalogue", "artifact")),
    ("Methods", "method-list", ("method",)),
    ("Audit", "audit-list", ("audit",)),
)
OPERATORS = (("Operations", "operations", ("operations",)),)


class Item(NamedTuple):
    """One entry of the navigation."""

    label: str
    url: str
    current: bool
    waiting: int


def desk(request: HttpRequest) -> dict[str, object]:
    """The context processor: `desk.theme` always, the rest once somebody is signed in."""
    user = getattr(request, "user", None)
    facts: dict[str, object] = {"theme": theme_of(request), "nav": [], "initials": ""}
    if isinstance(user, User):
        outside = getattr(request, "kept_outside", False)  # who first has to set up a second factor
        navigation = [] if outside else _navigation(request, user)
        facts |= {"nav": navigation, "initials": _initials(user)}
    return {"desk": facts}


def theme_of(request: HttpRequest) -> str:
    """The theme somebody pinned, or an empty string: then the system decides."""
    chosen = request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


def _navigation(request: HttpRequest, user: User) -> list[Item]:
    match = request.resolver_match
    noun = (match.url_name or "").partition("-")[0] if match else ""
    waiting = {"review-list": count_waiting(user)}
    theirs = OPERATORS if may_see_operations(person_on_site(user)) else ()
    return [
        Item(label, _address(name), noun in nouns, waiting.get(name, 0))
        for label, name, nouns in (*NAVIGATION, *theirs)
    ]


@cache
def _address(name: str) -> str:
    return reverse(name)


def _initials(user: User) -> str:
    words = (user.get_full_name() or user.get_username()).replace("_", " ").replace(".", " ").split()
    return ("".join(word[0] for word in words[:2]) if len(words) > 1 else words[0][:2]).upper()
