"""What people change about their own accounts is written down, by whichever page they change it."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from django.test import Client
from django.urls import reverse

from stewardapp.models import AuditEvent
from tests import factories

pytestmark = pytest.mark.django_db
OLD, NEW = "a long walk by the sea", "a longer walk by the lake"


def test_a_changed_password_is_in_the_audit_log_without_the_password(client: Client) -> None:
    person = factories.make_user("somebody")
    person.set_password(OLD)
    person.save()
    client.force_login(person)
    before = AuditEvent.objects.count()
    answer = client.post(
        reverse("account_change_password"), {"oldpassword": OLD, "password1": NEW, "password2": NEW}
    )
    assert answer.status_code == 302, answer.content.decode()
    [event] = AuditEvent.objects.order_by("id")[before:]
    assert (event.action, event.actor) == ("account.password-changed", person)
    assert NEW not in str(event.details)


def test_a_second_factor_is_in_the_audit_log() -> None:
    person = factories.make_user("somebody")
    authenticator_added.send(sender=Authenticator, request=None, user=person, authenticator=None)
    assert AuditEvent.objects.latest("id").action == "account.factor-added"
