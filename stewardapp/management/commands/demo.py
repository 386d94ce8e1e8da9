"""Load the demo project."""

from typing import Any

from django.core.management.base import BaseCommand

from stewardapp.management import demo


class Command(BaseCommand):
    help = "Load the demo project into an empty installation and print who may sign in."

    def handle(self, *args: Any, **options: Any) -> None:
        for role, user, password in demo.load():
            if options["verbosity"]:
                self.stdout.write(f"{role:<16}  {user:<16}  {password}")
