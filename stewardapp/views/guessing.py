"""Doors at which a password or a code is tried: who guesses waits, and known browsers are known."""

from __future__ import annotations

import hashlib
import ipaddress
import math
import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY as PROOFS
from allauth.account.internal.stagekit import get_pending_stage
from django.contrib.auth import HASH_SESSION_KEY
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import salted_hmac

from stewardapp.access.guessing import Shared
from stewardapp.actions import guesses
from stewardapp.actions.guesses import Under
from stewardapp.models import User

KNOWN_FOR = timedelta(days=365)
LONGEST_NAME = 150
SIGNER = TimestampSigner(salt="browsers in which somebody signed in")
View = Callable[..., HttpResponseBase]
Tried = tuple[User | None, list[Under]]
"""Whose secret is tried, and what the guess has in common with others."""


def guarded(view: View, whose: Callable[[HttpRequest], Tried]) -> View:
    """Count what is posted here as a guess, until the view has taken it for a proof.

    That it leads on elsewhere proves nothing: whoever has no business at a door is led on too.
    """

    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        user, unders = whose(request)
        if wait := guesses.begin(unders=unders):
            return _told_to_wait(request, wait)
        proofs = _proofs(request)
        answer = view(request, *args, **kwargs)
        if _proofs(request) - proofs:
            guesses.proved(unders=unders)
            _remember(request, answer)
        else:
            guesses.failed(unders=unders, user=user)
        return answer

    door.__dict__["is_guarded"] = True
    return door


def _proofs(request: HttpRequest) -> set[str]:
    """What this session has proven: each secret that was given, the password it holds by, a code it owes."""
    session, owing = request.session, _owes_a_code(request)
    known = {f"given {proof}" for proof in session.get(PROOFS, ())}
    known |= {f"password {session[HASH_SESSION_KEY]}"} if HASH_SESSION_KEY in session else set()
    return known | ({f"owes a code {owing.pk}"} if owing else set())


# Whose secret is tried at which door


def of_the_person(request: HttpRequest) -> Tried:
    """Of whoever is in, and proves it again; of nobody else."""
    if isinstance(request.user, User):
        return request.user, [Under(Shared.PERSON, str(request.user.pk))]
    return None, [_address(request)]


def of_the_named(request: HttpRequest) -> Tried:
    """The password of whom the form names, however it writes the name."""
    if isinstance(request.user, User):
        return of_the_person(request)
    name = request.POST.get("login", "").strip().lower()[:LONGEST_NAME].replace("\0", "")
    user = User.objects.filter(username__iexact=name).first()
    return user, _apart(request, user, f"{user.pk}" if user else name)


def of_the_waiting(request: HttpRequest) -> Tried:
    """The code of who gave the password: who does not know that cannot close this door.

    Counted apart from passwords: who knows the password would else clear the count of codes with it.
    """
    user = _owes_a_code(request)
    return (user, _apart(request, user, f"code of {user.pk}")) if user else of_the_person(request)


def _apart(request: HttpRequest, user: User | None, tried: str) -> list[Under]:
    browser = _known_browser(request, user) if user else ""
    if browser:
        return [Under(Shared.BROWSER, f"{browser} {tried}")]
    return [Under(Shared.ACCOUNT, tried), _address(request)]


def _address(request: HttpRequest) -> Under:
    return Under(Shared.ADDRESS, network(request.META["REMOTE_ADDR"]))


def _owes_a_code(request: HttpRequest) -> User | None:
    stage = get_pending_stage(request)
    user = stage.login.user if stage else None
    return user if isinstance(user, User) else None


def network(address: str) -> str:
    """An address, or of the new kind the network that one customer has to himself."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(known if known.version == 4 else ipaddress.ip_network((known, 64), strict=False))


def _told_to_wait(request: HttpRequest, wait: timedelta) -> HttpResponse:
    seconds = math.ceil(wait.total_seconds())
    shown = {"seconds": seconds, "minutes": math.ceil(seconds / 60)}
    answer = render(request, "account/locked.html", shown, status=429)
    answer.headers["Retry-After"] = str(seconds)
    return answer


# Browsers


def cookie_of(user: User) -> str:
    """The cookie's name: people who share a browser have one each, and it does not say who."""
    return f"steward_browser_{hashlib.sha256(user.pk.bytes).hexdigest()[:12]}"


def _epoch(user: User) -> str:
    """Ends with the password: a browser is no longer known once it was changed."""
    return salted_hmac("browsers", f"{user.pk} {user.get_session_auth_hash()}").hexdigest()[:32]


def _known_browser(request: HttpRequest, user: User) -> str:
    """The id of the browser if this person signed in in it before."""
    try:
        text = SIGNER.unsign(request.COOKIES.get(cookie_of(user), ""), max_age=KNOWN_FOR)
    except BadSignature:
        return ""
    browser, _, epoch = text.partition(".")
    return browser if secrets.compare_digest(epoch, _epoch(user)) else ""


def _remember(request: HttpRequest, answer: HttpResponseBase) -> None:
    """Know the browser from now on, if somebody is in."""
    user = request.user
    if not isinstance(user, User):
        return
    browser = _known_browser(request, user) or secrets.token_hex(16)
    answer.set_cookie(
        cookie_of(user), SIGNER.sign(f"{browser}.{_epoch(user)}"), max_age=KNOWN_FOR, path="/accounts/",
        secure=request.is_secure(), httponly=True, samesite="Lax",
    )  # fmt: skip
