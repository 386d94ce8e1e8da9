"""Make the first administrator of an installation, or one in place of the last who was lost."""

import getpass
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from stewardapp.access.verdict import Refused
from stewardapp.actions import accounts


class Command(BaseCommand):
    help = (
        "Make the first administrator; refused once there is one. The password is asked for, or read from "
        "standard input. --recover makes somebody an administrator when nobody is left who could: it "
        "replaces their password and second factor, is written into the audit log, and everybody is told."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Who, and whether one was lost."""
        parser.add_argument("username")
        parser.add_argument("--recover", action="store_true", help="there were administrators; they are lost")

    def handle(self, *args: Any, **options: Any) -> None:
        """Through the action."""
        make = accounts.recover if options["recover"] else accounts.create_first_admin
        try:
            made = make(username=options["username"], password=password())
        except Refused as refusal:
            raise CommandError(refusal.reason) from None
        self.stdout.write(f"{made.get_username()} is an administrator. Sign in and set up a second factor.")


def password() -> str:
    """Typed twice without being shown, or one line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Password (again): "):
        raise CommandError("The two passwords differ.")
    return first
