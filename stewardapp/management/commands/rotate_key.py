"""Replace the site key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from stewardapp import keyring


class Command(BaseCommand):
    help = (
        "Replace the site key and wrap every key anew while the site runs. May be stopped and started again. "
        "Destroy your copies of the former site key afterwards: then no backup opens what was destroyed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = keyring.rotate()
        except (keyring.Rotating, keyring.SiteKeyMissing) as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as error:
            reason = "The folder of the site key must be writable to replace it"
            raise CommandError(f"{reason}: {error.strerror}.") from None
        self.stdout.write(
            f"wrapped {count} keys anew; keep a copy of the new site key, destroy those of the old"
        )
