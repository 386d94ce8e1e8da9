"""Sign in, sign out, password, second factor (allauth's pages in our look), and the theme switch.

Only what the product uses is routed: nobody signs up, and administrators make links to choose a password by.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from stewardapp.actions import accounts
from stewardapp.context import THEME_COOKIE, THEMES
from stewardapp.models import User
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


def link_to_choose_password(request: HttpRequest, user: User) -> str:
    """The whole address at which its holder chooses a password; no log keeps what stands behind the path."""
    address = reverse("account_choose_password", kwargs={"account": user.pk})
    return request.build_absolute_uri(f"{address}?{urlencode({'token': accounts.LINKS.make_token(user)})}")


@login_not_required
@never_cache
@sensitive_post_parameters()
def choose_password(request: HttpRequest, account: UUID) -> HttpResponse:
    """Choose a password by a link that an administrator made."""
    user = User.objects.filter(pk=account, is_active=True).first()
    if user is None or not accounts.LINKS.check_token(user, request.GET.get("token")):
        return render(request, "account/link_gone.html", status=410)
    form = SetPasswordForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        accounts.choose_password(password=form.cleaned_data["new_password1"], by=user)
        messages.success(request, "Your password is set. Sign in with it.")
        return redirect("account_login")
    return render(request, "account/choose_password.html", {"form": form, "account": user})


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
    page("password/choose/<uuid:account>/", choose_password, "account_choose_password"),
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
