"""The demo's voter list: what a neighbour could know, with names, of some who answered and of others."""

from __future__ import annotations

import csv
import io

from stewardapp.actions import assessments, datasets, populations, uploads
from stewardapp.management.demo_work import carry_out
from stewardapp.management.survey import health_survey
from stewardapp.models import Dataset, Population, Project, Run, User, Version
from worker.engine.recipes.document import Entry

NAME, PEOPLE = "Voter list", "Voters of the region"
KNOWN = ("birth_date", "sex", "postcode")
FIRST = ("Ada", "Bela", "Cato", "Dina", "Edo", "Fenja", "Gilo", "Hedda", "Ivo", "Jonna", "Kaja", "Lasse")
LAST = ("Amsel", "Birke", "Dorn", "Esche", "Falke", "Ginster", "Holm", "Iltis", "Kiebitz", "Linde", "Moor")
EVERY = 8
"""Of the people of the survey every so many is on it."""
OTHERS = 250
"""So many are on it whom nobody asked."""


def voters(survey: str, others: str) -> str:
    """As CSV text: names that nobody bears, and columns called as in the survey."""
    asked = list(csv.DictReader(io.StringIO(survey)))[::EVERY]
    people = [*asked, *list(csv.DictReader(io.StringIO(others)))[:OTHERS]]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("name", *KNOWN))
    writer.writerows((_name(at), *(one[column] for column in KNOWN)) for at, one in enumerate(people))
    return buffer.getvalue()


def _name(number: int) -> str:
    first, last = number % len(FIRST), number // len(FIRST) % len(LAST)
    return f"{FIRST[first]} {LAST[last]} {number + 1}"


def load(project: Project, steward: User, survey: str) -> Version:
    """Bring the list in as a dataset of the project, once; finish what was interrupted."""
    version = Version.objects.filter(dataset__name=NAME).first() or _uploaded(project, steward, survey)
    for reading in version.readings.alive():
        carry_out("reading", reading)
    version.refresh_from_db()
    return version


def _uploaded(project: Project, steward: User, survey: str) -> Version:
    people = Population.objects.filter(name=PEOPLE).first() or populations.create(name=PEOPLE, by=steward)
    dataset = Dataset.objects.filter(name=NAME).first() or datasets.create(
        project=project,
        population=people,
        name=NAME,
        description="Demo: invented names beside what is in the survey too. Attacks are replayed with it.",
        by=steward,
    )
    content = voters(survey, health_survey(OTHERS, seed=20)).encode("utf-8")
    upload = uploads.begin(dataset=dataset, filename="voters.csv", length=len(content), by=steward)
    upload = uploads.append(upload=upload, offset=0, stream=io.BytesIO(content), by=steward)
    return uploads.complete(upload=upload, by=steward)


def attack(run: Run, wanted: Entry, steward: User) -> None:
    """Have it replayed on what a run released, once."""
    if not run.assessments.exists():
        assessments.ask(run=run, measures=[wanted], by=steward)
    for assessment in run.assessments.alive():
        carry_out("assessment", assessment)
