"""One process of the ledger's benchmark: prepares the database, or writes to it until the time is up.

`python -m benchmarks.ledger_writers prepare` prints the id of a version and of one analyst per writer;
`… charge <version> <analyst> <questions>` and `… count` wait for a line with the number of seconds and print
how many transactions they committed.
"""

from __future__ import annotations

import io
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from stewardapp.actions import (  # noqa: E402
    accounts,
    budgets,
    datasets,
    ledger,
    memberships,
    populations,
    projects,
    proposals,
    uploads,
)
from stewardapp.models import Desk, JobState, Query, User, Version  # noqa: E402
from worker.engine.contracts.privacy import Spend  # noqa: E402

WRITERS = 8
PLENTY = Spend.of(1_000)
PASSWORD = "only-for-a-benchmark"
CHARGE = Spend.of(Decimal("0.000001"))


def prepare() -> None:
    """A population with a budget, and eight analysts with an allowance each."""
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE counter (n bigint NOT NULL)")
        cursor.execute("INSERT INTO counter VALUES (0)")
    admin = accounts.create_first_admin(username="admin", password=PASSWORD)
    second = accounts.create(username="second", password=PASSWORD, is_admin=True, by=admin)
    project = projects.create(name="Benchmark", by=admin)
    for user in (admin, second):
        memberships.add(project=project, user=user, role="steward", by=admin)
    people = populations.create(name="People", by=admin)
    dataset = datasets.create(project=project, population=people, name="Data", by=second)
    upload = uploads.begin(dataset=dataset, filename="a.csv", length=3, by=second)
    uploads.append(upload=upload, offset=0, stream=io.BytesIO(b"a\n1"), by=second)
    version = uploads.complete(upload=upload, by=second)
    proposal = proposals.propose_limit(population=people, limit=PLENTY, reason="A benchmark.", by=admin)
    proposals.confirm(proposal=proposal, by=second)
    allotment = budgets.allot(population=people, project=project, limit=PLENTY, by=admin)
    Desk.objects.create(version=version, reading=version.readings.get(), opened_by=second)
    print(version.pk)
    for number in range(WRITERS):
        analyst = accounts.create(username=f"analyst{number}", password=PASSWORD, by=admin)
        memberships.add(project=project, user=analyst, role="analyst", by=admin)
        budgets.allow(allotment=allotment, user=analyst, limit=Spend.of(100), by=second)
        print(analyst.pk)


def charges(version: str, analyst: str, questions: str) -> Callable[[], None]:
    """The whole action, as a worker that holds the question pays for it."""
    asked = Version.objects.select_related("dataset__population", "dataset__project").get(pk=version)
    by = User.objects.get(pk=analyst)
    held = iter([query.pk for query in Query.objects.bulk_create(claimed(asked, by, int(questions)))])

    def charge() -> None:
        ledger.charge_query(query=next(held), fence=1, version=asked, cost=CHARGE, what="A count", by=by)

    return charge


def claimed(version: Version, by: User, number: int) -> Iterator[Query]:
    """Questions that a worker holds."""
    claim = {"state": JobState.RUNNING, "worker": "benchmark", "fence": 1, "attempts": 1}
    claim["lease_until"] = timezone.now() + timedelta(days=1)
    desk = version.desks.select_related("reading").get()
    about = {"desk": desk, "version": version, "reading": desk.reading, "asked_by": by}
    for _ in range(number):
        name = uuid.uuid4().hex
        yield Query(**about, **claim, fingerprint=name, epsilon_micro=1)


def counts() -> Callable[[], None]:
    """One UPDATE of one row, committed."""

    def count() -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE counter SET n = n + 1")

    return count


def write(work: Callable[[], None]) -> None:
    """As often as it goes."""
    work()
    print("ready", flush=True)
    for line in sys.stdin:
        done, end = 0, time.monotonic() + float(line)
        while time.monotonic() < end:
            work()
            done += 1
        print(done, flush=True)


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "prepare":
        prepare()
    else:
        write(charges(*arguments) if verb == "charge" else counts())
