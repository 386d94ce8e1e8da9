"""What the rules need to know, as small frozen values; the models build them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from stewardapp.access.roles import Permission, Role, permissions_of
from stewardapp.access.workflow import Audience, Decision, State


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody asking, seen from one project. No id means not signed in."""

    id: uuid.UUID | None = None
    roles: frozenset[Role] = frozenset()
    is_admin: bool = False
    second_factor: bool = False
    is_officer: bool = False
    reviews_since: datetime | None = None  # when set, what was begun before is reviewed by others

    @property
    def signed_in(self) -> bool:
        """Whether we know who it is."""
        return self.id is not None

    @property
    def is_member(self) -> bool:
        """Whether this person holds any role in the project."""
        return bool(self.roles)

    def has(self, permission: Permission) -> bool:
        """Whether a role, the administration or the protection of data allows this."""
        granted = permissions_of(self.roles, is_admin=self.is_admin, is_officer=self.is_officer)
        return permission in granted


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """One version of a dataset."""

    destroyed: bool = False
    has_table: bool = True
    busy: bool = False


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """One dataset: whether it holds data that were read, and whether anything was made from it or begun."""

    holds_data: bool = False
    used: bool = False
    removed: bool = False


@dataclass(frozen=True, slots=True)
class JobFacts:
    """Work of a worker that somebody may stop."""

    state: str
    stop_requested: bool = False


@dataclass(frozen=True, slots=True)
class ProjectKeyFacts:
    """The key of a project's pseudonyms."""

    exists: bool = False
    busy: bool = False


@dataclass(frozen=True, slots=True)
class LocalFacts:
    """What the cells of one column give away at most, by a run and so many other releases that are out.

    Without an ε nothing bounds it.
    """

    column: str
    epsilon: Decimal | None
    others: int = 0


ANY_FAMILY = "any"
"""A demand on every release that has rows, whatever they are."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What a policy demands of one figure of one instance of a measure, in releases of one family.

    Without an instance nobody knows the measure or the figure any more. `excusable` is what a release may
    miss for a stated reason.
    """

    instance: str
    figure: str
    title: str
    bound: Decimal
    unit: str = "number"
    at_least: bool = False
    family: str = ANY_FAMILY
    excusable: bool = False


@dataclass(frozen=True, slots=True)
class MeasuredFacts:
    """What became of one instance of a measure in a run, and its figures by their keys.

    `idle` are figures of columns or parts of which there were none.
    """

    state: str = "measured"
    reason: str = ""
    figures: Mapping[str, Decimal | None] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """What a project demands."""

    rows: tuple[RowFacts, ...] = ()
    maximum_local_epsilon: Decimal | None = None
    maximum_epsilon_micro: int = 0
    reviewers: int = 1
    require_second_factor: bool = False


@dataclass(frozen=True, slots=True)
class FundFacts:
    """What is left in one purse that a purchase is paid from, by its name in a sentence.

    Of one without a name it is told that it is short, never how much it holds.
    """

    name: str
    epsilon_micro: int = 0
    delta_femto: int = 0
    named: bool = True


@dataclass(frozen=True, slots=True)
class PriceFacts:
    """What the steps of a draft take from the privacy budget, and every purse it would be taken from."""

    epsilon_micro: int = 0
    delta_femto: int = 0
    funds: tuple[FundFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class DeskFacts:
    """One query desk, seen by whoever asks."""

    open: bool = True
    destroyed: bool = False
    has_allowance: bool = False


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """One question: who asked it first, whether no worker took it yet, whether others wait for it too."""

    asked_by: uuid.UUID
    untouched: bool = True
    others_wait: bool = False


@dataclass(frozen=True, slots=True)
class PopulationFacts:
    """Some people, and how many projects hold data about them that still exist."""

    id: uuid.UUID
    name: str
    holders: int = 0


@dataclass(frozen=True, slots=True)
class Stake:
    """Somebody seen from populations: those of which a project holds data in which they are a steward.

    `came_later` is whoever speaks for them only since, or may be somebody else since, what is decided about.
    """

    person: Person
    holds: frozenset[uuid.UUID] = frozenset()
    came_later: bool = False


@dataclass(frozen=True, slots=True)
class ProposalFacts:
    """What somebody proposed, whom it concerns, and who stands behind it so far."""

    proposed_by: uuid.UUID
    concerned: tuple[PopulationFacts, ...]
    backers: tuple[Stake, ...] = ()
    open: bool = True


@dataclass(frozen=True, slots=True)
class LookFacts:
    """Whether there is anything to look at before agreeing, and what somebody was told, if anything yet."""

    needed: bool = False
    told: bool | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run of a release; `measured` are the figures of what left, by the instance that found them.

    A figure that nobody computed meets no bound. An unknown `family` may be any.
    """

    state: str
    goals_hold: bool | None = None
    has_goals: bool = True
    measured: Mapping[str, MeasuredFacts] = field(default_factory=dict)
    family: str = ""
    epsilon_micro: int = 0
    microdata: bool = True
    local: tuple[LocalFacts, ...] = ()
    stop_requested: bool = False
    table_there: bool = True


@dataclass(frozen=True, slots=True)
class AssessmentFacts:
    """Measures asked of a run after it ended: by whom, and whether a verdict hangs on them."""

    state: str
    stop_requested: bool = False
    asked_by: uuid.UUID | None = None
    by_hand: bool = True
    by_reviewer: bool = False


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """One release and its candidate."""

    state: State
    author_id: uuid.UUID | None = None
    contributor_ids: frozenset[uuid.UUID] = frozenset()
    begun_at: datetime | None = None
    votes: tuple[tuple[uuid.UUID, Decision], ...] = ()
    reviewers: int = 1
    require_second_factor: bool = False
    version_destroyed: bool = False
    columns_tagged: bool = True
    has_purpose: bool = True
    has_reason_for_unique: bool = False
    audience: Audience = Audience.PROJECT
    named_ids: frozenset[uuid.UUID] = frozenset()
    embargo_until: datetime | None = None
    price: PriceFacts = PriceFacts()
    guessed_kinds: tuple[str, ...] = ()
    policy: PolicyFacts = PolicyFacts()
    demands: tuple[str, ...] = ()
    """The states of what has to be measured of the candidate, and was not, before it can be approved."""
    uncompared: bool = False
    """Whether something went out about the same people since the candidate was compared with what is out."""

    @property
    def voter_ids(self) -> frozenset[uuid.UUID]:
        """Who has voted on the candidate."""
        return frozenset(voter for voter, _ in self.votes)

    @property
    def votes_complete(self) -> bool:
        """Whether every vote the policy asks for is in."""
        return len(self.votes) >= self.reviewers

    @property
    def approvals(self) -> int:
        """How many votes for the candidate count now."""
        return sum(decision is Decision.APPROVE for _, decision in self.votes)

    @property
    def lapsed(self) -> bool:
        """Whether it was approved by votes of which too few still count."""
        return self.state is State.APPROVED and self.approvals < self.reviewers


@dataclass(frozen=True, slots=True)
class CommentFacts:
    """One comment on a release."""

    author_id: uuid.UUID
    private: bool = False
    resolved: bool = False
