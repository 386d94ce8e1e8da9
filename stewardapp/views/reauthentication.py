"""Ask for the password again before something that matters."""

from allauth.account.decorators import reauthentication_required
from django.http import HttpRequest, HttpResponse


def confirm_identity(request: HttpRequest) -> None:
    """Interrupt the request unless the person proved who they are within the last minutes.

    Called after the verdict, so that a stranger learns nothing; the interrupted request is resumed
    once the password was given.
    """
    reauthentication_required(_go_on)(request)


def _go_on(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the shape of a view
    return HttpResponse()
