"""The demo's list of voters: invented names, and people of whom some answered the survey."""

from __future__ import annotations

import csv
import io

from stewardapp.management.demo_voters import EVERY, KNOWN, OTHERS, voters
from stewardapp.management.survey import HEADER, health_survey

Known = tuple[str, ...]


def known(text: str) -> list[Known]:
    return [tuple(row[name] for name in KNOWN) for row in csv.DictReader(io.StringIO(text))]


def test_some_of_the_survey_are_on_it_and_others_besides() -> None:
    survey, others = health_survey(400, seed=3), health_survey(OTHERS, seed=20)
    made = voters(survey, others)
    names = [row["name"] for row in csv.DictReader(io.StringIO(made))]
    assert set(KNOWN) <= set(HEADER)
    assert known(made) == [*known(survey)[::EVERY], *known(others)]
    assert len(set(names)) == len(names) == 400 // EVERY + OTHERS
    assert voters(survey, others) == made
