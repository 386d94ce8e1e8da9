"""Every address × method × persona × state of a release: who sees what, who may, what is written and opened.

What an address needs is made once for each method and state; every persona then finds it untouched.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

import pytest
from django.urls import reverse

from stewardapp.admin import site
from tests.integration.url_scene import (
    PERSONAS,
    Asked,
    Scene,
    addresses,
    browser,
    nobody,
    scene,
    writes,
)
from tests.integration.url_table import TABLE, Request, Row
from tests.sampling import WHOLE
from tests.scenes import undone

__all__ = ["scene"]
pytestmark = pytest.mark.django_db
RAW = frozenset({"raw", "table"})
"""An uploaded file and the table it was read into; what pages know of values was kept by the reading."""
METHODS = ("get", "head", "post", "put", "patch", "delete")


def test_the_table_names_every_address_and_no_other() -> None:
    names = [pattern.name for pattern in addresses()]
    assert None not in names
    assert len(set(names)) == len(names)
    assert set(names) == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_who_gets_what(scene: Scene, name: str) -> None:
    row, wrong = TABLE[name], []
    for label in row.places:
        for method, door in row.doors(label).items():
            with undone():
                request = Request.valid(scene, name, label, method)
                for persona in who_asks(row, label, method):
                    where = f"{label} {method} {persona}"
                    wrong += complaints(row, method, request.by(persona), door.expected(persona), where)
    assert wrong == [], "\n".join(map(str, wrong))


def who_asks(row: Row, label: str, method: str) -> Sequence[str]:
    """Everybody, where a door is met for the first time; in every other state with the same door one of those
    who are answered alike, in turn. `make faults` lets everybody ask everywhere."""
    door = row.doors(label)[method]
    earlier = row.places[: row.places.index(label)]
    met = sum(row.doors(one).get(method) == door for one in earlier)
    if not met or WHOLE:
        return PERSONAS
    alike: dict[str, list[str]] = {}
    for persona in PERSONAS:
        alike.setdefault(door.expected(persona), []).append(persona)
    return [people[met % len(people)] for people in alike.values()]


def complaints(row: Row, method: str, asked: Asked, expected: str, where: str) -> Iterator[str]:
    """What is not as the table says: the answer, or what was written; and no page opens raw data."""
    if opened := RAW.intersection(asked.opened):
        yield f"{where}: opened {sorted(opened)}"
    if asked.outcome != expected:
        yield f"{where}: {asked.outcome} instead of {expected}"
    elif expected != "yes" and asked.writes:
        yield f"{where}: refused, but wrote {asked.writes}"
    elif expected == "yes" and method in row.records and not (asked.events or row.writes_unlogged):
        yield f"{where}: done, but no line in the audit log"
    elif expected == "yes" and method not in row.records and asked.writes and not row.writes_unlogged:
        yield f"{where}: wrote {asked.writes}"


@pytest.mark.parametrize("name", TABLE)
def test_no_other_method_is_understood(scene: Scene, name: str) -> None:
    row = TABLE[name]
    label = row.places[-1]
    known, doors = {*row.doors(label), "head"}, row.doors(label).values()
    persona = next((one for one in PERSONAS[1:] if any(one in door.sees for door in doors)), "steward")
    for method in METHODS:
        if method not in known:
            with undone():
                asked = Request.valid(scene, name, label, method).by(persona)
            assert (method, asked.outcome, asked.writes) == (method, "405", ())


# The administration: only administrators come in, and there is one way in


def administration() -> Iterator[str]:
    """Every address of the administration, with ids that nothing has."""
    for pattern in addresses(site.urls[0]):
        if pattern.name:
            yield reverse(f"admin:{pattern.name}", kwargs=dict.fromkeys(pattern.pattern.converters, nobody()))


@pytest.mark.parametrize("persona", [one for one in PERSONAS if one != "admin"])
def test_only_administrators_enter_the_administration(scene: Scene, persona: str) -> None:
    wrong = []
    for url in administration():
        for method in ("get", "post"):
            with undone():
                asked = scene.ask(persona, method, url, follow=True)
            signs_in = b'name="login"' in asked.answer.content
            if asked.writes or not (signs_in or asked.outcome in ("403", "405")):
                wrong.append((method, url, asked.outcome, asked.writes))
    assert wrong == [], "\n".join(map(str, wrong))


def test_administrators_administer_people_and_projects_only(scene: Scene) -> None:
    for url in administration():
        with undone():
            asked = scene.ask("admin", "get", url)
        if url.startswith("/admin/stewardapp/") and str(uuid.UUID(int=0)) not in url:
            assert (url, asked.outcome, asked.writes) == (url, "yes", ())


@pytest.mark.parametrize(
    "name", ["release-publish", "release-revoke", "review-decide", "project-key", "proposal-confirm"]
)
def test_what_matters_asks_for_the_password_again(scene: Scene, name: str) -> None:
    row = TABLE[name]
    label, persona = {
        "release-publish": ("approved", "steward"),
        "release-revoke": ("published", "steward"),
        "review-decide": ("in-review", "reviewer"),
        "project-key": ("draft", "steward"),
        "proposal-confirm": ("draft", "co_steward"),
    }[name]
    place, client = scene.places[label], browser(scene.person(persona), confirmed=False)
    with undone():
        url = reverse(name, kwargs=row.args(scene, place))
        with writes() as written:
            answer = client.post(url, row.sends(scene, place))
    assert answer["Location"].startswith(reverse("account_reauthenticate"))
    assert written == []
