"""A reading: the raw bytes become a table and its profile, which new work uses from now on."""

from contextlib import ExitStack

from stewardapp import keyring, storage
from stewardapp.actions import readings
from stewardapp.models import Reading, User
from worker.process.engines import MadeFile, run_engine, stored, storing
from worker.process.parent import Sealed
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register

LIKENESS, VALUES = "likeness", "values"


@register
class Readings(Kind[Reading]):
    """What was made of the version's bytes is gone at the end unless it was recorded."""

    row = Reading

    def work(self, claim: Claim) -> None:
        reading = Reading.objects.select_related("version__raw", "version__key").get(pk=claim.id)
        version = reading.version
        key = storage.key_bytes(version.key)
        with ExitStack() as stack:
            raw = stack.enter_context(storage.opened(version.raw))
            written = {name: stack.enter_context(storage.temporary()) for name in ("table", LIKENESS, VALUES)}
            sealed = {name: Sealed(one.file, key, "w") for name, one in written.items()}
            details = {"dialect": reading.dialect, "likeness_key": keyring.seal_of(LIKENESS)[:16].hex()}
            found = run_engine(claim, "read", details, {"raw": Sealed(raw, key), **sealed})
            made = {name: MadeFile(name, one, **found["files"][name]) for name, one in written.items()}
            stack.enter_context(storing([one for one in made.values() if one.size], version.key))
            readings.record(
                reading=reading,
                fence=claim.fence,
                table=stored(made["table"], version.key),
                likeness=stored(made[LIKENESS], version.key) if made[LIKENESS].size else None,
                values=stored(made[VALUES], version.key),
                profile=found["profile"],
            )

    def waiting_for(self, job: Reading) -> tuple[list[User], str]:
        return [job.requested_by], f"/versions/{job.version_id}/"
