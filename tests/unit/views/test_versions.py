"""Versions: how bytes were read, the masked preview, reading again, destroying."""

import pytest

from stewardapp.models import AuditEvent, Reading
from tests import factories
from tests.markup import readable


@pytest.mark.parametrize(
    ("who", "status"),
    [("steward", 200), ("reviewer", 200), ("admin", 200), ("analyst", 404), ("outsider", 404)],
)
def test_a_version_is_found_by_those_who_may_know_of_it(client_of, team, survey, who, status):
    client = client_of(team.persona(who))
    assert client.get(f"/versions/{survey.pk}/").status_code == status
    assert client.get(f"/versions/{survey.pk}/progress/").status_code == status


def test_the_page_shows_the_dialect_and_no_value(client_of, team, survey):
    page = client_of(team.steward).get(f"/versions/{survey.pk}/").content.decode()
    assert "semicolon ;" in page
    assert "x999" in page
    assert not any(value in readable(page) for value in ("P001", "1941-02-11", "cold"))


def test_an_admin_knows_of_a_version_and_does_not_look_inside(client_of, team, survey):
    page = client_of(team.admin).get(f"/versions/{survey.pk}/").content.decode()
    assert survey.sha256 in page
    assert "they do not read data" in page
    assert "x999" not in readable(page)
    assert "illness" not in page


def test_the_page_polls_while_the_file_is_read_and_reloads_at_the_end(client_of, team):
    version, client = factories.upload(team), client_of(team.steward)
    address = f"/versions/{version.pk}/progress/"
    assert f'hx-get="{address}"' in client.get(f"/versions/{version.pk}/").content.decode()
    assert "HX-Refresh" not in client.get(address).headers
    factories.read(version)
    answer = client.get(address)
    assert answer.headers["HX-Refresh"] == "true"
    assert "hx-get" not in answer.content.decode()


def test_an_error_of_reading_is_a_sentence_on_the_page(client_of, team):
    version = factories.upload(team)
    reading = version.attempt
    fence = Reading.objects.claim(reading.pk, "w", 60)
    Reading.objects.fail(reading.pk, fence, code="ragged", message="Line 7 has 3 fields; the header has 4.")
    page = client_of(team.steward).get(f"/versions/{version.pk}/").content.decode()
    assert "Line 7 has 3 fields; the header has 4." in page
    assert "Could not be read" in page


def test_a_corrected_dialect_asks_for_another_reading(client_of, team, survey):
    sent = {"delimiter": ";", "quote": "none", "encoding": "cp1252", "missing": "NA, -9"}
    client_of(team.steward).post(f"/versions/{survey.pk}/read/", sent)
    said = survey.readings.order_by("-queued_at").first().dialect
    assert said == {"delimiter": ";", "quote": "", "encoding": "cp1252", "missing": ["", "NA", "-9"]}


def test_what_is_left_open_is_found_again(client_of, team, survey):
    client_of(team.steward).post(f"/versions/{survey.pk}/read/", {})
    assert survey.readings.order_by("-queued_at").first().dialect == {"missing": [""]}


@pytest.mark.parametrize(
    ("who", "status"), [("reviewer", 403), ("admin", 403), ("analyst", 404), ("outsider", 404)]
)
@pytest.mark.parametrize("what", ["read", "columns", "cancel"])
def test_who_may_not_change_the_data_is_refused(client_of, team, survey, who, status, what):
    assert client_of(team.persona(who)).post(f"/versions/{survey.pk}/{what}/").status_code == status
    assert survey.readings.count() == 1


def test_destroying_asks_for_a_reason_and_is_final(client_of, team, survey):
    client = client_of(team.steward)
    client.post(f"/versions/{survey.pk}/destroy/", {"reason": " "})
    survey.refresh_from_db()
    assert survey.destroyed_at is None
    client.post(f"/versions/{survey.pk}/destroy/", {"reason": "Uploaded by mistake."})
    survey.refresh_from_db()
    assert survey.destroyed_at is not None
    assert "The data were destroyed." in client.get(f"/versions/{survey.pk}/").content.decode()


@pytest.mark.parametrize("page", ["read", "destroy", "cancel"])
def test_changes_are_posts(client_of, team, survey, page):
    assert client_of(team.steward).get(f"/versions/{survey.pk}/{page}/").status_code == 405


def test_a_reading_that_waits_is_cancelled_at_once_and_can_be_asked_for_again(client_of, team):
    version, client = factories.upload(team), client_of(team.steward)
    assert client.post(f"/versions/{version.pk}/cancel/").status_code == 302
    assert version.attempt.state == "cancelled"
    assert "The reading was cancelled." in client.get(f"/versions/{version.pk}/").content.decode()
    assert AuditEvent.objects.latest("id").action == "reading.cancel-requested"
    client.post(f"/versions/{version.pk}/read/", {})
    assert version.attempt.state == "queued"


def test_a_reading_at_work_stops_at_its_next_checkpoint(client_of, team):
    version, client = factories.upload(team), client_of(team.steward)
    reading = version.attempt
    fence = Reading.objects.claim(reading.pk, "w", 60)
    client.post(f"/versions/{version.pk}/cancel/")
    assert not Reading.objects.progress(reading.pk, fence, percent=10, stage="reading")
    page = client.get(f"/versions/{version.pk}/").content.decode()
    assert "Stopping at the next checkpoint." in page
    assert "already being cancelled" in page


def test_a_reading_that_ended_cannot_be_cancelled(client_of, team, survey):
    answer = client_of(team.steward).post(f"/versions/{survey.pk}/cancel/")
    assert answer.status_code == 403
    assert "already ended" in answer.content.decode()
