"""The engine's process with the troublesome method known to it."""

import os
import resource
from pathlib import Path

from tests.faults import dying, trouble
from worker.process import child

if __name__ == "__main__":
    assert trouble.SLUG
    if limit := int(os.environ.get("LANG", "").partition("file-size=")[2] or 0):
        # Stands in for a full disk: the limit is met in the middle of writing an artifact.
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if note := os.environ.get("LANG", "").partition("die-at=")[2]:
        dying.prepare_engine(Path(note))
    child.main()
