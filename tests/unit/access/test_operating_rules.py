"""Who sees how the machine is."""

import uuid

from stewardapp.access.facts import Person
from stewardapp.access.roles import Role
from stewardapp.access.rules import may_see_operations


def test_those_who_serve_the_site_and_nobody_else() -> None:
    assert may_see_operations(Person(id=uuid.uuid4(), is_admin=True))
    assert may_see_operations(Person(id=uuid.uuid4(), is_officer=True))
    assert not may_see_operations(Person(id=uuid.uuid4(), roles=frozenset(Role)))
    assert not may_see_operations(Person())
