"""Who shaped what the next run of a draft would be made of: found from those very things, never listed.

Each thing that a run reads knows who made it what it is. Whoever adds a thing to what runs read adds it
here; a test does every action there is and compares.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.db.models import Q, QuerySet

from stewardapp.domain.recipe import needs_project_key, populations_named
from stewardapp.models.hierarchy import Hierarchy
from stewardapp.models.project_key import ProjectKey
from stewardapp.models.proposal import Proposal
from stewardapp.models.reading import Reading
from stewardapp.models.version import Version

if TYPE_CHECKING:
    from stewardapp.models.release import Release

Ids = QuerySet[Any, uuid.UUID | None]


def shapers_of(release: Release) -> frozenset[uuid.UUID]:
    """Everybody who shaped data, readings, columns, hierarchies, population files or the key of a draft."""
    compared = populations_named(release.version, release.recipe)
    versions = Version.objects.filter(Q(pk=release.version_id) | Q(pk__in=compared.values("pk")))
    attached = Hierarchy.objects.filter(columns__in=release.version.columns.tagged())
    parts = [*_of_versions(versions), attached.values_list("made_by", flat=True)]
    parts.append(attached.values_list("kept_by", flat=True))
    if needs_project_key(release.recipe):
        keys = ProjectKey.objects.in_force().filter(project=release.project_id)
        parts.append(keys.values_list("created_by", flat=True))
    first, *others = (part.order_by() for part in parts)
    return frozenset(id for id in first.union(*others) if id is not None)


def _of_versions(versions: QuerySet[Version]) -> Iterator[Ids]:
    """Who brought them, said what they are about and what their columns are, and had them read."""
    for field in ("uploaded_by", "taggers", "dataset__created_by"):
        yield versions.values_list(field, flat=True)
    readings = Reading.objects.succeeded().filter(version__in=versions)
    yield readings.values_list("requested_by", flat=True)
    moves = Proposal.objects.moved().filter(dataset__versions__in=versions)
    for field in ("proposed_by", "agreements__by", "decided_by"):
        yield moves.values_list(field, flat=True)
