"""Destroy the data whose date has come."""

from typing import Any

from django.core.management.base import BaseCommand

from stewardapp.access.verdict import Conflict
from stewardapp.actions import surveys, versions
from stewardapp.models import Survey, Version


class Command(BaseCommand):
    help = "Destroy versions and answers to surveys past their date. Workers do this by themselves."

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
        for survey in Survey.objects.due_for_erasure():
            surveys.expire(survey=survey)
            self.stdout.write(f"erased the answers of survey {survey.pk}")
