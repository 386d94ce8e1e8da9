"""The settings of one column: stored, refused in words, taken back."""

import pytest

from stewardapp.actions import columns
from stewardapp.models import AuditEvent, Column
from tests import factories

NOTHING = {"label": "", "lower": "", "upper": "", "bin_width": "", "categories": ""}


@pytest.fixture
def age(team):
    return factories.make_version(team).columns.get(name="age")


def sent(client, column, **values):
    return client.post(f"/columns/{column.pk}/settings/", {"kind": column.kind, **NOTHING, **values})


def test_bounds_bins_and_categories_are_stored_with_one_event(client_of, team, age):
    before = AuditEvent.objects.count()
    answer = sent(
        client_of(team.steward),
        age,
        kind="decimal",
        label="Age in years",
        lower="0",
        upper="120.5",
        bin_width="5",
        categories="1\r\n2",
        provenance="The questionnaire",
    )
    assert answer.status_code == 302
    age.refresh_from_db()
    assert (age.kind, age.label) == ("decimal", "Age in years")
    declared = {"bounds": [0, 120.5], "bin_width": 5, "categories": ["1", "2"]}
    assert age.settings == {**declared, "provenance": "The questionnaire"}
    assert AuditEvent.objects.count() == before + 1
    page = client_of(team.steward).get(f"/columns/{age.pk}/settings/").content.decode()
    assert 'value="120.5"' in page


def test_taking_back_takes_the_confirmation_back_too(client_of, team, age):
    client = client_of(team.steward)
    address = f"/columns/{age.pk}/settings/"
    assert not age.kind_confirmed
    sent(client, age, lower="0", upper="9")
    age.refresh_from_db()
    assert age.kind_confirmed
    client.post(address, {"undo": "yes"})
    age.refresh_from_db()
    assert not age.kind_confirmed
    sent(client, age, lower="0", upper="9")
    sent(client, age, lower="0", upper="99")
    client.post(address, {"undo": "yes"})
    age.refresh_from_db()
    assert age.kind_confirmed, "it was confirmed before that change"


def test_what_was_said_of_another_reading_is_not_taken_back(client_of, team):
    version = factories.make_version(team)
    age, client = version.columns.get(name="age"), client_of(team.steward)
    sent(client, age, kind="decimal")
    factories.read_again(version, team.steward, profile=factories.PROFILE)
    answer = client.post(f"/columns/{age.pk}/settings/", {"undo": "yes"}, follow=True)
    assert "nothing to take back" in answer.content.decode()
    age.refresh_from_db()
    assert (age.kind, age.kind_confirmed) == ("decimal", True)


def test_the_last_save_can_be_taken_back_once(client_of, team, age):
    client = client_of(team.steward)
    sent(client, age, lower="0", upper="9")
    sent(client, age, lower="0", upper="99", label="Age")
    address = f"/columns/{age.pk}/settings/"
    assert "Take back" in client.get(address).content.decode()
    client.post(address, {"undo": "yes"})
    age.refresh_from_db()
    assert (age.settings, age.label) == ({"bounds": [0, 9]}, "")
    assert "Take back" not in client.get(address).content.decode()
    assert "nothing to take back" in client.post(address, {"undo": "yes"}, follow=True).content.decode()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"lower": "1"}, "Give both bounds, or none."),
        ({"lower": "9", "upper": "1"}, "must be above the lowest"),
        ({"lower": "a", "upper": "2"}, "Write a number"),
        ({"lower": "0.5", "upper": "2"}, "Write a whole number"),
        ({"lower": "1e99", "upper": "2e99"}, "at most 30 digits"),
        ({"kind": "date", "lower": "1.1.1990", "upper": "2000-01-01"}, "year-month-day"),
        ({"kind": "text", "lower": "a", "upper": "b"}, "Only numbers and dates have bounds"),
        ({"bin_width": "-1"}, "above 0"),
        ({"categories": "a\nb\na"}, "written twice"),
        ({"kind": "emperor"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(client_of, team, age, values, sentence):
    answer = sent(client_of(team.steward), age, **values)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert Column.objects.get(pk=age.pk).settings == {}


def test_dates_have_bounds_of_dates(client_of, team, age):
    sent(client_of(team.steward), age, kind="date", lower="1920-01-01", upper="2020-12-31")
    age.refresh_from_db()
    assert age.settings == {"bounds": ["1920-01-01", "2020-12-31"]}


def test_consent_and_weight_have_a_field_of_their_own(client_of, team, age):
    client, version = client_of(team.steward), age.version
    columns.tag(
        version=version, roles={"age": "weight", "zip": "consent"}, granted={"zip": ["1"]}, by=team.steward
    )
    sent(client, age, release_weight="on")
    age.refresh_from_db()
    assert age.release_weight
    consent = version.columns.get(name="zip")
    assert sent(client, consent, granted=" , ").status_code == 422
    assert sent(client, consent, granted="yes, 1").status_code == 302
    consent.refresh_from_db()
    assert consent.settings == {"granted": ["yes", "1"]}


@pytest.mark.parametrize(
    ("who", "seen", "stored"),
    [
        ("steward", 200, 302),
        ("reviewer", 200, 403),
        ("admin", 404, 404),
        ("analyst", 404, 404),
        ("outsider", 404, 404),
    ],
)
def test_who_may_look_and_who_may_change(client_of, team, age, who, seen, stored):
    client = client_of(team.persona(who))
    assert client.get(f"/columns/{age.pk}/settings/").status_code == seen
    assert sent(client, age, label="x").status_code == stored
