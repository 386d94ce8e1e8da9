"""A demo project with a synthetic health survey that holds a release in every state.

Built only through the actions and a real worker's code, so that every page shows what could have happened.
"""

import io
import json
import secrets
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings

from stewardapp.access.workflow import Decision, State
from stewardapp.actions import (
    accounts,
    budgets,
    columns,
    comments,
    datasets,
    downloads,
    hierarchies,
    looks,
    memberships,
    officers,
    populations,
    projects,
    proposals,
    releases,
    reviews,
    runs,
    uploads,
)
from stewardapp.management import demo_attacks, demo_desk, demo_survey, demo_voters
from stewardapp.management.demo_work import at_work, carry_out
from stewardapp.management.survey import health_survey
from stewardapp.models import (
    Artifact,
    Dataset,
    Hierarchy,
    Population,
    Project,
    Release,
    Run,
    User,
    Version,
)
from stewardapp.reads.demo import is_loading, marker
from stewardapp.secrets_file import write_private
from worker.engine.contracts.privacy import Spend
from worker.engine.recipes.document import Entry, RecipeJson

PERSONAS = ("admin", "steward", "reviewer", "second_reviewer", "analyst", "officer", "outsider")
ROLES = {"steward": "steward", "reviewer": "reviewer", "second_reviewer": "reviewer", "analyst": "analyst"}
TAGS = {
    "person_id": "direct-identifier", "email": "direct-identifier", "birth_date": "quasi-identifier",
    "sex": "quasi-identifier", "postcode": "quasi-identifier", "education": "quasi-identifier",
    "diagnosis": "sensitive", "income": "sensitive", "weight": "weight", "household": "household-key",
    "agreed": "consent", "remarks": "dropped",
}  # fmt: skip
HIERARCHIES: dict[str, dict[str, Any]] = {
    "birth_date": {"builder": "date", "levels": ["year", "decade"]},
    "postcode": {"builder": "mask", "side": "right"},
}
ROWS = 6000
PUBLISHED = "Chronic disease 2025, research file"
SEEDS = {"Health survey 2025": 18, "Health survey 2026": 19}  # the same bytes would be the same people


def begin() -> list[tuple[str, str, str]]:
    """Let the personas in; return role, user name and password of each.

    What was interrupted is continued: the marker stays until everything is there.
    """
    if not settings.STEWARD_SITE and (is_loading() or not User.objects.exists()):
        marker().touch(mode=0o600)
        _people(_passwords() or _make_passwords())
    return [(name, name, password) for name, password in _passwords().items()]


def load() -> list[tuple[str, str, str]]:
    """Load the demo once; return what `begin` does."""
    personas = begin()
    if is_loading():
        with at_work():
            _fill(_people(_passwords()))
        marker().unlink()
    return personas


def _file() -> Path:
    return Path(settings.STEWARD_DATA) / "demo-personas.json"


def _passwords() -> dict[str, str]:
    file = _file()
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _make_passwords() -> dict[str, str]:
    """Random ones, in a file that only its owner can read: a demo is on a network sooner than one thinks."""
    passwords = {name: secrets.token_urlsafe(12) for name in PERSONAS}
    write_private(_file(), json.dumps(passwords))
    return passwords


def _people(passwords: dict[str, str]) -> dict[str, User]:
    people = {user.username: user for user in User.objects.filter(username__in=PERSONAS)}
    if "admin" not in people:
        people["admin"] = accounts.create_first_admin(username="admin", password=passwords["admin"])
    for name in PERSONAS:
        if name not in people:
            people[name] = accounts.create(username=name, password=passwords[name], by=people["admin"])
    if not people["officer"].is_officer:
        people["officer"] = officers.appoint(user=people["officer"], by=people["admin"])
    return people


def _fill(people: dict[str, User]) -> None:
    project = _project(people)
    version = _survey(project, people["steward"], "Health survey 2025")
    _tag(version, people["steward"])
    _budget(project, version, people)
    story = Story(version, people)
    for title, stage in STAGES.items():
        stage(story, title)
    _survey(project, people["steward"], "Health survey 2026")
    demo_survey.load(project, people["steward"])
    demo_desk.load(version, people["steward"], people["analyst"])
    demo_attacks.load(people["steward"])
    _attack(project, people["steward"])


def _attack(project: Project, steward: User) -> None:
    """Voters looked up in the file that was published, for the page of its results."""
    survey = health_survey(ROWS, seed=SEEDS["Health survey 2025"])
    voters = demo_voters.load(project, steward, survey)
    published = Release.objects.get(title=PUBLISHED).candidate
    lookup = {"file": str(voters.pk), "keys": list(demo_voters.KNOWN)}
    if published is not None:
        wanted = Entry(measure="auxiliary-linkage", params=lookup)
        demo_voters.attack(published, wanted, steward)


def _project(people: dict[str, User]) -> Project:
    name, admin = "Health survey unit", people["admin"]
    project = Project.objects.filter(name=name).first() or projects.create(
        name=name, description="Demo: a synthetic survey of people who do not exist.", by=admin
    )
    for person, role in ROLES.items():
        if not project.memberships.filter(user=people[person]).exists():
            memberships.add(project=project, user=people[person], role=role, by=admin)
    return project


def _survey(project: Project, steward: User, name: str) -> Version:
    version = Version.objects.filter(dataset__name=name).first() or _upload(project, steward, name)
    for reading in version.readings.alive():
        carry_out("reading", reading)
    version.refresh_from_db()
    return version


def _upload(project: Project, steward: User, name: str) -> Version:
    people = f"Respondents of the {name}"
    population = Population.objects.filter(name=people).first() or populations.create(name=people, by=steward)
    dataset = Dataset.objects.filter(name=name).first() or datasets.create(
        project=project, population=population, name=name, description="Synthetic.", by=steward
    )
    content = health_survey(ROWS, seed=SEEDS[name]).encode("utf-8")
    upload = uploads.begin(dataset=dataset, filename="survey.csv", length=len(content), by=steward)
    upload = uploads.append(upload=upload, offset=0, stream=io.BytesIO(content), by=steward)
    return uploads.complete(upload=upload, by=steward)


def _tag(version: Version, steward: User) -> None:
    columns.tag(version=version, roles=TAGS, granted={"agreed": ["yes"]}, by=steward)
    for column in version.columns.filter(name__in=HIERARCHIES, hierarchy=None):
        name, spec = f"{column.name}, demo", HIERARCHIES[column.name]
        known = Hierarchy.objects.filter(project=version.project, name=name).first()
        hierarchy = known or hierarchies.create(project=version.project, name=name, spec=spec, by=steward)
        hierarchies.attach(column=column, hierarchy=hierarchy, by=steward)


def _budget(project: Project, version: Version, people: dict[str, User]) -> None:
    """A limit that two people agreed on, its parts, and a proposal that waits for the second person."""
    population, steward = version.dataset.population, people["steward"]
    if population.limit:
        return
    columns.describe(version=version, name="sex", settings={"categories": ["F", "M"]}, by=steward)
    limit, reason = Spend.of(2, Decimal("1e-8")), "Yearly tables and the questions of one study."
    asked = proposals.propose_limit(population=population, limit=limit, reason=reason, by=steward)
    looks.look(proposal=asked, by=people["officer"])
    proposals.confirm(proposal=asked, by=people["officer"], aware=True)
    part = Spend.of(Decimal("1.5"), Decimal("1e-8"))
    allotment = budgets.allot(population=population, project=project, limit=part, by=steward)
    budgets.allow(allotment=allotment, user=people["analyst"], limit=Spend.of(Decimal("0.5")), by=steward)
    more, reason = Spend.of(3, Decimal("1e-8")), "A second study asks for the same people."
    proposals.propose_limit(population=population, limit=more, reason=reason, by=steward)


class Story:
    """One release on its way; each verb is an action by the persona whose turn it is.

    What was told before an interruption is not told again.
    """

    def __init__(self, version: Version, people: dict[str, User]) -> None:
        self.version = version
        self.people = people

    def begun(self, title: str, recipe: RecipeJson, **words: str) -> Release:
        """A release and what it is for."""
        known = Release.objects.filter(title=title).first()
        return known or releases.create(
            version=self.version, title=title, recipe=recipe, by=self.people["steward"], **words
        )

    def draft(self, title: str) -> Release:
        """A research file that nobody has run yet."""
        words = {
            "purpose": "Regional study of chronic disease",
            "context": "For a university under a data agreement.",
        }
        return self.begun(title, _research_file(), **words)

    def run(self, release: Release, number: int = 1) -> Run:
        """Run the recipe."""
        run = release.runs.filter(number=number).first()
        run = run or runs.start(release=release, by=self.people["steward"])
        carry_out("run", run)
        return run

    def submitted(self, release: Release) -> Release:
        """Run and submit."""
        if release.state != State.DRAFT:
            return release
        return releases.submit(release=release, run=self.run(release), by=self.people["steward"])

    def decided(self, title: str, decision: Decision, reason: str) -> Release:
        """Run, submit and let the reviewer decide."""
        release = self.submitted(self.draft(title))
        if release.state == State.IN_REVIEW:
            reviews.decide(
                release=release, manifest_sha256=release.candidate_sha256, decision=decision,
                reason=reason, by=self.people["reviewer"],
            )  # fmt: skip
            release.refresh_from_db()
        return release

    def published(self, title: str) -> Release:
        """Run, submit, approve and publish for the project."""
        release = self.decided(title, Decision.APPROVE, "Goals hold and the purpose is clear.")
        if release.state == State.APPROVED:
            steward, seen = self.people["steward"], release.candidate_sha256
            release = releases.publish(release=release, manifest_sha256=seen, by=steward)
        return release


def _research_file(k: int = 5, l: int = 2) -> RecipeJson:  # noqa: E741 - the name of the parameter
    """Generalization to k-anonymity and l-diversity."""
    return {
        "goals": [
            {"goal": "k-anonymity", "params": {"k": k}},
            {"goal": "l-diversity", "params": {"column": "diagnosis", "l": l}},
        ],
        "steps": [
            {"method": "generalization", "params": {"suppression_limit": 0.05, "drop_suppressed": True}}
        ],
        "measures": ["*"],
    }


def _draft_with_runs(story: Story, title: str) -> None:
    """Two that succeed and one that cannot; the draft stays as it was for the second."""
    release = story.draft(title)
    tried = (_research_file(), _research_file(k=10), _research_file(k=10, l=500))
    for number, recipe in enumerate(tried, start=1):
        if not release.runs.filter(number=number).exists():
            release = _rewritten(story, release, recipe)
        story.run(release, number)
        release.refresh_from_db()
    _rewritten(story, release, tried[1])


def _rewritten(story: Story, release: Release, recipe: RecipeJson) -> Release:
    if release.recipe["goals"] == recipe["goals"]:
        return release
    return releases.edit_recipe(release=release, recipe=recipe, by=story.people["steward"])


def _in_review(story: Story, title: str) -> None:
    question = "Is the year of birth needed, or would the decade do?"
    release = story.submitted(story.draft(title))
    if not release.comments.exists():
        comments.add(release=release, text=question, by=story.people["reviewer"])


def _changes_requested(story: Story, title: str) -> None:
    story.decided(title, Decision.REQUEST_CHANGES, "Say who will receive the file.")


def _approved(story: Story, title: str) -> None:
    story.decided(title, Decision.APPROVE, "Fine for teaching.")


def _rejected(story: Story, title: str) -> None:
    story.decided(title, Decision.REJECT, "Not a purpose people agreed to.")


def _withdrawn(story: Story, title: str) -> None:
    if (release := story.draft(title)).state == State.DRAFT:
        releases.withdraw(release=release, by=story.people["steward"])


def _published(story: Story, title: str) -> None:
    release, analyst = story.published(title), story.people["analyst"]
    for artifact in Artifact.objects.public().filter(run=release.candidate, downloads=None):
        downloads.record(release=release, artifact=artifact, by=analyst)


def _counted(epsilon: float) -> Callable[[Story, str], None]:
    """A table with noise, paid for from the budget."""

    def counted(story: Story, title: str) -> None:
        step: Entry = {"method": "dp-histogram", "params": {"columns": ["sex"], "epsilon": epsilon}}
        words = {"purpose": "Yearly table", "context": "For the public."}
        story.submitted(story.begun(title, {"steps": [step]}, **words))

    return counted


def _revoked(story: Story, title: str) -> None:
    release, notice = story.published(title), "A corrected edition replaces this file."
    if release.state == State.PUBLISHED:
        releases.revoke(release=release, notice=notice, by=story.people["steward"])


STAGES: dict[str, Callable[[Story, str], None]] = {
    PUBLISHED: _published,
    "Chronic disease 2025, withdrawn edition": _revoked,
    "Research file, first try": _draft_with_runs,
    "Research file for the regional study": _in_review,
    "File for the asthma register": _changes_requested,
    "File for the teaching course": _approved,
    "File for a marketing agency": _rejected,
    "File nobody needs any more": _withdrawn,
    "Respondents by sex 2025": _counted(0.5),
    "Respondents by sex 2025, first draft": _counted(0.25),
}
"""What is out comes first: whatever is begun afterwards is compared with it."""
