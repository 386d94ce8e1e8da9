"""Write, or check, the pages of docs/ that follow from code."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from stewardapp.management.documents import pages


class Command(BaseCommand):
    help = "Generate the pages of docs/ that follow from code; --check only compares."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        for path, text in pages().items():
            current = path.read_text(encoding="utf-8") if path.exists() else ""
            if options["check"] and current != text:
                raise CommandError(f"docs/{path.name} is out of date: run `make docs`.")
            if current != text:
                path.write_text(text, encoding="utf-8")
