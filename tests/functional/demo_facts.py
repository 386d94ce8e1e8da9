"""What an installation's demo holds."""

from typing import Any

from stewardapp.domain import audit_chain
from stewardapp.models import (
    Charge,
    Dataset,
    Project,
    Query,
    Release,
    Replay,
    Run,
    Survey,
    User,
    Version,
)


def told() -> dict[str, Any]:
    """Of the installation that this process is part of."""
    replay = Replay.objects.latest_result()
    return {
        "states": sorted(set(Release.objects.values_list("state", flat=True))),
        "releases": Release.objects.count(),
        "projects": Project.objects.count(),
        "datasets": Dataset.objects.count(),
        "versions": Version.objects.count(),
        "people": sorted(User.objects.values_list("username", flat=True)),
        "surveys": sorted(Survey.objects.values_list("state", "answered")),
        "audit": type(audit_chain.verify()).__name__,
        "succeeded": Run.objects.succeeded().count(),
        "attacks": len(replay.result["attacks"]) if replay else 0,
        "charges": sorted(Charge.objects.values_list("epsilon_micro", flat=True)),
        "questions": sorted(set(Query.objects.values_list("state", flat=True))),
    }
