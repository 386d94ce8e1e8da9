"""Destroy the data whose date has come."""

from typing import Any

from django.core.management.base import BaseCommand

from stewardapp.access.verdict import Conflict
from stewardapp.actions import versions
from stewardapp.models import Version


class Command(BaseCommand):
    help = "Destroy the data of versions past their retention date. Workers do this by themselves."

    def handle(self, *args: Any, **options: Any) -> None:
        destroyed = 0
        for version in Version.objects.due_for_destruction():
            try:
                versions.expire(version=version)
            except Conflict as refusal:
                self.stdout.write(f"{version.pk}: {refusal.reason}")
            else:
                destroyed += 1
        self.stdout.write(f"destroyed {destroyed} versions")
