"""Make an installation from a copy, and prove that it is whole."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from stewardapp.domain import audit_chain
from stewardapp.management.backup import Unusable, damaged, restore
from worker.engine.wording import size, thousands


class Command(BaseCommand):
    help = (
        "Make the installation of these settings from a copy of `manage.py backup`: database and data folder "
        "must be empty. Every stored byte is read through, and the audit log is checked. Exit 1: not whole."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Where from."""
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("keys", type=Path, metavar="KEYS")

    def handle(self, *args: Any, **options: Any) -> None:
        """Copy back, bring up to date, look at everything."""
        try:
            copied = restore(options["folder"], options["keys"])
        except Unusable as refusal:
            raise CommandError(str(refusal)) from None
        call_command("migrate", interactive=False, verbosity=0)
        self.stdout.write(f"{thousands(copied.files)} files, {size(copied.bytes)}")
        found = audit_chain.verify()
        if isinstance(found, audit_chain.Broken):
            raise CommandError(f"The audit log is broken: {found.reason}.")
        self.stdout.write(f"the audit log is whole: {thousands(found.count)} events")
        if wrong := list(damaged()):
            raise CommandError(f"{thousands(len(wrong))} stored files are missing or damaged: {wrong[0]}")
        self.stdout.write("every stored file is what its row says")
