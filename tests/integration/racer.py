"""Several processes that race: started by test_races.py, each with a line of its own, one word per round.

Every round first looks, then waits so that all the others have looked too, then acts. With the product's own
locks and conditions at most one wins. `unlocked` rounds take both away: the control that must go wrong. There
everybody waits for everybody, however busy the machine is.
"""

import contextlib
import multiprocessing
import os
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, TextIO
from unittest import mock

import django

django.setup()

from django.db import connection, models, transaction  # noqa: E402
from django.db.models import F  # noqa: E402

from stewardapp.access.verdict import Refused  # noqa: E402
from stewardapp.actions import ledger, looks, proposals, releases, replays, reviews  # noqa: E402
from stewardapp.models import Charge, Population, Proposal, Release, Run, User, Version  # noqa: E402
from worker.engine.contracts.privacy import Spend  # noqa: E402

PAUSE, LONGEST_PAUSE = 0.3, 5.0
ALL_LOOKED = multiprocessing.get_context("fork").Barrier(len(sys.argv) - 1)
"""Where the racers of a control meet."""
GRANT, GRANTS = Spend(10), 4


def approve(release: str, person: str) -> bool:
    chosen = Release.objects.get(pk=release)
    by = User.objects.get(pk=person)
    seen = chosen.candidate_sha256
    return won(
        lambda: reviews.decide(
            release=chosen, manifest_sha256=seen, decision="approve", reason="Read.", by=by
        )
    )


def publish(release: str, person: str) -> bool:
    chosen, by = Release.objects.get(pk=release), User.objects.get(pk=person)
    seen = chosen.candidate_sha256
    return won(lambda: releases.publish(release=chosen, manifest_sha256=seen, by=by))


def settle(proposal: str, person: str) -> bool:
    """Officers agree while everybody else declines."""
    asked, by = Proposal.objects.get(pk=proposal), User.objects.get(pk=person)
    decide = proposals.confirm if by.is_officer else proposals.decline
    return won(lambda: decide(proposal=asked, by=by))


def agree(proposal: str, person: str) -> bool:
    asked, by = Proposal.objects.get(pk=proposal), User.objects.get(pk=person)
    return won(lambda: proposals.confirm(proposal=asked, by=by))


def look(proposal: str, person: str) -> bool:
    """Somebody is told about a proposal, in one of many windows."""
    asked, by = Proposal.objects.get(pk=proposal), User.objects.get(pk=person)
    return won(lambda: looks.told(proposal=asked, found=[], by=by))


def claim(run: str, person: str) -> bool:
    return Run.objects.claim(uuid.UUID(run), f"racer {person}", 60) is not None


def careless_claim(run: str, person: str) -> bool:
    """Read, check, write: what a claim must not be."""
    if Run.objects.get(pk=run).state != "queued":
        return False
    meet()
    lease = {"lease_until": models.functions.Now(), "worker": person}
    return Run.objects.filter(pk=run).update(state="running", fence=F("fence") + 1, **lease) == 1


def replay(subject: str, person: str) -> bool:
    return won(lambda: replays.start(settings={"rounds": 1}, by=User.objects.get(pk=person)))


def charge(version: str, person: str) -> bool:
    """Four grants of ten, one after the other, of a budget that has room for eight of the thirty-two."""
    asked = Version.objects.select_related("dataset__population", "dataset__project").get(pk=version)
    by = User.objects.get(pk=person)
    granted = [won(lambda: buy(asked, by, GRANT)) for _ in range(GRANTS)]
    return any(granted)


def buy(asked: Version, by: User, cost: Spend) -> None:
    ledger.charge_query(query=uuid.uuid4(), version=asked, cost=cost, what="A grant", by=by)


def careless_charge(version: str, person: str) -> bool:
    """Read, check, write: what a charge must not be."""
    asked, by = Version.objects.get(pk=version), User.objects.get(pk=person)
    population = asked.dataset.population
    with transaction.atomic():
        left = Population.objects.get(pk=population.pk).left_epsilon_micro
        meet()
        if left < GRANT.epsilon_micro:
            return False
        found = {"population": population, "project": asked.project, "version": asked, "by": by}
        Charge.objects.create(query=uuid.uuid4(), what="A grant", epsilon_micro=GRANT.epsilon_micro, **found)
        Population.objects.filter(pk=population.pk).update(left_epsilon_micro=left - GRANT.epsilon_micro)
    return True


def won(call: Callable[[], Any]) -> bool:
    try:
        call()
    except Refused:
        return False
    return True


def meet() -> None:
    """Wait until all have looked; for a moment, once somebody did not come."""
    try:
        ALL_LOOKED.wait(LONGEST_PAUSE)
    except threading.BrokenBarrierError:
        time.sleep(PAUSE)


@contextlib.contextmanager
def slow_to_decide(pause: Callable[[], None]) -> Iterator[None]:
    """Everybody has looked before anybody writes, unless a lock makes the others wait to look."""

    def after(rule: Callable[..., Any]) -> Callable[..., Any]:
        def ruled(*args: Any, **kwargs: Any) -> Any:
            verdict = rule(*args, **kwargs)
            if verdict:
                pause()
            return verdict

        return ruled

    with (
        mock.patch.object(reviews, "may_decide", after(reviews.may_decide)),
        mock.patch.object(releases, "may_publish", after(releases.may_publish)),
        mock.patch.object(proposals, "may_agree", after(proposals.may_agree)),
        mock.patch.object(looks, "may_be_told", after(looks.may_be_told)),
        mock.patch.object(proposals, "may_decline", after(proposals.may_decline)),
        mock.patch.object(replays, "may_replay_attacks", after(replays.may_replay_attacks)),
    ):
        yield


@contextlib.contextmanager
def without_locks() -> Iterator[None]:
    """No row lock, no condition on what the row was."""

    def fresh(row: Any) -> Any:
        return type(row).objects.get(pk=row.pk)

    def blind_move(release: Release, name: str, **values: Any) -> None:
        from stewardapp.access.workflow import transition

        Release.objects.filter(pk=release.pk).update(state=transition(name).target, **values)
        release.refresh_from_db()

    def blind_decision(proposal: Proposal, state: str, by: User) -> None:
        decided = {"state": state, "decided_by": by, "decided_at": models.functions.Now()}
        Proposal.objects.filter(pk=proposal.pk).update(**decided)

    with contextlib.ExitStack() as stack:
        for asking in (proposals, looks):
            stack.enter_context(mock.patch.object(asking, "locked", fresh))
        stack.enter_context(mock.patch.object(proposals, "_decide", blind_decision))
        for module in (reviews, releases):
            stack.enter_context(mock.patch.object(module, "locked", fresh))
            stack.enter_context(mock.patch.object(module, "move", blind_move))
        yield


ROUNDS: dict[str, Callable[[str, str], bool]] = {
    "approve": approve,
    "publish": publish,
    "settle": settle,
    "agree": agree,
    "look": look,
    "claim": claim,
    "replay": replay,
    "careless-claim": careless_claim,
    "charge": charge,
    "careless-charge": careless_charge,
}


def take_part(line: TextIO) -> None:
    """One racer, until nobody is at the other end."""
    connection.ensure_connection()
    print("ready", file=line, flush=True)
    for word in line:
        name, subject, person, locks = word.split()
        with contextlib.ExitStack() as stack:
            if locks == "unlocked":
                stack.enter_context(without_locks())
                stack.enter_context(slow_to_decide(meet))
            else:
                stack.enter_context(slow_to_decide(lambda: time.sleep(PAUSE)))
            print("won" if ROUNDS[name](subject, person) else "lost", file=line, flush=True)


def main(descriptors: list[int]) -> None:
    """Load once, then split off a racer for each line; one that dies closes its own line and no other."""
    for descriptor in descriptors:
        if os.fork() == 0:
            for other in descriptors:
                if other != descriptor:
                    os.close(other)
            with socket.socket(fileno=descriptor) as line, line.makefile("rw") as said:
                take_part(said)
            os._exit(0)
    for descriptor in descriptors:
        os.close(descriptor)
    for _ in descriptors:
        os.wait()


if __name__ == "__main__":
    main(list(map(int, sys.argv[1:])))
