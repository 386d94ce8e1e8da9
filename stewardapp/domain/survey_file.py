"""The answers of a survey as a file, and what its columns are."""

from __future__ import annotations

import csv
import io
from typing import Final

from stewardapp.models import Column, Survey, Version
from worker.engine.io.dialect import DialectJson
from worker.engine.tables.kinds import Kind, Role

DIALECT: Final[DialectJson] = {"delimiter": ",", "encoding": "utf-8", "quote": '"', "missing": [""]}


def content_of(survey: Survey) -> bytes:
    """One row per respondent, in the shuffled order in which the answers are kept."""
    questions = list(survey.questions.all())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([question.name for question in questions])
    for codes in survey.answers.order_by("number").values_list("codes", flat=True).iterator():
        writer.writerow([one.answers[code] for one, code in zip(questions, codes, strict=True)])
    return text.getvalue().encode()


def columns_of(survey: Survey, version: Version) -> list[Column]:
    """The columns as the survey knows them; the reading that follows keeps what is said here."""
    return [
        Column(
            version=version,
            position=position,
            name=question.name,
            kind=Kind.CATEGORICAL,
            kind_confirmed=True,
            role=Role.SENSITIVE,
            label=question.text,
            randomized=question.randomized(),
        ).saying(settings={"categories": question.answers})
        for position, question in enumerate(survey.questions.all())
    ]
