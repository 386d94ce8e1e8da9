"""A project on a site, with a small survey that holds a canary in every row."""

from dataclasses import dataclass
from typing import Any

from stewardapp.actions import columns, desks, queries, releases
from stewardapp.models import Desk, Query, Release, Run, Version
from stewardapp.models.job import Job, JobQuerySet
from tests.factories import Team, budgets, give_budget, make_project, make_run, unique, upload
from tests.faults.invariants import CANARY
from tests.site import Site, until
from worker.engine.contracts.privacy import Spend

ROLES = {
    "name": "direct-identifier",
    "age": "quasi-identifier",
    "town": "quasi-identifier",
    "illness": "sensitive",
}


def survey(people: str, rows: int = 400) -> bytes:
    """Four columns, one of which identifies; other people in each."""
    towns, illnesses = ("North", "South"), ("none", "flu", "cold")
    lines = [
        f"{CANARY}-{people}-{row},{20 + row % 4 * 10},{towns[row % 2]},{illnesses[row % 3]}"
        for row in range(rows)
    ]
    return "\n".join(["name,age,town,illness", *lines, ""]).encode()


def trouble(**params: Any) -> dict[str, Any]:
    """A step of the method that goes wrong on demand."""
    return {"method": "trouble", "params": params}


@dataclass
class World:
    """One team and a version that was read by a real worker."""

    site: Site
    team: Team
    version: Version

    @classmethod
    def make(cls, site: Site, **worker: str) -> "World":
        """Have a worker read the survey: the one that runs, if it need not be a special one."""
        if worker:
            site.stop()
        if worker or not site.has_worker():
            site.start_worker(**worker)
        team = make_project()
        version = upload(team, data=survey(unique("person")))
        ended(version.attempt)
        version.refresh_from_db()
        assert version.current is not None, site.logs()
        columns.tag(version=version, roles=ROLES, by=team.steward)
        return cls(site, team, version)

    def release(self, *steps: dict[str, Any], k: int = 3) -> Release:
        """Trouble first, then generalization."""
        recipe = {
            "goals": [{"goal": "k-anonymity", "params": {"k": k}}],
            "steps": [*steps, {"method": "generalization", "params": {"suppression_limit": 0.5}}],
            "measures": ["*"],
        }
        return releases.create(version=self.version, title="Survey", recipe=recipe, by=self.team.steward)

    def budget(self, limit: Spend) -> None:
        """People have a budget, and what their town can be is declared."""
        give_budget(self.team, self.version.dataset.population, limit)
        towns = {"categories": ["North", "South"]}
        columns.describe(version=self.version, name="town", settings=towns, by=self.team.steward)

    def paid_run(self, epsilon: float) -> Run:
        """A queued run that draws noise."""
        step = {"method": "dp-histogram", "params": {"columns": ["town"], "epsilon": epsilon}}
        recipe = {"steps": [step]}
        release = releases.create(version=self.version, title="Towns", recipe=recipe, by=self.team.steward)
        return make_run(release, by=self.team.steward)

    def desk(self, limit: Spend) -> Desk:
        """An open query desk where the analyst may spend all there is."""
        self.budget(limit)
        allotment = self.version.dataset.population.allotments.get()
        budgets.allow(allotment=allotment, user=self.team.analyst, limit=limit, by=self.team.steward)
        return desks.open_on(version=self.version, columns=["town"], rows_per_person=1, by=self.team.steward)

    def question(self, desk: Desk, epsilon: float) -> Query:
        """A queued question."""
        asked = {"ask": "histogram", "column": "town", "epsilon": epsilon}
        return queries.ask(desk=desk, question=asked, by=self.team.analyst)

    def run(self, **params: Any) -> Run:
        """A queued run that makes trouble."""
        return make_run(self.release(trouble(**params)), by=self.team.steward)


def ended(job: Job | None, seconds: float = 120) -> str:
    """Wait for the end of a job; the state it ended in."""
    assert job is not None
    rows: JobQuerySet[Any] = type(job)._default_manager.all()
    kind = type(job).__name__.lower()
    until(lambda: rows.ended().filter(pk=job.pk).exists(), seconds, f"the {kind} ends")
    job.refresh_from_db()
    return job.state


def running(job: Run, seconds: float = 30) -> None:
    """Wait until a worker has it and its engine reports progress."""
    held = Run.objects.filter(pk=job.pk, state="running", stage="Making trouble")
    until(held.exists, seconds, "the engine works on the run")
