"""A replay: the engine attacks people who do not exist, for the page that everybody may read."""

from stewardapp.actions import replays
from stewardapp.models import Replay
from worker.process.engines import run_engine
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register


@register
class Replays(Kind[Replay]):
    """Charts and findings; no file is given to the engine, and whoever wants them looks at them."""

    row = Replay

    def work(self, claim: Claim) -> None:
        replay = Replay.objects.get(pk=claim.id)
        found = run_engine(claim, "replay", {"settings": replay.settings}, {})
        replays.record(replay=replay, fence=claim.fence, result=found["replay"])
