"""What a replay does between claim and end: the engine attacks people who do not exist."""

from typing import Any

from stewardapp.models import Replay
from worker.claim import Claim
from worker.engines import run_engine


def replayed(claim: Claim) -> tuple[Replay, dict[str, Any]]:
    """The replay and what the engine found; no file is given to it."""
    replay = Replay.objects.get(pk=claim.id)
    return replay, run_engine(claim, "replay", {"settings": replay.settings}, {})["replay"]
