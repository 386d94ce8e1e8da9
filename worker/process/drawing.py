"""What an engine process draws with for a run, unsealed."""

from stewardapp import storage
from stewardapp.models import Run
from worker.process.keys import randomness, shared_randomness


def drawn_with(run: Run) -> dict[str, str]:
    """The keys of everything random in a run: whoever has them draws the same again."""
    keys = {
        "key": randomness(storage.key_bytes(run.key)).hex(),
        "version_key": shared_randomness(storage.key_bytes(run.reading.version.key)).hex(),
    }
    if run.project_key is not None:
        keys["project_key"] = storage.key_bytes(run.project_key.key).hex()
    return keys
