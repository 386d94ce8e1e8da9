"""Who is asking, typed: behind the door that lets nobody in without signing in."""

from django.http import HttpRequest

from stewardapp.models import User


def signed_in(request: HttpRequest) -> User:
    """The person of this request; the middleware has sent everyone else to the sign-in page."""
    user = request.user
    assert isinstance(user, User)
    return user
