"""Sign in, sign out, password, second factor (allauth's pages in our look), and the theme switch.

Only what the product uses is routed: nobody signs up, and there is no reset by mail.
"""

from collections.abc import Callable
from typing import Any

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from stewardapp.context import THEME_COOKIE, THEMES
from stewardapp.views.guessing import guarded, of_the_named, of_the_person, of_the_waiting

A_YEAR = 365 * 24 * 3600


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Pin light or dark in a cookie and go back to the page one came from."""
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure()):
        target = "/"
    answer = HttpResponseRedirect(target)
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        answer.set_cookie(THEME_COOKIE, chosen, max_age=A_YEAR, secure=request.is_secure(), samesite="Lax")
    return answer


def page(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """One of allauth's pages. Its forms would also take PUT; a browser never sends one."""
    read_or_sent: Callable[..., Any] = require_http_methods(["GET", "HEAD", "POST"])(view)
    return path(f"accounts/{address}", read_or_sent, name=name)


# What they change and its line in the audit log are one transaction; allauth sees to it on its other pages.
deactivate_totp = transaction.atomic(totp.deactivate_totp)
view_recovery_codes = transaction.atomic(recovery_codes.view_recovery_codes)

urlpatterns: list[URLPattern] = [
    page("login/", guarded(account.login, of_the_named), "account_login"),
    page("logout/", account.logout, "account_logout"),
    page("signup/", account.signup, "account_signup"),
    page("inactive/", account.account_inactive, "account_inactive"),
    page("password/change/", guarded(account.password_change, of_the_person), "account_change_password"),
    page("reauthenticate/", guarded(account.reauthenticate, of_the_person), "account_reauthenticate"),
    page("2fa/", second_factor.index, "mfa_index"),
    page("2fa/authenticate/", guarded(second_factor.authenticate, of_the_waiting), "mfa_authenticate"),
    page("2fa/reauthenticate/", guarded(second_factor.reauthenticate, of_the_person), "mfa_reauthenticate"),
    page("2fa/totp/activate/", totp.activate_totp, "mfa_activate_totp"),
    page("2fa/totp/deactivate/", deactivate_totp, "mfa_deactivate_totp"),
    page("2fa/recovery-codes/", view_recovery_codes, "mfa_view_recovery_codes"),
    page(
        "2fa/recovery-codes/generate/", recovery_codes.generate_recovery_codes, "mfa_generate_recovery_codes"
    ),
    page(
        "2fa/recovery-codes/download/", recovery_codes.download_recovery_codes, "mfa_download_recovery_codes"
    ),
    path("theme/", theme, name="theme"),
]
