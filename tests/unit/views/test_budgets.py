"""The page of a budget: what is left, what it means, who changes it."""

import re
import uuid
from html import unescape

import pytest

from stewardapp.actions import budgets, ledger, memberships, proposals, releases
from stewardapp.models import Allotment, Dataset, Proposal, Query
from tests import factories
from tests.markup import tight
from tests.unit.actions.test_looks import PEOPLE, Scene, hold
from worker.engine.contracts.privacy import Protected, Spend


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
    population = factories.make_population(team)
    text = page(client_of(team.steward), population)
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
    text = page(client_of(stranger.steward), bought)
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


@pytest.mark.parametrize("persona", ["team", "stranger"])
def test_analysts_read_neither_what_was_bought_nor_what_is_left(client_of, team, bought, persona):
    """Together with a question of their own it would tell what colleagues asked."""
    analyst = {"team": team, "stranger": factories.make_project()}[persona].analyst
    text = page(client_of(analyst), bought)
    assert "an analyst who saw both would learn what colleagues asked" in text
    for told in ("Question 1", "ε = 0.2", "Added up in four ways", "What was bought</h2>", "spent</span>"):
        assert told not in text
    drawn = client_of(analyst).get(f"/populations/{bought.pk}/budget/chart/")
    assert drawn.json()["data"] == []
    listed = tight(client_of(analyst).get("/populations/").content.decode())
    assert "Budget</a>" in listed


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
    stranger = factories.make_project()
    assert "There are no raw data that you may see" in page(client_of(stranger.steward), allotment.population)
    assert "The budget is spent" not in page(client_of(team.analyst), allotment.population)


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
    assert "in both kinds of releases" not in page(client_of(team.steward), people)
    assert "in both kinds of releases" in page(client_of(team.analyst), people)  # as if there were answers
    opening = client_of(team.analyst).get("/desks/").content.decode()
    assert opening.count("Others have releases of these people") == 1  # once, however many desks there are
    factories.make_stored_answer(desk, team.analyst)
    for one in (team.steward, team.analyst):
        assert "in both kinds of releases" in page(client_of(one), people)
    assert "Two kinds" in client_of(team.steward).get(f"/releases/{plain.pk}/").content.decode()
    for url in (f"/desks/{desk.pk}/", f"/desks/{desk.pk}/ask/", f"/questions/{Query.objects.get().pk}/"):
        assert "in both kinds of releases" in client_of(team.analyst).get(url).content.decode(), url


def test_what_cannot_be_paid_cannot_be_run(client_of, team, version, monkeypatch):
    from stewardapp.domain import pricing

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
    assert "takes ε = 0.5" in text
    assert "The part of the project has ε = 0 left" in text
    assert f"The population {version.dataset.population.name} has ε = 0 left" in text
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


@pytest.fixture
def priced(monkeypatch):
    """Recipes that take ε = 0.5."""
    from stewardapp.domain import pricing

    monkeypatch.setattr(pricing, "costs_of", lambda recipe: (pricing.Cost(0, "A count", Spend.of(0.5)),))


def shortage(client, release):
    answer = client.get(f"/releases/{release.pk}/configure/")
    shown = unescape(" ".join(answer.content.decode().split()))
    return shown.partition('id="shortage"')[2].partition("</section>")[0]


def press(client, text, label):
    """Send the form of a button as it stands on the page."""
    form = next(one for one in text.split("<form ")[1:] if label in one)
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    return client.post(re.search(r'action="([^"]+)"', form).group(1), sent)


def test_a_part_that_is_too_small_is_raised_from_what_is_left(client_of, team, version, priced):
    people = version.dataset.population
    factories.give_budget(team, people, Spend.of(2))
    budgets.allot(population=people, project=team.project, limit=Spend.of(0.2), by=team.steward)
    release, client = factories.make_release(team, version=version), client_of(team.steward)
    text = shortage(client, release)
    assert "The part of the project has ε = 0.2 left" in text
    assert f"The population {people.name}" not in text
    assert press(client, text, "Set a part of ε = 0.5").status_code == 302
    assert not shortage(client, release)
    assert Allotment.objects.get().limit == Spend.of(0.5)


def test_where_others_hold_the_data_too_a_part_is_proposed(client_of, team, version, priced):
    people, others = version.dataset.population, factories.make_project()
    factories.give_budget(team, people, Spend.of(2))
    budgets.allot(population=people, project=team.project, limit=Spend(0), by=team.steward)
    theirs = factories.hold(others, people)
    Dataset.objects.filter(pk=theirs.pk).update(admitted=True)
    release, client = factories.make_release(team, version=version), client_of(team.steward)
    assert press(client, shortage(client, release), "Propose a part of ε = 0.5").status_code == 302
    assert Proposal.objects.open().get().kind == "part"
    assert "is proposed already and waits for others" in shortage(client, release)


def test_each_that_must_pay_is_named_with_its_own_cure(client_of, team, version, priced):
    """The own people and two who share some of them: one held by the viewer, one by others alone."""
    strangers, people = factories.make_project(), version.dataset.population
    held, foreign = factories.make_held_population(team), factories.make_held_population(strangers)
    factories.declare_overlap(team, people, held)
    people.overlaps.add(foreign)
    release, client = factories.make_release(team, version=version), client_of(team.steward)
    text = shortage(client, release)
    assert "takes ε = 0.5, from each of these" in text
    for one in (people, held, foreign):
        assert f"The population {one.name} has ε = 0 left" in text
    assert text.count("Propose a limit of ε = 0.5") == 3
    assert f"Only a steward of a project that holds data about {foreign.name}" in text
    assert press(client, text, str(held.pk)).status_code == 302
    proposal = Proposal.objects.open().get()
    assert (proposal.population, proposal.limit, proposal.project) == (held, Spend.of(0.5), None)
    text = shortage(client, release)
    assert text.count("Propose a limit of ε = 0.5") == 2
    assert "is proposed already and waits for others" in text
    proposals.confirm(proposal=proposal, by=team.co_steward)
    assert f"The population {held.name}" not in shortage(client, release)


def test_who_has_the_same_data_is_not_told(client_of, team, version, priced):
    """Only those who have a say about these people read their name."""
    strangers, officer = factories.make_project(), factories.make_officer()
    same = factories.make_version(strangers)
    assert same.sha256 == version.sha256
    people, theirs = version.dataset.population, same.dataset.population
    factories.give_budget(team, people, Spend.of(2))
    release, client = factories.make_release(team, version=version), client_of(team.steward)
    text = shortage(client, release)
    assert "Another population that the same data were uploaded for has less than that left" in text
    assert theirs.name not in text
    assert "<form" not in text
    page_of_release = unescape(client.get(f"/releases/{release.pk}/").content.decode())
    assert "another population that the same data were uploaded for has less than that" in page_of_release
    assert theirs.name not in page_of_release
    memberships.add(project=team.project, user=officer, role="steward", by=team.admin)
    assert f"The population {theirs.name} has ε = 0 left" in shortage(client_of(officer), release)
    allotment = Allotment.objects.get()
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(1), by=team.steward)
    asked = {"query": uuid.uuid4(), "what": "A count", "by": team.analyst}
    with pytest.raises(ledger.Exhausted, match="another population that the same data") as refused:
        ledger.charge_query(version=version, cost=Spend.of(0.5), **asked)
    assert theirs.name not in refused.value.reason


# Known people


def test_whoever_agrees_is_told_that_people_are_known_and_may_agree_all_the_same(client_of, team, confirmed):
    scene = Scene(factories.make_project(), team, factories.make_officer())
    known = hold(scene.known, PEOPLE[:500]).dataset.population
    proposal = scene.proposal(hold(team, PEOPLE[:500], said="m"))
    client, url = confirmed("co_steward"), f"/proposals/{proposal.pk}/confirm/"
    answer = client.post(url)
    text = unescape(" ".join(answer.content.decode().split()))
    assert answer.status_code == 409
    assert "These are probably people already known to this site." in text
    assert known.name not in text
    assert press(client, text, "Agree all the same").status_code == 302
    proposal.refresh_from_db()
    assert proposal.state == "confirmed"

    for user, population, seen in (
        (scene.known.steward, known, True),
        (scene.officer, known, True),
        (scene.officer, proposal.population, True),
        (scene.known.reviewer, known, False),
        (team.co_steward, known, False),
        (team.co_steward, proposal.population, False),
        (team.admin, known, False),
    ):
        shown = unescape(client_of(user).get(f"/populations/{population.pk}/").content.decode())
        assert ("about 500 person keys or rows in both, 100" in " ".join(shown.split())) is seen, user


# Where it is found


def test_whoever_may_see_a_budget_finds_it_in_the_navigation(client_of, team, bought):
    """From any page, by one link, for everybody whom the page of a budget answers."""
    people = {name: team.persona(name) for name in factories.PERSONAS}
    people["officer"] = factories.make_officer()
    for name, user in people.items():
        client = client_of(user)
        may = client.get(f"/populations/{bought.pk}/budget/").status_code == 200
        assert may is (name != "outsider"), name
        for place in ("/", "/catalogue/"):
            nav = (
                tight(client.get(place).content.decode())
                .partition('aria-label="Main"')[2]
                .partition("</nav>")[0]
            )
            assert '<a href="/populations/">Budgets</a>' in nav, name
        listed = client.get("/populations/").content.decode()
        assert (f'href="/populations/{bought.pk}/budget/"' in listed) is may, name
    shown = tight(client_of(team.steward).get(f"/populations/{bought.pk}/budget/").content.decode())
    assert '<a href="/populations/" aria-current="page">Budgets</a>' in shown
