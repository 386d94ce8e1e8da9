"""Serve the web application of a site."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from stewardapp.management import processes


class Command(BaseCommand):
    help = "Serve the web application (a site runs this beside `work`)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="0.0.0.0:8000")
        parser.add_argument("--threads", type=int, default=8)

    def handle(self, *args: Any, **options: Any) -> None:
        command = processes.web(options["bind"], options["threads"])
        os.execv(command[0], command)  # noqa: S606 (the server takes this process's place and its signals)
