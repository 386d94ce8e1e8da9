"""What an installation's demo holds, told by a process of that installation."""

import json

from stewardapp.actions import audit
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


def tell() -> None:
    """One line of JSON."""
    replay = Replay.objects.latest_result()
    print(
        json.dumps(
            {
                "states": sorted(set(Release.objects.values_list("state", flat=True))),
                "releases": Release.objects.count(),
                "projects": Project.objects.count(),
                "datasets": Dataset.objects.count(),
                "versions": Version.objects.count(),
                "people": sorted(User.objects.values_list("username", flat=True)),
                "surveys": sorted(Survey.objects.values_list("state", "answered")),
                "audit": type(audit.verify()).__name__,
                "succeeded": Run.objects.succeeded().count(),
                "attacks": len(replay.result["attacks"]) if replay else 0,
                "charges": sorted(Charge.objects.values_list("epsilon_micro", flat=True)),
                "questions": sorted(set(Query.objects.values_list("state", flat=True))),
            }
        )
    )
