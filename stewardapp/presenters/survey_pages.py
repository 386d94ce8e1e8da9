"""Surveys as pages print them: to respondents in plain words, to stewards with what can be estimated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from stewardapp.models import Survey, SurveyQuestion
from stewardapp.reads.answers import codes_sent
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.dp import promises
from worker.engine.randomization.response import Design
from worker.engine.randomization.survey_protocol import PROTOCOL


@dataclass(frozen=True)
class Strength:
    """How strongly a question, or all of them, are randomized."""

    epsilon: float
    keep: float = 0.0
    other: float = 0.0

    @property
    def promise(self) -> str:
        """What one answer is promised."""
        return promises.for_respondents(self.epsilon)

    @property
    def promise_in_all(self) -> str:
        """What all answers together are promised."""
        return promises.for_all_answers(self.epsilon)


def strength(design: Design) -> Strength:
    """Of one question."""
    return Strength(design.epsilon, design.true / design.total, design.other / design.total)


def total(survey: Survey) -> Strength:
    """Of all questions of one person together: the ε add up."""
    return Strength(sum(design.epsilon for design in survey.designs()))


def dice(design: Design) -> int | None:
    """Below which throw of 00 to 99 the truth is told, where two ten-sided dice do it exactly."""
    hundredths = 100 * design.true
    return hundredths // design.total if hundredths % design.total == 0 else None


@dataclass(frozen=True)
class QuestionLine:
    """A question with its answers and its strength."""

    question: SurveyQuestion
    number: int
    strength: Strength
    dice: int | None

    @property
    def lies(self) -> float:
        """How often some other answer than the true one is sent."""
        return 1.0 - self.strength.keep


def public_questions(survey: Survey) -> list[QuestionLine]:
    """Every question in its order."""
    return [
        QuestionLine(one, one.position + 1, strength(one.design()), dice(one.design()))
        for one in survey.questions.all()
    ]


def public_protocol(survey: Survey) -> dict[str, object]:
    """What the script needs to know."""
    return {
        "survey": str(survey.public_id),
        "protocol": PROTOCOL,
        "parameters": survey.parameters_sha256,
        "invited": survey.invited,
        "url": reverse("survey-receive", args=[survey.public_id]),
        "questions": [
            {"true": one.true, "other": one.other, "categories": one.categories} for one in survey.designs()
        ],
    }


@dataclass(frozen=True)
class Estimated:
    """One answer: how often it was sent, and what that says of the true answers."""

    answer: str
    sent: int
    sent_share: float
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Result:
    """One question with everything that is estimated."""

    line: QuestionLine
    answers: int
    lines: list[Estimated]
    error_local: float
    error_central: float

    @property
    def price(self) -> float:
        """How many times larger the error is than a trusted curator's."""
        return self.error_local / self.error_central if self.error_central else math.inf


def results(survey: Survey) -> list[Result]:
    """Unbiased estimates of every question from the randomized answers that have come."""
    codes = codes_sent(survey)
    return [
        result(line, [one[place] for one in codes]) for place, line in enumerate(public_questions(survey))
    ]


def result(line: QuestionLine, codes: Sequence[int]) -> Result:
    """One question."""
    counts, answers = Counter(codes), line.question.answers
    sent = [counts[code] for code in range(len(answers))]
    found = line.question.design().estimates(sent)
    rows = max(1, len(codes))
    lines = [
        Estimated(answer, number, number / rows, share, *interval)
        for answer, number, share, interval in zip(
            answers, sent, found["estimated_shares"], found["intervals95"], strict=True
        )
    ]
    return Result(line, len(codes), lines, found["error95_local"], found["error95_central"])


def chart(found: Result) -> Chart:
    """The estimates with their intervals beside what was sent."""
    names = tuple(line.answer for line in found.lines)
    errors = tuple((line.high - line.low) / 2 for line in found.lines)
    return Chart(
        f"question-{found.line.number}",
        found.line.question.text,
        "bar",
        Axis("Answer", scale="category"),
        Axis("Share", scale="percent"),
        (
            Series("As sent", names, tuple(line.sent_share for line in found.lines)),
            Series("Estimated", names, tuple(line.share for line in found.lines), error=errors),
        ),
        note="The estimate takes the randomization out; the bars show its 95 % interval.",
        internal=True,
    )


def randomized_note(randomized: dict[str, Any]) -> str:
    """How to work with a column whose answers were randomized before they were sent."""
    if not randomized:
        return ""
    design = Design(randomized["true"], randomized["other"], randomized["categories"])
    p, q = design.true / design.total, design.other / design.total
    return (
        f"The respondents randomized their answers before they sent them: the true one was reported with "
        f"probability {p:.6g} and each of the {design.categories - 1} others with {q:.6g} (local "
        f"differential privacy, ε = {design.epsilon:.6g}). From an observed share λ of n answers, "
        f"(λ − {q:.6g}) / {p - q:.6g} estimates the true share without bias; its variance is "
        f"λ(1 − λ) / (n · {(p - q) ** 2:.6g})."
    )
