"""The report for whoever finds the publication: nothing that is not in the public manifest or the files.

Of a release with differential privacy that is what was promised and how far the noise reaches, both known
before the data were touched; no figure of any input stands in it, whatever the release is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stewardapp.presenters import measures, tables
from stewardapp.presenters.catalogue_pages import Certificate, certificate, codebook, reading_notes
from stewardapp.presenters.numbers import thousands
from stewardapp.presenters.published_risk import published_risk
from stewardapp.presenters.reports import measured, sections
from stewardapp.presenters.reports.parts import Audience, Facts, Paper, Part, Section, Text, filled, table
from stewardapp.presenters.times import absolute
from worker.engine.contracts.result import Result

if TYPE_CHECKING:
    from stewardapp.domain.manifest import Stated
    from stewardapp.models import Release
    from stewardapp.reads.runs import SeenRun
    from worker.engine.contracts.chart import Chart


def external_paper(seen: SeenRun, *, mixed: str = "", histogram: Chart | None = None) -> Paper:
    """What may be published about a run; `histogram` is of a table that the reader may have."""
    run, release = seen.run, seen.run.release
    told = certificate(run)
    return Paper(
        audience=Audience.EXTERNAL,
        title=release.title,
        lead=f"Report of a release by {release.project.name}. It holds what may be published.",
        sections=(
            in_short(seen, told, mixed),
            *sections.goals(told.goals),
            risk(seen),
            *figures(seen, told),
            *filled("The table", (measured.picture(histogram),) if histogram else ()),
            *sections.codebook(codebook(run, lists=False)),
            *sections.usage(run, reading_notes(run), steps=not tables.is_table(run)),
            *sections.files(
                (one["name"], one["rows"], one["size"], one["sha256"]) for one in told.manifest["artifacts"]
            ),
        ),
        source=told.manifest,
    )


def in_short(seen: SeenRun, told: Certificate, mixed: str) -> Section:
    """What it is, what it promises, and the hashes that identify it."""
    release = seen.run.release
    parts: list[Part] = []
    if release.revocation_notice:
        parts.append(Text(f"Revoked. {release.revocation_notice}", "danger"))
    if mixed:
        parts.append(Text(mixed, "warn"))
    parts += [Text(text) for text in (release.purpose, release.context) if text]
    parts.append(Facts(tuple(identity(release, told, seen.policy.reviewers))))
    if told.promise:
        parts += [Text(sentence) for sentence in told.promise.sentences]
    return Section("In short", tuple(parts))


def identity(release: Release, told: Certificate, reviewers: int) -> Iterator[tuple[str, str]]:
    """Which publication it is, and who stands behind it."""
    yield "Publication", str(release.public_id)
    if release.published_at:
        people = "independent reviewer" if reviewers == 1 else "independent reviewers"
        yield "Approved", f"{absolute(release.decided_at)}, by {thousands(reviewers)} {people}"
        yield "Published", absolute(release.published_at)
    else:
        yield "Published", "not yet: this is what would be published"
    yield "Public manifest sha256", told.sha256
    yield "Recipe sha256", told.manifest.get("recipe_sha256", "")
    yield "Engine", told.manifest.get("engine_version", "")
    if told.promise:
        yield "Privacy loss", f"{told.promise.amount}, for {told.promise.protects}"
    yield from ((f"Local ε of a cell of {column}", epsilon) for column, epsilon in told.local)


def risk(seen: SeenRun) -> Section:
    """What the rows are, what the policy demands of them, and what there was nothing to measure of."""
    found = published_risk(seen)
    demands = ((one.title, one.demand, one.figure, one.badge.word, one.remark) for one in found.demands)
    heads = ("Demand of the policy", "Bound", "Figure", "Answer", "Remark")
    parts = (
        *((Text(found.family),) if found.family else ()),
        *table(heads, demands, numbers=(1, 2)),
        *table(("Measure", "Why it has no figure"), iter(found.idle), "Measures without figures"),
    )
    return Section("Risk", parts)


def figures(seen: SeenRun, told: Certificate) -> tuple[Section, ...]:
    """The public figures of what left, each with the charts that may leave with it."""
    stated = (*told.manifest.get("measures", ()), *told.manifest.get("measured_afterwards", ()))
    inner = (
        measured.section(one, measured.publishable(charts), sided=False)
        for one, charts in published(seen, stated)
    )
    return filled("Measured on the published file", (), tuple(inner))


def published(seen: SeenRun, stated: Sequence[Stated]) -> Iterator[tuple[measures.Reading, Sequence[Chart]]]:
    """What the public manifest states, as the pages read results; a table has rows of nobody to measure."""
    for one in stated:
        slug = one["measure"]
        found = seen.results.get(one["id"])
        charts = found.charts if found and not tables.is_table(seen.run) else ()
        yield measures.reading(Result(one["id"], slug, "", {}, after=one["after"]), {}), charts
