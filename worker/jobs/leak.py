"""A leak: the bytes of a file that got out become a table that releases are compared with."""

from collections.abc import Mapping

from stewardapp import storage
from stewardapp.actions import brought, leaks
from stewardapp.models import JobState, Leak, User
from stewardapp.models.leak import TABLE
from worker.process.engines import MadeFile, run_engine, stored, storing
from worker.process.parent import Sealed
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register


@register
class Leaks(Kind[Leak]):
    """No profile is kept: nobody looks into it, it is only compared with."""

    row = Leak

    def work(self, claim: Claim) -> None:
        leak = Leak.objects.select_related("raw__key", "population").get(pk=claim.id)
        key = storage.key_bytes(leak.raw.key)
        with storage.opened(leak.raw) as raw, storage.temporary() as table:
            files = {"raw": Sealed(raw, key), "table": Sealed(table.file, key, "w")}
            found = run_engine(claim, "read", {"dialect": {}}, files)
            made = MadeFile(TABLE, table, **found["files"]["table"])
            with storing([made], leak.raw.key):
                leaks.record(
                    leak=leak,
                    fence=claim.fence,
                    table=stored(made, leak.raw.key),
                    rows=found["profile"]["rows"],
                )

    def close(self, job: Leak) -> Mapping[str, object]:
        return {} if job.state == JobState.SUCCEEDED else brought.let_go(job.raw)

    def waiting_for(self, job: Leak) -> tuple[list[User], str]:
        return [job.registered_by], f"/populations/{job.population_id}/leaks/"
