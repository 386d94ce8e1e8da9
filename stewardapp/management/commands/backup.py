"""Copy the installation."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from stewardapp.management.backup import Unusable, back_up
from worker.engine.wording import size, thousands


class Command(BaseCommand):
    help = (
        "Copy database and stored bytes into a new folder of FOLDER, and the keys into one of KEYS, while "
        "the site runs. Keep the two apart: together they open everything. What an earlier copy in FOLDER "
        "holds takes no room again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to."""
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("keys", type=Path, metavar="KEYS", help="another disk, or another place")

    def handle(self, *args: Any, **options: Any) -> None:
        """Both folders are named by the moment."""
        name = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ")
        folder, keys = options["folder"] / name, options["keys"] / name
        try:
            copied = back_up(folder, keys)
        except Unusable as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as error:
            raise CommandError(f"The copy was not finished: {error.strerror}.") from None
        self.stdout.write(f"{thousands(copied.files)} files, {size(copied.bytes)}: {folder}; keys: {keys}")
