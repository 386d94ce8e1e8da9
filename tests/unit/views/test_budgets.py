"""The page of a budget: what is left, what it means, who changes it."""

import uuid
from html import unescape

import pytest

from stewardapp.actions import budgets, ledger, proposals, releases
from stewardapp.models import Allotment, Proposal, Query
from tests import factories
from worker.engine.privacy import Protected, Spend


@pytest.fixture
def version(team):
    return factories.make_version(team)


@pytest.fixture
def allotment(team, version):
    return factories.give_budget(team, version.dataset.population, Spend.of(1, 1e-9))


@pytest.fixture
def bought(team, version, allotment):
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(1, 1e-9), by=team.steward)
    for number in (1, 2):
        ledger.charge_query(
            query=uuid.uuid4(),
            version=version,
            cost=Spend.of(0.1 * number),
            what=f"Question {number}",
            by=team.analyst,
        )
    return version.dataset.population


def page(client, population, status=200):
    answer = client.get(f"/populations/{population.pk}/budget/")
    assert answer.status_code == status
    return unescape(" ".join(answer.content.decode().split()))


def test_a_new_population_has_nothing_and_says_so(client_of, team):
    text = page(client_of(team.analyst), factories.make_population(team))
    assert "Nothing was bought yet" in text
    assert "without a part a project can buy nothing" in text


def test_what_is_left_what_was_bought_and_what_it_means(client_of, team, bought):
    text = page(client_of(team.steward), bought)
    for said in (
        "ε = 0.7, δ = 1e-9",
        "Question 1",
        team.analyst.display_name,
        "the factor 2.72 (e^ε)",
        "the factor 7.39 (e^(2ε))",
        "Spent so far: what is promised to each row",
        "nothing here adds up to a promise to a person",
        "1e-09 (δ)",
        "4 people ε = 4",
        "Sum (enforced)",
        "Privacy loss distribution",
    ):
        assert said in text, said
    chart = client_of(team.steward).get(f"/populations/{bought.pk}/budget/chart/").json()
    assert chart["data"][0]["y"] == [0.3]
    assert chart["layout"]["shapes"][0]["y0"] == 1


def test_what_protects_rows_is_never_added_to_a_promise_to_persons(client_of, team, version, bought):
    ledger.charge_query(
        query=uuid.uuid4(),
        version=version,
        cost=Spend.of(0.5),
        what="Of persons",
        unit=Protected.PERSON,
        by=team.analyst,
    )
    text = page(client_of(team.steward), bought)
    persons = text.partition("Spent so far: what is promised to each person")[2].partition("<h3>")[0]
    assert "ε = 0.5: what follows" in persons
    rows = text.partition("Spent so far: what is promised to each row")[2]
    assert "ε = 0.8: what follows" in rows
    assert "Added up in four ways, for each person" in text
    assert "Added up in four ways, for each row" in text


def test_people_of_other_projects_read_amounts_only(client_of, team, bought):
    stranger = factories.make_project()
    text = page(client_of(stranger.analyst), bought)
    assert "Question 1" not in text
    assert team.analyst.display_name not in text
    assert "a purchase of a project that you do not see" in text
    assert "ε = 0.2" in text


def test_whoever_is_charged_through_an_overlap_reads_why(client_of, team, version, allotment):
    other = factories.make_population(team)
    factories.give_budget(team, other, Spend.of(1))
    factories.declare_overlap(team, other, allotment.population)
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(1), by=team.steward)
    ledger.charge_query(
        query=uuid.uuid4(), version=version, cost=Spend.of(1), what="Question", by=team.analyst
    )
    text = page(client_of(team.steward), other)
    assert "because the populations share people" in text


def test_a_limit_goes_through_two_people(client_of, team, confirmed):
    population = factories.make_held_population(team)
    url = f"/populations/{population.pk}/budget/limit/"
    sent = {"epsilon": "1.5", "delta": "", "reason": "A study."}
    assert client_of(team.steward).post(url, sent).status_code == 302
    proposal = Proposal.objects.get()
    assert "You made this proposal" in page(client_of(team.steward), population)
    assert client_of(team.steward).post(f"/proposals/{proposal.pk}/confirm/").status_code == 403
    text = page(client_of(team.co_steward), population)
    assert f"Raise the limit of {population} to ε = 1.5." in text
    assert f"another person: a steward of a project that holds data about {population}, or a data" in text
    assert f"stewards of {team.project}" in text
    text = page(client_of(team.admin), population)
    assert f"Only a steward of a project that holds data about {population}, or a data protection" in text
    asked = client_of(team.co_steward).post(f"/proposals/{proposal.pk}/confirm/")
    assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
    population.refresh_from_db()
    assert population.limit == Spend()
    assert confirmed("co_steward").post(f"/proposals/{proposal.pk}/confirm/").status_code == 302
    population.refresh_from_db()
    assert population.limit == Spend.of(1.5)
    less = {"epsilon": "1", "reason": "Enough."}
    assert client_of(team.steward).post(url, less | {"reason": ""}).status_code == 422
    assert client_of(team.steward).post(url, less).status_code == 302
    population.refresh_from_db()
    assert population.limit == Spend.of(1.5)
    assert f"Lower the limit of {population} to ε = 1." in page(client_of(team.analyst), population)


@pytest.mark.parametrize("epsilon", ["NaN", "Infinity", "-1", "0.0000001", "1e-300", "", "x", "1000001"])
def test_no_limit_that_is_no_exact_amount(client_of, team, epsilon):
    population = factories.make_held_population(team)
    url = f"/populations/{population.pk}/budget/limit/"
    answer = client_of(team.steward).post(url, {"epsilon": epsilon, "reason": "Why."})
    assert answer.status_code == 422
    assert not Proposal.objects.exists()


def test_a_proposal_can_be_declined(client_of, team):
    population = factories.make_held_population(team)
    proposal = proposals.propose_limit(
        population=population, limit=Spend.of(1), reason="Why.", by=team.steward
    )
    assert client_of(team.admin).post(f"/proposals/{proposal.pk}/decline/").status_code == 403
    assert client_of(team.co_steward).post(f"/proposals/{proposal.pk}/decline/").status_code == 302
    proposal.refresh_from_db()
    assert proposal.state == "declined"


def test_whoever_holds_the_data_alone_divides_the_limit(client_of, team, allotment):
    url = f"/populations/{allotment.population_id}/budget/allotments/"
    sent = {"project": str(team.project.pk), "epsilon": "0.5", "delta": "0"}
    assert client_of(team.admin).post(url, sent).status_code == 403
    assert client_of(team.steward).post(url, sent).status_code == 302
    allotment.refresh_from_db()
    assert allotment.limit == Spend.of(0.5)
    too_much = client_of(team.steward).post(url, sent | {"epsilon": "2"})
    assert too_much.status_code == 422
    assert "not handed on yet" in too_much.content.decode()


def test_where_others_hold_data_too_parts_are_proposed(client_of, team, allotment, confirmed):
    population, others = allotment.population, factories.make_project()
    theirs = factories.hold(others, population)
    url = f"/datasets/{theirs.pk}/admission/"
    stranger = client_of(others.steward)
    assert "Ask to be counted" in stranger.get(f"/datasets/{theirs.pk}/").content.decode()
    assert "Others hold data about these people" in stranger.get(url).content.decode()
    assert stranger.post(url, {"reason": ""}).status_code == 422
    assert stranger.post(url, {"reason": "A second wave."}).status_code == 302
    admission = Proposal.objects.get(kind="admission")
    agree = f"/proposals/{admission.pk}/confirm/"
    assert "Others have to agree too" in confirmed("steward").post(agree, follow=True).content.decode()
    assert f"Agreed so far: {team.steward.display_name}" in page(client_of(team.analyst), population)
    assert "You agreed. It is done." in confirmed("co_steward").post(agree, follow=True).content.decode()
    assert "stewards of 1 project that you do not see" in page(client_of(team.steward), population)
    part = f"/populations/{population.pk}/budget/allotments/"
    sent = {"project": str(team.project.pk), "epsilon": "0.5", "delta": "0"}
    assert "Other projects hold data" in page(client_of(team.steward), population)
    assert client_of(team.steward).post(part, sent).status_code == 422
    assert client_of(team.steward).post(part, sent | {"reason": "Less."}).status_code == 302
    assert f"Give {team.project} ε = 0.5 of the budget" in page(client_of(team.steward), population)


def test_an_overlap_is_proposed_and_lifted(client_of, team, confirmed):
    one, other = factories.make_held_population(team), factories.make_held_population(team)
    for what in ("overlaps", "separations"):
        url = f"/populations/{one.pk}/{what}/"
        sent = {"other": str(other.pk), "reason": "A register."}
        assert client_of(team.steward).post(url, sent | {"reason": ""}).status_code == 422
        assert client_of(team.steward).post(url, sent).status_code == 302
        assert "Must still agree" in client_of(team.analyst).get(f"/populations/{other.pk}/").content.decode()
        proposal = Proposal.objects.open().get()
        assert confirmed("co_steward").post(f"/proposals/{proposal.pk}/confirm/").status_code == 302
        assert one.overlaps.exists() is (what == "overlaps")


def test_an_officer_sees_budgets_and_their_log_and_no_data(client_of, team, bought, version):
    officer = factories.make_officer()
    client = client_of(officer)
    text = page(client, bought)
    assert "Question 1" in text
    assert f"{officer.display_name}, data protection officer" in text
    assert "ε = 1, δ = 1e-9" in text
    log = client.get("/audit/").content.decode()
    assert "budget: charged" in log
    assert "proposal: limit confirmed" in log
    assert "version: " not in log
    for url in (
        f"/versions/{version.pk}/",
        f"/projects/{team.project.pk}/",
        f"/datasets/{version.dataset_id}/",
    ):
        assert client.get(url).status_code == 404


def test_a_steward_gives_allowances(client_of, team, allotment):
    url = f"/allotments/{allotment.pk}/"
    assert "Nobody has an allowance" in client_of(team.steward).get(url).content.decode()
    sent = {"user": str(team.analyst.pk), "epsilon": "0.4", "delta": "0"}
    assert client_of(team.steward).post(url, sent).status_code == 302
    assert Allotment.objects.get().allowances.get().limit == Spend.of(0.4)
    assert client_of(team.steward).post(url, sent | {"epsilon": "3"}).status_code == 422
    assert client_of(team.analyst).get(url).status_code == 403
    assert "yours: ε = 0.4 left" in page(client_of(team.analyst), allotment.population)


def test_a_dataset_about_other_people(client_of, team, version, confirmed):
    others = factories.make_population(team)
    url = f"/datasets/{version.dataset_id}/population/"
    assert "These are other people" in client_of(team.steward).get(url).content.decode()
    sent = {"target": str(others.pk), "reason": "Another year."}
    assert client_of(team.steward).post(url, sent | {"reason": ""}).status_code == 422
    answer = client_of(team.steward).post(url, sent)
    assert answer.url == f"/populations/{version.dataset.population_id}/budget/"
    proposal = Proposal.objects.get()
    text = page(client_of(team.co_steward), version.dataset.population)
    assert f"is about other people: {others}." in text
    assert confirmed("co_steward").post(f"/proposals/{proposal.pk}/confirm/").status_code == 302
    version.dataset.refresh_from_db()
    assert version.dataset.population == others


def test_when_all_is_spent_the_raw_data_can_go(client_of, team, version, allotment):
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(1), by=team.steward)
    ledger.charge_query(
        query=uuid.uuid4(), version=version, cost=Spend.of(1), what="Question", by=team.analyst
    )
    text = page(client_of(team.steward), allotment.population)
    assert "The budget is spent" in text
    assert f"{version.dataset}, version 1" in text
    assert "There are no raw data that you may see" in page(client_of(team.analyst), allotment.population)


def test_both_kinds_of_releases_are_told_of(client_of, team, version):
    plain = factories.make_release(team, state="published", version=version)
    assert "Two kinds" not in client_of(team.steward).get(f"/releases/{plain.pk}/").content.decode()
    private = factories.make_release(team, version=version)
    run = factories.make_succeeded_run(private, epsilon="0.5")
    private = releases.submit(release=private, run=run, by=team.steward)
    for url in (f"/releases/{private.pk}/", f"/releases/{private.pk}/review/"):
        text = client_of(team.reviewer).get(url).content.decode()
        assert "Two kinds of releases of the same people" in text, url
    factories.vote(team, private, "approve")
    releases.publish(release=private, manifest_sha256=private.candidate_sha256, by=team.steward)
    for release in (plain, private):
        text = client_of(team.analyst).get(f"/catalogue/{release.public_id}/").content.decode()
        assert "Two kinds of releases of the same people" in text
    assert "in both kinds of releases" in page(client_of(team.analyst), version.dataset.population)


def test_answers_of_a_desk_beside_a_release_are_told_of(client_of, team):
    """They were promised the same ε."""
    desk = factories.make_desk(team)
    people = desk.version.dataset.population
    plain = factories.make_release(team, state="published", version=desk.version)
    assert "in both kinds of releases" not in page(client_of(team.analyst), people)
    factories.make_stored_answer(desk, team.analyst)
    assert "in both kinds of releases" in page(client_of(team.analyst), people)
    assert "Two kinds" in client_of(team.steward).get(f"/releases/{plain.pk}/").content.decode()
    for url in (f"/desks/{desk.pk}/", f"/desks/{desk.pk}/ask/", f"/questions/{Query.objects.get().pk}/"):
        assert "in both kinds of releases" in client_of(team.analyst).get(url).content.decode(), url


def test_what_cannot_be_paid_cannot_be_run(client_of, team, version, monkeypatch):
    from stewardapp.models import pricing

    costs = (pricing.Cost(0, "A count", Spend.of(0.5)),)
    monkeypatch.setattr(pricing, "costs_of", lambda recipe: costs)
    release = factories.make_release(team, version=version)
    client = client_of(team.steward)
    assert "the allotment of the project has only" in unescape(
        client.get(f"/releases/{release.pk}/").content.decode()
    )
    for url, sent in ((f"/releases/{release.pk}/run/", {}),):
        answer = client.post(url, sent)
        assert (answer.status_code, answer.url) == (302, f"/releases/{release.pk}/configure/")
    text = unescape(client.get(answer.url).content.decode())
    assert "takes ε = 0.5." in text
    assert "the allotment of the project has ε = 0 left" in text
    assert "Propose a limit of ε = 0.5" in text
    population = version.dataset.population
    sent = {"epsilon": "0.5", "delta": "0", "project": str(team.project.pk), "reason": "For the release."}
    assert client.post(f"/populations/{population.pk}/budget/limit/", sent).status_code == 302
    proposals.confirm(proposal=Proposal.objects.get(), by=team.co_steward)
    assert Allotment.objects.get().limit == Spend.of(0.5)
    assert "Too little budget" not in client.get(f"/releases/{release.pk}/configure/").content.decode()
    assert client.post(f"/releases/{release.pk}/run/").status_code == 302
    factories.revise_policy(team.project, team.admin, maximum_epsilon_micro=400_000)
    text = unescape(client.get(f"/releases/{release.pk}/").content.decode())
    assert "the policy of the project allows ε = 0.4" in text
