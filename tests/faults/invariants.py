"""What must be true after any fault. Reads only the database and the stored files."""

import hashlib
from pathlib import Path

from django.conf import settings

from stewardapp import storage
from stewardapp.canonical import sha256_of
from stewardapp.domain import audit_chain
from stewardapp.domain.assessed import candidate_sha256
from stewardapp.domain.facts import contributors_of
from stewardapp.domain.pricing import costs_of
from stewardapp.models import (
    Allotment,
    Artifact,
    Blob,
    Charge,
    JobState,
    Population,
    Query,
    Reading,
    Release,
    Run,
    Version,
)
from stewardapp.models.job import ENDED
from worker.queue.kinds import kinds

CANARY = "canary-91c3"


def broken() -> list[str]:
    """Every promise that does not hold, in words."""
    return [
        *unended(),
        *bytes_and_rows(),
        *manifests(),
        *budgets(),
        *questions(),
        *approvals(),
        *chain(),
        *leaks(),
    ]


def unended() -> list[str]:
    """Every job is in one terminal state."""
    return [
        f"{name} {job.pk} is {job.state}"
        for name, kind in kinds().items()
        for job in kind.jobs
        if job.state not in ENDED
    ]


def bytes_and_rows() -> list[str]:
    """Every row has its bytes, all bytes have their row, and the hash of the one is in the other."""
    storage.sweep(grace_seconds=0)
    root = Path(settings.STEWARD_DATA)
    stored = {blob.path: blob for blob in Blob.objects.stored()}
    there = set(storage.names())
    found = [f"no bytes for {path}" for path in stored.keys() - there]
    found += [f"no row for {path}" for path in there - stored.keys()]
    found += [f"stale {path}" for path in (root / storage.TEMPORARY).glob("*")]
    for path in stored.keys() & there:
        with storage.reading(stored[path]) as reader:
            content = reader.read()
        if hashlib.sha256(content).hexdigest() != stored[path].sha256 or stored[path].sha256 not in path:
            found.append(f"other bytes than promised in {path}")
    return found


def manifests() -> list[str]:
    """A run that succeeded has the files its manifest lists, and no other run has any."""
    found = []
    for run in Run.objects.all():
        listed = {(entry["name"], entry["sha256"]) for entry in run.manifest.get("artifacts", [])}
        there = set(Artifact.objects.filter(run=run).values_list("name", "sha256"))
        if listed != there:
            found.append(f"run {run.pk}: files and manifest differ")
        if (run.state == JobState.SUCCEEDED) != bool(there):
            found.append(f"run {run.pk} is {run.state} with {len(there)} files")
        if run.manifest and sha256_of(run.manifest) != run.manifest_sha256:
            found.append(f"run {run.pk}: another manifest than its hash says")
    for reading in Reading.objects.filter(state=JobState.SUCCEEDED):
        if not Version.objects.ready().filter(pk=reading.version_id).exists():
            found.append(f"reading {reading.pk} succeeded without a table")
    return found


def budgets() -> list[str]:
    """What was spent is what was charged, within every limit; each key once; no answer without its charge."""
    found = []
    for population in Population.objects.all():
        charged = population.charges.total()
        if charged != population.spent or not charged.within(population.limit):
            found.append(f"population {population.pk}: {charged} charged, {population.spent} spent")
        keys = list(population.charges.values_list("run", "step", "query"))
        if len(keys) != len(set(keys)):
            found.append(f"population {population.pk}: something was charged twice")
    for allotment in Allotment.objects.all():
        direct = allotment.population.charges.filter(project=allotment.project, direct=True)
        if direct.total() != allotment.spent:
            found.append(f"allotment {allotment.pk}: {direct.total()} charged, {allotment.spent} spent")
    for run in Run.objects.filter(state=JobState.SUCCEEDED):
        paid = set((run.answered_by or run).charges.filter(direct=True).values_list("step", flat=True))
        if {cost.step for cost in costs_of(run.recipe)} - paid:
            found.append(f"run {run.pk} shows an answer nobody paid for")
        if run.answered_by and run.charges.exists():
            found.append(f"run {run.pk} paid for an answer that was there")
    return found


def questions() -> list[str]:
    """Each answer was paid for once and is there with its true twin; each charge has its question."""
    found = []
    for query in Query.objects.all():
        paid = Charge.objects.filter(query=query.pk, direct=True).count()
        if paid != (query.charged_at is not None and query.repeats is None):
            found.append(f"question {query.pk} was charged {paid} times")
        answered = query.state == JobState.SUCCEEDED
        if answered != bool(query.answer) or answered != (query.exact is not None):
            found.append(f"question {query.pk} is {query.state} and its answer is not")
        if answered and not (paid or query.repeats):
            found.append(f"question {query.pk} shows an answer nobody paid for")
        if query.repeats and answered and query.answer != query.repeats.answer:
            found.append(f"question {query.pk} repeats another answer")
    return found


def approvals() -> list[str]:
    """What is published is what enough distinct people approved."""
    found = []
    for release in Release.objects.live().select_related("candidate", "policy"):
        votes = release.reviews.filter(manifest_sha256=release.candidate_sha256, decision="approve")
        people = set(votes.values_list("reviewer_id", flat=True)) - contributors_of(release)
        assert release.policy is not None
        if len(people) < release.policy.reviewers:
            found.append(f"release {release.pk} was published with {len(people)} approvals")
        if release.candidate is None or candidate_sha256(release.candidate) != release.candidate_sha256:
            found.append(f"release {release.pk}: not the approved run")
    return found


def chain() -> list[str]:
    """The audit log holds together."""
    verdict = audit_chain.verify()
    return [] if isinstance(verdict, audit_chain.Whole) else [f"audit event {verdict.id}: {verdict.reason}"]


def leaks() -> list[str]:
    """The planted value lies in clear nowhere in the data folder: files, logs, queue."""
    needle = CANARY.encode()
    return [
        f"a value lies open in {path.name}"
        for path in Path(settings.STEWARD_DATA).rglob("*")
        if path.is_file() and not path.name.startswith("steward.sqlite3") and needle in path.read_bytes()
    ]
