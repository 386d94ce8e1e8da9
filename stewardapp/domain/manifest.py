"""The manifest of a run: what exactly was made, and what was found in the bytes.

Its hash is what a reviewer votes on. The public manifest is a part of it: for
differentially private releases anything that is an exact function of the data stays inside.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict, cast

from stewardapp.access.facts import MeasuredFacts, RunFacts
from stewardapp.domain.averaging import Change, changes_of
from worker.engine import catalogue
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.figure import Figure, Figures, Scalar
from worker.engine.contracts.goal import GoalFinding
from worker.engine.contracts.result import Result
from worker.engine.recipes.document import RecipeJson
from worker.engine.recipes.report import Loss, ReportJson
from worker.engine.recipes.stored import public_figures, results_of

if TYPE_CHECKING:
    from stewardapp.models.artifact import Artifact
    from stewardapp.models.policy_row import DemandJson
    from stewardapp.models.reading import Reading
    from stewardapp.models.run import Run


class Listed(TypedDict):
    """A file as the manifest lists it."""

    name: str
    media_type: str
    public: bool
    sha256: str
    size: int
    rows: int | None


class ReadFrom(TypedDict, total=False):
    """Which table it was: an exact function of the data, so never for the public."""

    id: str
    version: str
    table_sha256: str
    dialect: object


class LookedAt(TypedDict):
    """Another release that measures could look at."""

    release: str
    manifest_sha256: str


class JudgedBy(TypedDict, total=False):
    """The policy that was in force."""

    id: str
    version: int
    rows: Sequence[DemandJson]


class Leaked(TypedDict):
    """A file that leaked and was known beside a run, by the hash of the table that was read of it."""

    leak: str
    sha256: str


class Stated(TypedDict, total=False):
    """The public figures of a result: they stay in clear. Its parameters may hold values and do not."""

    id: str
    measure: str
    before: Figures
    after: Figures


class WholeResult(TypedDict):
    """All figures of a result, and why one was not measured; how long it took is no part of what was made."""

    id: str
    measure: str
    section: str
    params: object
    state: str
    reason: str | None
    before: Figures | None
    after: Figures | None


class OfTable(TypedDict):
    """What the engine allows to leave with a table."""

    steps: Sequence[StepJson]


class Manifest(TypedDict, total=False):
    """What exactly was made, or the part of it that stays, goes, or may be shown."""

    version: int
    public_id: str
    run: str
    microdata: bool
    artifacts: Sequence[Listed]
    recipe: RecipeJson
    recipe_sha256: str
    input_sha256: str
    input_rows: int | None
    reading: ReadFrom
    compared: Sequence[ReadFrom]
    others: Sequence[LookedAt]
    leaks: Sequence[Leaked]
    engine_version: str
    policy: JudgedBy
    goals: Sequence[GoalFinding]
    measures: Sequence[Stated]
    results: Sequence[WholeResult]
    privacy_loss: Loss
    randomized: Sequence[Change]
    table: OfTable
    local_epsilon: Mapping[str, str]
    measured_afterwards: Sequence[Stated]
    risk: Mapping[str, Figures]
    """Of manifests of version 1: by side and measure; what is public is of one side."""


class KeptResult(TypedDict):
    """The figures of a result that rules and lists read: numbers by name, of columns the worst."""

    measure: str
    state: str
    reason: str
    figures: Mapping[str, float | None]
    idle: Sequence[str]


class KeptFigures(TypedDict, total=False):
    """What a run keeps of its report, whatever becomes of the data."""

    family: str
    results: Mapping[str, KeptResult]


PUBLIC = (
    "version",
    "public_id",
    "microdata",
    "recipe_sha256",
    "engine_version",
    "goals",
    "privacy_loss",
    "table",
)
# What stays in clear when the data are destroyed: hashes, names, figures. Everything else may hold values.
STATED = frozenset(
    {
        *PUBLIC,
        "run",
        "artifacts",
        "input_sha256",
        "input_rows",
        "reading",
        "compared",
        "others",
        "leaks",
        "policy",
        "measures",
        "risk",  # of manifests of version 1
        "randomized",
    }
)


NOTHING_TAKEN: Loss = {"epsilon": 0, "delta": 0}


def manifest_of(
    run: Run,
    *,
    artifacts: Iterable[Artifact],
    goals: Sequence[GoalFinding],
    report: ReportJson,
    engine_version: str,
    microdata: bool = True,
) -> Manifest:
    """The manifest; `goals` are those recomputed from the released bytes, in the shape of the report."""
    release = run.release
    policy = release.project.policy
    listed = sorted(artifacts, key=lambda artifact: artifact.name)
    found = results_of(report)
    made: Manifest = {
        "version": 2,
        "public_id": str(release.public_id),
        "run": str(run.pk),
        "microdata": microdata,
        "artifacts": [_listed(artifact) for artifact in listed],
        "recipe": run.recipe,
        "recipe_sha256": run.recipe_sha256,
        "input_sha256": release.version.sha256,
        "input_rows": run.reading.rows,
        "reading": {**_read(run.reading), "dialect": run.reading.dialect},
        "compared": [_read(reading) for reading in run.compared.order_by("pk")],
        "engine_version": engine_version,
        "policy": {
            "id": str(policy.pk),
            "version": policy.version,
            "rows": [row.as_dict() for row in policy.rows.all()],
        },
        "goals": list(goals),
        "measures": stated_results(found),
        "results": [_result(one) for one in found],
        "privacy_loss": report.get("privacy_loss", NOTHING_TAKEN),
        "randomized": changes_of(run.recipe, report),
    }
    if others := run.others.select_related("release").order_by("pk"):
        made["others"] = [_looked_at(one) for one in others]
    if leaks := run.leaks.filter(table__isnull=False).select_related("table").order_by("pk"):
        made["leaks"] = [{"leak": str(one.pk), "sha256": one.table.sha256} for one in leaks if one.table]
    if not microdata:
        made["table"] = _about_table(report)
    return made


def parted(manifest: Manifest) -> tuple[Manifest, Manifest]:
    """What is stated in clear, and what goes when the data go; together they are the manifest."""
    stated = _only(manifest, STATED)
    return stated, _only(manifest, manifest.keys() - STATED)


def _only(manifest: Manifest, names: Container[str]) -> Manifest:
    return cast(Manifest, {name: part for name, part in manifest.items() if name in names})


def public_part(manifest: Manifest, counted: Sequence[Stated] = ()) -> Manifest:
    """What may be shown outside: nothing about the input, no figure before treatment.

    `counted` are figures of what was measured afterwards and votes were bound to.
    """
    part = _only(manifest, PUBLIC)
    part["artifacts"] = [entry for entry in manifest.get("artifacts", []) if entry["public"]]
    if manifest.get("microdata") and "risk" in manifest:
        part["risk"] = cast(Mapping[str, Figures], manifest["risk"].get("after", {}))
    elif manifest.get("microdata"):
        part["measures"] = _after(manifest.get("measures", []))
    if told := _after(counted):
        part["measured_afterwards"] = told
    if promised := _promised(manifest):
        part["local_epsilon"] = promised
    return part


def public_manifest(run: Run) -> Manifest:
    """What may be shown outside of a candidate: of its manifest, and of what was measured and counts."""
    counted = [one for report in run.assessed.get("reports", ()) for one in report["measures"]]
    return public_part(run.stated, counted)


def _after(measures: Iterable[Stated]) -> list[Stated]:
    return [
        {"id": one["id"], "measure": one["measure"], "after": one["after"]}
        for one in measures
        if one["after"]
    ]


def kept_figures(recipe: RecipeJson, report: ReportJson) -> KeptFigures:
    """What a policy may ask of a report, as numbers: of columns and parts only the worst, unnamed."""
    family = report.get("output", {}).get("family", "")
    return KeptFigures(family=family, results=kept_results(recipe, results_of(report)))


def kept_results(recipe: RecipeJson, results: Iterable[Result]) -> dict[str, KeptResult]:
    """The same of results, by instance."""
    roles = {name: part["role"] for name, part in recipe.get("columns", {}).items()}
    return {one.id: _kept(one, roles) for one in results}


def _kept(result: Result, roles: Mapping[str, str]) -> KeptResult:
    contract = catalogue.measures().get(result.measure)
    found: dict[str, float | None] = {}
    idle = []
    for figure in contract.figures if contract else ():
        value = (result.after or {}).get(figure.name)
        if not figure.comparable or value is None:
            continue
        if not isinstance(value, Mapping):
            found |= {figure.name: value} if isinstance(value, int | float) else {}
        elif figure.parts:
            found |= {f"{figure.name}/{part}": _number(value.get(part)) for part in figure.parts}
        elif judged := _judged(figure, value, roles):
            found[figure.name] = figure.worst(judged)
        else:
            idle.append(figure.name)
    return KeptResult(
        measure=result.measure,
        state=str(result.state),
        reason=result.reason or "",
        figures=found,
        idle=idle,
    )


def _judged(figure: Figure, value: Mapping[str, Scalar], roles: Mapping[str, str]) -> list[Scalar]:
    """What a bound is held against: of columns, those that have the roles which the figure is about."""
    return [one for name, one in value.items() if not figure.roles or roles.get(name) in figure.roles]


def _number(value: Scalar) -> float | None:
    return value if isinstance(value, int | float) else None


def _measured(kept: KeptResult) -> MeasuredFacts:
    figures = {name: _decimal(value) for name, value in kept["figures"].items()}
    return MeasuredFacts(kept["state"], kept["reason"], figures, frozenset(kept["idle"]))


def facts_of(state: str, manifest: Manifest, figures: KeptFigures, *, stop_requested: bool) -> RunFacts:
    """A run as the rules see it."""
    goals = manifest.get("goals")
    return RunFacts(
        state=state,
        goals_hold=None if goals is None else all(goal["holds"] for goal in goals),
        has_goals=bool(goals),
        measured={id: _measured(one) for id, one in figures.get("results", {}).items()},
        family=figures.get("family", ""),
        epsilon_micro=_micro(manifest.get("privacy_loss", {}).get("epsilon", 0)),
        microdata=manifest.get("microdata", True),
        stop_requested=stop_requested,
    )


def _about_table(report: ReportJson) -> OfTable:
    """What the engine allows to leave with a table; a fact that it did not name stays inside."""
    return {"steps": report.get("public", {}).get("steps", [])}


def _promised(manifest: Manifest) -> dict[str, str]:
    """What a cell of each column gives away at most, where a step promised it."""
    changes = manifest.get("randomized", ())
    return {one["column"]: one["local_epsilon"] for one in changes if one["local_epsilon"] is not None}


def stated_results(results: Iterable[Result]) -> list[Stated]:
    """The public figures of results."""
    found = ((one, public_figures(one)) for one in results)
    return [
        Stated(id=one.id, measure=one.measure, before=public[0], after=public[1])
        for one, public in found
        if public is not None
    ]


def _result(result: Result) -> WholeResult:
    entry = result.as_dict()
    return {
        "id": entry["id"],
        "measure": entry["measure"],
        "section": entry["section"],
        "params": entry["params"],
        "state": entry["state"],
        "reason": entry["reason"],
        "before": entry["before"],
        "after": entry["after"],
    }


def _read(reading: Reading) -> ReadFrom:
    return {
        "id": str(reading.pk),
        "version": str(reading.version_id),
        "table_sha256": reading.table_sha256,
    }


def _looked_at(other: Run) -> LookedAt:
    return {"release": str(other.release.public_id), "manifest_sha256": other.manifest_sha256}


def _listed(artifact: Artifact) -> Listed:
    return {
        "name": artifact.name,
        "media_type": artifact.media_type,
        "public": artifact.public,
        "sha256": artifact.sha256,
        "size": artifact.size,
        "rows": artifact.rows,
    }


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _micro(epsilon: Any) -> int:
    return int((Decimal(str(epsilon)) * 1_000_000).to_integral_value(rounding="ROUND_CEILING"))
