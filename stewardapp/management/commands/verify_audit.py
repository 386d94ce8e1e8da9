"""Check the audit log against itself and against what is known outside the database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from stewardapp import anchors
from stewardapp.domain import audit_chain

BROKEN, UNUSABLE = 1, 2


class Command(BaseCommand):
    help = (
        "Walk the audit log; hold it against the notes and anchors of the data folder, and against ANCHOR. "
        "Exit 0: whole. 1: an event was changed, dropped, moved, forged or cut off, or an anchor is lost. "
        "2: ANCHOR cannot be used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--against", type=Path, metavar="ANCHOR", help="an anchor kept elsewhere")
        parser.add_argument("--public-key", metavar="HEX", help="who signed it; default: this installation")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["public_key"] and not options["against"]:
            raise CommandError("--public-key goes with --against.", returncode=UNUSABLE)
        anchor = self.anchor(options["against"], options["public_key"]) if options["against"] else None
        found = audit_chain.verify() if anchor is None else audit_chain.verify_against(anchor)
        if isinstance(found, audit_chain.Broken):
            place = f"at event {found.id}: " if found.id else ""
            raise CommandError(f"broken {place}{found.reason}", returncode=BROKEN)
        self.stdout.write(f"ok {found.count} events, last hash {found.hash or '-'}")
        self.stdout.write(
            f"checked against {found.notes} notes and {found.anchors} anchors outside the database"
        )
        if found.unreadable:
            self.stdout.write(f"{found.unreadable} notes cannot be read: torn, damaged or not ours")
        if anchor is not None:
            self.stdout.write(f"contains the anchor of {anchor.day}: event {anchor.count}")
        self.stdout.write(f"anchors are signed with {anchors.public_key()}")

    def anchor(self, path: Path, public_key: str | None) -> anchors.Signed:
        """The anchor somebody kept, if it was signed by whom it should."""
        try:
            anchor = anchors.read(path)
        except anchors.Unusable as unusable:
            raise CommandError(str(unusable), returncode=UNUSABLE) from None
        if not anchor.is_signed_with(public_key or anchors.public_key()):
            whom = "that key" if public_key else "this installation"
            raise CommandError(f"{path} is not signed by {whom}", returncode=UNUSABLE)
        return anchor
