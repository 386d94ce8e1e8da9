"""Datasets: the list, a new one, its versions."""

import pytest

from stewardapp.models import Dataset, Reading
from tests import factories


@pytest.mark.parametrize(
    ("who", "status"),
    [("steward", 200), ("reviewer", 200), ("admin", 200), ("analyst", 404), ("outsider", 404)],
)
def test_a_dataset_is_found_by_those_who_may_see_data(client_of, team, who, status):
    dataset = factories.make_dataset(team)
    client = client_of(team.persona(who))
    assert client.get(f"/datasets/{dataset.pk}/").status_code == status
    assert (dataset.name in client.get("/datasets/").content.decode()) == (status == 200)


def asked(team, **changes):
    return {"project": str(team.project.pk), "name": "Health survey", "new_population": "Adults", **changes}


def test_a_steward_names_a_dataset_with_a_new_population_and_goes_to_the_file(client_of, team):
    answer = client_of(team.steward).post("/datasets/new/", asked(team))
    dataset = Dataset.objects.get(name="Health survey")
    assert dataset.population.name == "Adults"
    assert answer.url == f"/datasets/{dataset.pk}/upload/"


def test_a_known_population_can_be_chosen(client_of, team):
    population = factories.make_population(team)
    client_of(team.steward).post(
        "/datasets/new/", asked(team, population=str(population.pk), new_population="")
    )
    assert Dataset.objects.get().population == population


@pytest.mark.parametrize("population", [{"new_population": ""}, {"population": "known"}])
def test_exactly_one_population_is_asked_for(client_of, team, population):
    known = factories.make_population(team)
    sent = asked(team, **{name: str(known.pk) if value else "" for name, value in population.items()})
    assert client_of(team.steward).post("/datasets/new/", sent).status_code == 422
    assert not Dataset.objects.exists()


@pytest.mark.parametrize("who", ["reviewer", "analyst", "outsider", "admin"])
def test_nobody_else_names_a_dataset(client_of, team, who):
    assert client_of(team.persona(who)).post("/datasets/new/", asked(team)).status_code == 422
    assert not Dataset.objects.exists()


def test_another_teams_project_cannot_be_chosen(client_of, team):
    other = factories.make_project()
    answer = client_of(team.steward).post("/datasets/new/", asked(team, project=str(other.project.pk)))
    assert answer.status_code == 422
    assert not Dataset.objects.exists()


def test_a_taken_name_is_said_on_its_field(client_of, team):
    name = factories.make_dataset(team).name
    answer = client_of(team.steward).post("/datasets/new/", asked(team, name=name))
    assert answer.status_code == 422
    assert "Another dataset of this project has this name" in answer.content.decode()


def removal(client, dataset):
    return client.post(f"/datasets/{dataset.pk}/remove/").status_code


def test_an_empty_dataset_is_removed_and_its_name_is_free_again(client_of, team):
    dataset, client = factories.make_dataset(team), client_of(team.steward)
    assert "Remove the dataset" in client.get(f"/datasets/{dataset.pk}/").content.decode()
    assert removal(client, dataset) == 302
    assert client.get(f"/datasets/{dataset.pk}/").status_code == 404
    assert dataset.name not in client.get("/datasets/").content.decode().replace("is removed", "")
    factories.datasets.create(
        project=team.project, population=dataset.population, name=dataset.name, by=team.steward
    )


def test_what_arrived_of_a_file_that_could_not_be_read_is_destroyed_with_its_dataset(client_of, team):
    version = factories.upload(team)
    client = client_of(team.steward)
    assert removal(client, version.dataset) == 403  # a worker is reading
    reading = version.readings.get()
    fence = Reading.objects.claim(reading.pk, "w", 60)
    Reading.objects.fail(reading.pk, fence, code="ragged", message="Line 3 is ragged.")
    assert removal(client, version.dataset) == 302
    version.refresh_from_db()
    assert version.destroyed_at is not None


def test_data_and_what_was_made_from_them_keep_their_dataset(client_of, team):
    client = client_of(team.steward)
    held = factories.read(factories.upload(team))
    made = factories.make_release(team).version
    for version in (held, made):
        assert removal(client, version.dataset) == 403
        assert "Remove the dataset" not in client.get(f"/datasets/{version.dataset_id}/").content.decode()
