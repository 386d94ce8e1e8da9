"""Uploads: resumable, in one request, and refused in time."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from stewardapp import storage
from stewardapp.models import Upload, UploadState, Version
from tests import factories
from worker.sealed import FRAME_BYTES

PIECE = "application/offset+octet-stream"


@pytest.fixture
def dataset(team):
    return factories.make_dataset(team)


def announced(client, dataset, length, filename="survey.csv"):
    said = {"filename": filename, "dataset": str(dataset.pk)}
    metadata = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in said.items())
    headers = {"Upload-Length": str(length), "Upload-Metadata": metadata, "Tus-Resumable": "1.0.0"}
    return client.post("/uploads/", headers=headers)


def sent(client, address, offset, data):
    return client.patch(address, data, content_type=PIECE, headers={"Upload-Offset": str(offset)})


def test_a_file_in_pieces_becomes_a_version_with_its_hash(client_of, team, dataset):
    client, data = client_of(team.steward), bytes(range(256)) * 8192
    address = announced(client, dataset, len(data)).headers["Location"]
    assert sent(client, address, 0, data[:FRAME_BYTES]).headers["Upload-Offset"] == str(FRAME_BYTES)
    assert client.head(address).headers["Upload-Offset"] == str(FRAME_BYTES)
    assert sent(client, address, FRAME_BYTES, data[FRAME_BYTES:]).status_code == 204
    version = Version.objects.get()
    with storage.reading(version.raw) as reader:
        assert reader.read() == data
    assert client.get(address).url == f"/versions/{version.pk}/"


def test_a_piece_from_the_wrong_place_is_a_conflict(client_of, team, dataset):
    client = client_of(team.steward)
    address = announced(client, dataset, 100).headers["Location"]
    answer = sent(client, address, 50, b"x" * 50)
    assert answer.status_code == 409
    assert "stands at byte 0" in answer.content.decode()


def test_more_bytes_than_announced_are_refused(client_of, team, dataset):
    client = client_of(team.steward)
    address = announced(client, dataset, 10).headers["Location"]
    assert sent(client, address, 0, b"x" * 20).status_code == 400
    assert not Version.objects.exists()


@pytest.mark.parametrize("length", [0, -5, "", "many", 10**15])
def test_a_length_that_cannot_be_is_refused_before_the_first_byte(client_of, team, dataset, length):
    answer = announced(client_of(team.steward), dataset, length)
    assert answer.status_code == 400
    assert not Upload.objects.exists()


def test_the_limit_is_named_when_it_is_exceeded(client_of, team, dataset, settings):
    settings.STEWARD_MAX_UPLOAD = 5_000_000
    answer = announced(client_of(team.steward), dataset, 6_000_000)
    assert "limit of 5.0\u00a0MB" in answer.content.decode()


def test_giving_up_destroys_what_arrived(client_of, team, dataset):
    client = client_of(team.steward)
    address = announced(client, dataset, 100).headers["Location"]
    assert client.delete(address).status_code == 204
    assert Upload.objects.get().state == UploadState.ABANDONED
    assert client.head(address).status_code == 410


@pytest.mark.parametrize("who", ["outsider", "co_steward", "reviewer", "admin"])
def test_nobody_else_finds_an_upload(client_of, team, dataset, who):
    address = announced(client_of(team.steward), dataset, 100).headers["Location"]
    other = client_of(team.persona(who))
    assert other.head(address).status_code == 404
    assert sent(other, address, 0, b"x").status_code == 404
    assert other.delete(address).status_code == 404


@pytest.mark.parametrize(
    ("who", "status"), [("outsider", 404), ("analyst", 404), ("reviewer", 403), ("admin", 403)]
)
def test_who_may_not_upload_is_refused_at_the_first_step(client_of, team, dataset, who, status):
    client = client_of(team.persona(who))
    assert announced(client, dataset, 100).status_code == status
    assert client.get(f"/datasets/{dataset.pk}/upload/").status_code == status
    assert (
        client.post(f"/datasets/{dataset.pk}/upload/", {"file": posted(b"a,b\n1,2\n")}).status_code == status
    )
    assert not Upload.objects.exists()


def posted(data, name="survey.csv"):
    return SimpleUploadedFile(name, data)


def test_one_request_without_scripts_does_the_same(client_of, team, dataset):
    data = factories.CSV * 3000
    answer = client_of(team.steward).post(f"/datasets/{dataset.pk}/upload/", {"file": posted(data)})
    version = Version.objects.get()
    assert answer.url == f"/versions/{version.pk}/"
    with storage.reading(version.raw) as reader:
        assert reader.read() == data


def test_no_temporary_file_outlives_the_request(client_of, team, dataset, tmp_path):
    client_of(team.steward).post(f"/datasets/{dataset.pk}/upload/", {"file": posted(factories.CSV)})
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_is_posted_lies_on_the_disk_in_sealed_form_only(client_of, team, dataset, tmp_path):
    secret = b"canary-7141"
    client_of(team.steward).post(f"/datasets/{dataset.pk}/upload/", {"file": posted(b"a\n" + secret + b"\n")})
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert not any(secret in path.read_bytes() for path in kept)


@pytest.mark.parametrize("files", [{}, {"file": posted(b"")}])
def test_an_empty_choice_gets_a_sentence(client_of, team, dataset, files):
    answer = client_of(team.steward).post(f"/datasets/{dataset.pk}/upload/", files)
    assert answer.status_code == 422
    assert "Choose a file that is not empty." in answer.content.decode()


def test_a_request_that_is_too_large_is_refused_unread(client_of, team, dataset, settings):
    settings.STEWARD_MAX_UPLOAD = 1000
    data = posted(b"x" * 200_000)
    answer = client_of(team.steward).post(f"/datasets/{dataset.pk}/upload/", {"file": data})
    assert answer.status_code == 413
    assert "at most 1.0\u00a0kB can be uploaded" in answer.content.decode()
    assert not Upload.objects.exists()


def test_a_request_of_unknown_length_is_refused_in_words(client_of, team, dataset):
    address, data = f"/datasets/{dataset.pk}/upload/", {"file": posted(factories.CSV)}
    answer = client_of(team.steward).post(address, data, headers={"content-length": ""})
    assert answer.status_code == 411
    assert "does not say how long it is" in answer.content.decode()


def test_a_post_without_a_token_is_refused_before_anything_is_kept(team, dataset, tmp_path):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(team.steward)
    answer = client.post(f"/datasets/{dataset.pk}/upload/", {"file": posted(factories.CSV)})
    assert answer.status_code == 403
    assert not Upload.objects.exists()


def test_a_file_sent_to_a_page_that_takes_none_is_thrown_away(client_of, team, tmp_path):
    answer = client_of(team.admin).post("/projects/new/", {"name": "Plain", "file": posted(b"secret")})
    assert answer.status_code == 302
    assert not (tmp_path / "temporary").exists()


def test_limits_are_said_before(client_of, team, dataset, settings):
    settings.STEWARD_MAX_UPLOAD = 7_000_000
    page = client_of(team.steward).get(f"/datasets/{dataset.pk}/upload/").content.decode()
    assert "up to 7.0\u00a0MB" in page


def test_the_bare_address_leads_a_person_to_the_form(client_of, team):
    assert client_of(team.steward).get("/uploads/").url == "/datasets/new/"
    assert client_of(team.steward).put("/uploads/").status_code == 405
