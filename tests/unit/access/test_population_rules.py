"""Who has a say about a population, and who must still agree: every pair of people, every kind of concern."""

import itertools
import uuid

import pytest

from stewardapp.access import rules
from stewardapp.access.facts import LookFacts, Person, PopulationFacts, ProposalFacts, Stake
from stewardapp.access.population_rules import LOOKS_A_DAY
from stewardapp.access.roles import Role
from tests.unit.access.test_rules import refused

HERE, THERE = uuid.uuid4(), uuid.uuid4()
HELD, ALSO = PopulationFacts(HERE, "Residents", 1), PopulationFacts(THERE, "Patients", 2)
GONE = PopulationFacts(uuid.uuid4(), "Residents")
STEWARD = frozenset({Role.STEWARD})


def somebody(*holds: uuid.UUID, **offices: bool) -> Stake:
    return Stake(Person(id=uuid.uuid4(), roles=STEWARD, **offices), frozenset(holds))


HOLDER, SECOND, BOTH = somebody(HERE), somebody(HERE), somebody(HERE, THERE)
THEIRS, STRANGER = somebody(THERE), somebody()
OFFICER, OTHER_OFFICER = somebody(is_officer=True), somebody(is_officer=True)
ADMIN, OTHER_ADMIN = somebody(is_admin=True), somebody(is_admin=True)
TWO_HATS = somebody(HERE, is_officer=True)
EVERYBODY = {
    "holder": HOLDER, "second": SECOND, "both": BOTH, "theirs": THEIRS, "stranger": STRANGER,
    "officer": OFFICER, "other officer": OTHER_OFFICER, "admin": ADMIN, "other admin": OTHER_ADMIN,
    "two hats": TWO_HATS,
}  # fmt: skip
OF_ONE = {"holder", "second", "both", "two hats"}
OFFICERS = {"officer", "other officer", "two hats"}


def proposal(
    *backers: Stake, concerned: tuple[PopulationFacts, ...] = (HELD,), open: bool = True
) -> ProposalFacts:
    by = backers[0].person.id if backers else None
    return ProposalFacts(by or uuid.uuid4(), concerned, backers, open)


def enough(concerned: tuple[PopulationFacts, ...]) -> set[frozenset[str]]:
    """The pairs of people with whom nothing is missing."""
    return {
        frozenset({one, other})
        for one, other in itertools.combinations(EVERYBODY, 2)
        if not rules.still_missing(proposal(EVERYBODY[one], EVERYBODY[other], concerned=concerned))
    }


def pairs(firsts: set[str], seconds: set[str]) -> set[frozenset[str]]:
    return {frozenset({one, other}) for one in firsts for other in seconds if one != other}


def test_what_leaked_is_said_by_whoever_holds_such_data_or_protects_them() -> None:
    may = {name for name, one in EVERYBODY.items() if rules.may_register_leak(one, HELD)}
    assert may == OF_ONE | OFFICERS
    reason = refused(rules.may_register_leak(THEIRS, HELD), "not-a-holder")
    assert "which files about these people leaked" in reason
    assert rules.may_register_leak(ADMIN, GONE)


def test_for_one_population_two_holders_or_a_holder_and_an_officer() -> None:
    assert enough((HELD,)) == pairs(OF_ONE, OF_ONE | OFFICERS)


def test_for_two_populations_each_has_its_own_say_or_an_officer_beside_a_holder() -> None:
    mine, theirs = OF_ONE, {"theirs", "both"}
    beside_an_officer = pairs(mine | theirs, OFFICERS)
    assert enough((HELD, ALSO)) == pairs(mine, theirs) | pairs({"both"}, mine | theirs) | beside_an_officer


def test_without_data_an_officer_and_an_administrator_or_two_officers() -> None:
    offices = OFFICERS | {"admin", "other admin"}
    assert enough((GONE,)) == pairs(OFFICERS, offices)


def test_nobody_is_enough_alone() -> None:
    for concerned in ((HELD,), (HELD, ALSO), (GONE,)):
        for one in EVERYBODY.values():
            assert rules.still_missing(proposal(one, concerned=concerned))
            assert rules.still_missing(proposal(one, one, concerned=concerned))


@pytest.mark.parametrize(
    ("backer", "concerned", "words"),
    [
        (
            HOLDER,
            (HELD,),
            "another person: a steward of a project that holds data about Residents, or a data",
        ),
        (OFFICER, (HELD,), "a steward of a project that holds data about Residents"),
        (HOLDER, (HELD, ALSO), "a steward of a project that holds data about Patients, or a data protection"),
        (OFFICER, (HELD, ALSO), "a steward of a project that holds data about Residents or Patients"),
        (ADMIN, (GONE,), "a data protection officer, for Residents"),
        (OFFICER, (GONE,), "an administrator, or another one who is a data protection officer"),
    ],
)
def test_who_must_still_agree_is_said(
    backer: Stake, concerned: tuple[PopulationFacts, ...], words: str
) -> None:
    (said,) = rules.still_missing(proposal(backer, concerned=concerned))
    assert said.startswith(words)


def test_who_may_begin() -> None:
    for one in (HOLDER, OFFICER):
        assert rules.may_propose(one, (HELD,))
    assert rules.may_propose(ADMIN, (GONE,))
    for one in (ADMIN, STRANGER, THEIRS):
        assert "Residents" in refused(rules.may_propose(one, (HELD,)), "not-a-holder")
    assert "no project holds" in refused(rules.may_propose(STRANGER, (GONE,)), "not-a-holder")


def test_who_may_agree() -> None:
    asked = proposal(HOLDER, OFFICER)
    assert rules.may_agree(SECOND, asked)
    refused(rules.may_agree(HOLDER, asked), "four-eyes")
    refused(rules.may_agree(OFFICER, asked), "agreed")
    refused(rules.may_agree(ADMIN, asked), "not-a-holder")
    refused(rules.may_agree(SECOND, proposal(HOLDER, open=False)), "decided")


def test_who_may_decline() -> None:
    theirs = proposal(STRANGER)
    for one in (STRANGER, HOLDER, OFFICER):
        assert rules.may_decline(one, theirs)
        refused(rules.may_decline(one, proposal(STRANGER, open=False)), "decided")
    refused(rules.may_decline(ADMIN, theirs), "not-a-holder")


def test_who_may_divide_alone() -> None:
    assert rules.may_allot(HOLDER, HELD)
    refused(rules.may_allot(THEIRS, ALSO), "others-hold")
    for one in (STRANGER, OFFICER, ADMIN):
        refused(rules.may_allot(one, HELD), "not-a-holder")


def test_so_many_looks_a_day() -> None:
    assert all(rules.may_be_told(number) for number in range(LOOKS_A_DAY))
    assert refused(rules.may_be_told(LOOKS_A_DAY), "told-enough")


@pytest.mark.parametrize(
    ("look", "aware", "code"),
    [
        (LookFacts(), False, ""),
        (LookFacts(needed=True), False, "not-told"),
        (LookFacts(needed=True), True, "not-told"),
        (LookFacts(needed=True, told=False), False, ""),
        (LookFacts(needed=True, told=True), False, "known-people"),
        (LookFacts(needed=False, told=True), False, "known-people"),
        (LookFacts(needed=True, told=True), True, ""),
    ],
)
def test_who_agrees_knows(look: LookFacts, aware: bool, code: str) -> None:
    assert rules.may_confirm(look, aware).code == code
