"""Settings of the test suite: the product's own, with a data folder apart, without what only costs time."""

import os
import tempfile
from pathlib import Path

os.environ["STEWARD_DATA"] = str(
    Path(os.environ.get("STEWARD_DATA") or tempfile.gettempdir())
    / f"suite-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
)
# Playwright keeps an event loop in the thread that runs the tests; no product code runs in it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
os.environ.setdefault("STEWARD_LEASE", "2")
os.environ.setdefault("STEWARD_TICK", "0.5")

from stewardapp.settings import *  # noqa: F403

# Tests kill processes, never the machine: flushing to the disk would only cost time.
os.fsync = lambda descriptor: None
# A scene that many tests look at stays confirmed, however slow the machine.
ACCOUNT_REAUTHENTICATION_TIMEOUT = 3600
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # else every browser of a test lists all static files before its first page

Path(STATIC_ROOT).mkdir(parents=True, exist_ok=True)  # noqa: F405  (whitenoise warns without it)
