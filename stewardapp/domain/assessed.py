"""What was measured of a run afterwards and counts: its place in what reviewers vote on, and in the verdict.

Only what a reviewer or the policy demanded counts. What somebody wanted to know besides is shown beside the
results, and changes neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict

from stewardapp.canonical import sha256_of
from stewardapp.domain.manifest import KeptResult, Stated, kept_results, stated_results
from worker.engine import catalogue
from worker.engine.contracts.result import State

if TYPE_CHECKING:
    from stewardapp.models.assessment import Assessment
    from stewardapp.models.run import Run
    from worker.engine.contracts.result import Result

ANSWERED = (State.MEASURED, State.DOES_NOT_APPLY)
"""What became of an instance about which nothing is left to ask."""


class Counted(TypedDict):
    """An assessment that counts, with the figures of it that may be published."""

    id: str
    why: str
    sha256: str
    engine_version: str
    measures: list[Stated]


class Assessed(TypedDict):
    """All that count, the oldest first, and what the newest of them found of each instance."""

    reports: list[Counted]
    results: dict[str, KeptResult]


def with_assessment(run: Run, assessment: Assessment, results: Iterable[Result]) -> Assessed:
    """What counts of a run after one more assessment."""
    found = list(results)
    report = Counted(
        id=str(assessment.pk),
        why=assessment.why,
        sha256=assessment.report_sha256,
        engine_version=assessment.engine_version,
        measures=stated_results(found),
    )
    earlier = run.assessed or Assessed(reports=[], results={})
    return Assessed(
        reports=[*earlier["reports"], report],
        results={**earlier["results"], **kept_results(run.recipe, found)},
    )


def candidate_sha256(run: Run) -> str:
    """What is voted on when this run is the candidate: its manifest, and every assessment that counts."""
    if not run.assessed:
        return run.manifest_sha256
    return sha256_of({"manifest_sha256": run.manifest_sha256, "assessments": run.assessed["reports"]})


def is_counted(assessment: Assessment) -> bool:
    """Whether the verdict on its run and the votes hang on it."""
    return any(one["id"] == str(assessment.pk) for one in assessment.run.assessed.get("reports", ()))


def joined(figures: Mapping[str, KeptResult], assessed: Mapping[str, KeptResult]) -> dict[str, KeptResult]:
    """What is known of each instance: from the run itself, or else from what was measured afterwards. What
    hangs on other releases is known better by whoever looked later."""
    answered = {id: one for id, one in figures.items() if one["state"] in ANSWERED}
    later = {id: one for id, one in assessed.items() if one["state"] in ANSWERED and _looks_beside(id)}
    return {**figures, **assessed, **answered, **later}


def _looks_beside(id: str) -> bool:
    contract = catalogue.measures().get(id.partition("#")[0])
    return contract is not None and contract.looks_beside
