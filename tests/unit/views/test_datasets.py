"""Datasets: the list, a new one, its versions."""

import pytest

from stewardapp.models import Dataset
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
