"""Run a worker of a site."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from stewardapp.management import processes


class Command(BaseCommand):
    help = "Run a worker: it executes jobs, sends what is queued and takes over what was lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=1)

    def handle(self, *args: Any, **options: Any) -> None:
        command = processes.worker(options["concurrency"])
        os.execv(command[0], command)  # noqa: S606 (the worker takes this process's place and its signals)
