"""Check the hash chain of the audit log."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from stewardapp.actions import audit


class Command(BaseCommand):
    help = "Walk the audit log; exit 1 at the first event that was changed, dropped, moved or forged."

    def handle(self, *args: Any, **options: Any) -> None:
        found = audit.verify()
        if isinstance(found, audit.Broken):
            raise CommandError(f"broken at event {found.id}: {found.reason}", returncode=1)
        self.stdout.write(f"ok {found.count} events, last hash {found.hash or '-'}")
