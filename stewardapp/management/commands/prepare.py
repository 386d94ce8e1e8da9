"""Prepare a site for serving: schema, site key and static files."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from stewardapp import keyring


class Command(BaseCommand):
    help = "Bring the database's schema up to date, make the site key once, and collect static files."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=1)
        keyring.make_site_key()
        call_command("collectstatic", interactive=False, verbosity=0)
