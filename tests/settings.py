"""Settings of the test suite: the product's own, with a cheap password hash and a data folder apart."""

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

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

Path(STATIC_ROOT).mkdir(parents=True, exist_ok=True)  # noqa: F405  (whitenoise warns without it)
