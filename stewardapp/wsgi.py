"""The WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stewardapp.settings")
application = get_wsgi_application()

# Models are loaded now: jobs written by this process are announced from a thread, right after their commit.
from worker.queue import outbox  # noqa: E402

outbox.start()
