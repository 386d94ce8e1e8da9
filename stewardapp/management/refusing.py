"""Commands of libraries that change people past the audit log, and what to use in their place."""

from __future__ import annotations

from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

INSTEAD = (
    "Accounts are made and changed in the administration, by somebody; the first administrator with "
    "first_administrator, and one in place of the last with first_administrator --recover."
)


class Refusing(BaseCommand):
    """Says what to use instead, whatever it is asked."""

    help = INSTEAD

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whatever the command of this name takes."""
        parser.add_argument("anything", nargs="*")

    def handle(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse."""
        raise CommandError(INSTEAD)
