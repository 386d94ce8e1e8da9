"""Sign in, sign out, password, second factor (allauth's pages in our look), and the theme switch.

Only what the product uses is routed: nobody signs up, and there is no reset by mail.
"""

from allauth.account import views as account
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, URLResolver, include, path
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from stewardapp.context import THEME_COOKIE, THEMES

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


urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/login/", account.login, name="account_login"),
    path("accounts/logout/", account.logout, name="account_logout"),
    path("accounts/signup/", account.signup, name="account_signup"),
    path("accounts/inactive/", account.account_inactive, name="account_inactive"),
    path("accounts/password/change/", account.password_change, name="account_change_password"),
    path("accounts/reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("theme/", theme, name="theme"),
]
