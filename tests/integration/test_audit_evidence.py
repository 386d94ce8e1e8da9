"""What is known of the audit log outside the database: whoever writes to the database cannot hide a cut.

The attacker here owns the database: takes its guards down, rewrites the head, has its rows from a backup. The
key and the data folder are out of reach, but for the tests that say otherwise.
"""

from __future__ import annotations

import io
import json
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import override_settings

from stewardapp import anchors, witness
from stewardapp.access.verdict import Conflict
from stewardapp.actions import anchors as anchoring_actions
from stewardapp.actions import audit, projects
from stewardapp.database import guards
from stewardapp.domain import audit_chain
from stewardapp.models import Anchor, AuditEvent, AuditHead, User
from tests import factories
from tests.integration.url_scene import browser
from tests.services import free_port
from tests.site import Site, until
from worker.queue import anchoring

pytestmark = pytest.mark.usefixtures("one_day")


def happen(number: int) -> None:
    """So many events."""
    admin = User.objects.filter(is_staff=True).first() or factories.make_admin()
    for _ in range(number):
        projects.create(name=factories.unique("P"), by=admin)


def sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def head_row() -> tuple[Any, ...]:
    return AuditHead.objects.values_list("count", "hash", "sealed_count", "seal").get()


def cut_back_to(head: tuple[Any, ...]) -> None:
    """The end is gone, and the head is the one of a backup, with its right seal."""
    guards.remove()
    sql("DELETE FROM stewardapp_auditevent WHERE id > %s", head[0])
    sql("UPDATE stewardapp_audithead SET count = %s, hash = %s, sealed_count = %s, seal = %s", *head)


def notes_file() -> Path:
    (file,) = (Path(settings.STEWARD_DATA) / witness.FOLDER).iterdir()
    return file


def forget_notes() -> None:
    notes_file().unlink()


def anchor_now() -> Path:
    """Today's anchor, without waiting until the last event has settled."""
    anchor = anchoring_actions.make(settled=timedelta(0))
    return Path(settings.STEWARD_DATA) / anchors.FOLDER / f"{anchor.day}.json"


def broken() -> str:
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Broken), found
    return found.reason


def test_an_untouched_log_agrees_with_its_notes(any_site: Site) -> None:
    happen(5)
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert (found.count, found.notes, found.unreadable) == (6, 6, 0)


def test_what_was_undone_is_not_noted(any_site: Site) -> None:
    happen(1)
    with transaction.atomic():
        happen(1)
        transaction.set_rollback(True)
    assert [note.number for note in witness.Noted()] == [1, 2]
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def test_an_end_cut_off_with_the_head_of_a_backup_is_missed(any_site: Site) -> None:
    happen(5)
    old = head_row()
    happen(5)
    cut_back_to(old)
    assert broken() == "the end was cut off: event 7 was written once"


def test_a_cut_is_still_known_when_the_log_has_grown_again(any_site: Site) -> None:
    """The same is a database that was restored, and a writer that goes on from an old state of it."""
    happen(5)
    old = head_row()
    happen(5)
    cut_back_to(old)
    guards.install()
    happen(8)
    found = audit_chain.verify()
    assert found == audit_chain.Broken(7, "another event was written here once")


def test_only_notes_and_anchors_know_of_an_old_head(any_site: Site) -> None:
    """The control: without them the log is whole, and so they are what notices."""
    happen(5)
    old = head_row()
    happen(5)
    cut_back_to(old)
    forget_notes()
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert found.notes == 0


def test_notes_that_are_damaged_or_forged_are_counted_and_not_believed(any_site: Site) -> None:
    happen(3)
    lines = notes_file().read_text().splitlines()
    torn, forged = lines[2][:40], f"77 {'a' * 64} {'b' * 64}"
    notes_file().write_text("\n".join([lines[1], torn, forged, lines[3], "\0\xff", lines[4]]))
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert (found.notes, found.unreadable) == (3, 3)
    said = io.StringIO()
    call_command("verify_audit", stdout=said)
    assert "3 notes cannot be read" in said.getvalue()


NOTING = """
import sys
from stewardapp import witness
first = int(sys.argv[1])
for number in range(first, first + 200):
    witness.note(number, f"{number:064x}")
"""


def test_many_processes_note_at_once(embedded_site: Site) -> None:
    writers = [embedded_site.script(NOTING, first) for first in range(1, 801, 200)]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0] * 4
    noted = witness.Noted()
    assert sorted(note.number for note in noted) == list(range(1, 801))
    assert noted.unreadable == 0


def test_a_full_disk_does_not_undo_what_was_done(
    embedded_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    happen(1)

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(witness.os, "write", full)
    happen(1)
    assert AuditEvent.objects.count() == 3
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


@pytest.mark.postgres
def test_the_database_of_a_site_refuses_to_forget(server_site: Site) -> None:
    happen(2)
    for statement in (
        "UPDATE stewardapp_auditevent SET action = 'x'",
        "DELETE FROM stewardapp_auditevent",
        "TRUNCATE stewardapp_auditevent",
        "TRUNCATE stewardapp_user CASCADE",
        "TRUNCATE stewardapp_audithead",
        "DELETE FROM stewardapp_audithead",
        "UPDATE stewardapp_audithead SET count = 1",
        "UPDATE stewardapp_audithead SET hash = 'x'",
    ):
        with pytest.raises(IntegrityError, match="audit log"):
            sql(statement)
    with pytest.raises(CommandError):
        call_command("flush", interactive=False)
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert found.count == 3


# Anchors


def test_there_is_one_anchor_a_day(any_site: Site) -> None:
    with pytest.raises(Conflict):  # nothing has happened yet
        anchor_now()
    happen(3)
    duty = anchoring.Anchoring()
    duty()
    assert not Anchor.objects.exists()  # what has just happened may be taken back by a crash of the database
    path = anchor_now()
    for again in (duty, duty, anchoring.Anchoring()):
        again()
    with pytest.raises(Conflict):
        anchoring_actions.make()
    assert Anchor.objects.get().count == 4
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert AuditEvent.objects.filter(action=audit_chain.ANCHORED).count() == 1
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert found.anchors == 1


def test_an_anchor_whose_row_was_never_written_is_taken_as_it_is(any_site: Site) -> None:
    happen(3)
    with transaction.atomic():
        path = anchor_now()
        transaction.set_rollback(True)  # the plug is pulled between file and row
    content = path.read_bytes()
    happen(3)
    assert anchor_now() == path
    assert path.read_bytes() == content
    assert (Anchor.objects.get().count, AuditEvent.objects.count()) == (4, 8)
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def rewritten(**changes: Any) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def signed_by_another(path: Path) -> None:
    """Whoever has the data folder and not the key."""
    anchor = anchors.read(path)
    forged = anchors.Signed(anchor.installation, anchor.day, 2, anchor.hash)
    signature = Ed25519PrivateKey.generate().sign(forged.content).hex()
    rewritten(count=2, signature=signature)(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Path.unlink, "the anchor of .* that it tells of is missing"),
        (rewritten(count=2), "is not signed by this installation"),
        (rewritten(signature="00"), "is not signed by this installation"),
        (rewritten(signature="no digits"), "is not signed by this installation"),
        (signed_by_another, "is not signed by this installation"),
        (rewritten(count="2"), "is not an anchor, or was damaged"),
        (rewritten(more=1), "is not an anchor, or was damaged"),
        (lambda path: path.write_text(""), "is not an anchor, or was damaged"),
        (lambda path: path.write_text("[" * 4000), "is not an anchor, or was damaged"),
        (lambda path: path.write_text(" " * 5000), "is not an anchor, or was damaged"),
        (lambda path: path.rename(path.with_name("2001-01-01.json")), "is not signed by this installation"),
    ],
)
def test_an_anchor_that_was_touched_is_noticed(
    embedded_site: Site, change: Callable[[Path], Any], reason: str
) -> None:
    happen(3)
    change(anchor_now())
    assert re.search(reason, broken())


def test_a_stored_anchor_notices_a_cut_when_the_notes_are_gone(any_site: Site) -> None:
    happen(3)
    old = head_row()
    happen(3)
    anchor_now()
    cut_back_to(old)
    forget_notes()
    assert "the anchor of" in broken()


def checked(anchor: Path, *more: str) -> tuple[int, str]:
    said = io.StringIO()
    try:
        call_command("verify_audit", "--against", str(anchor), *more, stdout=said)
    except CommandError as error:
        return error.returncode, str(error)
    return 0, said.getvalue()


def test_an_anchor_kept_elsewhere_notices_what_nothing_else_does(any_site: Site, tmp_path: Path) -> None:
    """Even whoever has the whole data folder, and puts back all of it, is found out."""
    happen(3)
    old = head_row()
    happen(3)
    here = anchor_now()
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_bytes(here.read_bytes())
    key = anchors.public_key()
    status, said = checked(elsewhere)
    assert status == 0
    assert "contains the anchor of" in said
    assert f"anchors are signed with {key}" in said
    assert checked(elsewhere, "--public-key", key)[0] == 0
    happen(2)
    assert checked(elsewhere)[0] == 0
    cut_back_to(old)
    forget_notes()
    here.unlink()
    assert isinstance(audit_chain.verify(), audit_chain.Whole)
    assert checked(elsewhere)[0] == 1
    guards.install()
    happen(9)
    status, said = checked(elsewhere)
    assert status == 1
    assert re.fullmatch(r"broken at event 7: it is not the event that the anchor of \S+ names", said)


def test_an_anchor_that_cannot_be_used_is_told_apart(embedded_site: Site, tmp_path: Path) -> None:
    happen(3)
    here, copy = anchor_now(), tmp_path / "copy.json"
    copy.write_bytes(here.read_bytes())
    assert checked(tmp_path / "nowhere.json") == (2, f"{tmp_path / 'nowhere.json'} cannot be read")
    for key in ("00" * 32, "no digits", "00"):
        assert checked(copy, "--public-key", key) == (2, f"{copy} is not signed by that key")
    rewritten(count=1)(copy)
    assert checked(copy) == (2, f"{copy} is not signed by this installation")
    with pytest.raises(CommandError) as caught:
        call_command("verify_audit", "--public-key", "00")
    assert caught.value.returncode == 2
    copy.write_bytes(here.read_bytes())
    here.unlink()
    assert checked(copy)[0] == 1  # what is broken here is said first


def test_an_anchor_of_another_installation_is_not_ours(embedded_site: Site) -> None:
    happen(3)
    path, last = anchor_now(), AuditEvent.objects.get(id=4)
    other = anchors.signed(Anchor.objects.get().day, 4, last.hash, "0" * 64)
    path.write_text(other.text)
    assert "it is not the event that the anchor of" in broken()


def test_the_page_shows_the_public_key_and_the_last_anchor(embedded_site: Site) -> None:
    team = factories.make_project()
    client = browser(team.steward)
    page = client.get("/audit/").content.decode()
    assert anchors.public_key() in page
    assert "was not anchored yet" in page
    anchor_now()
    assert Anchor.objects.get().hash in client.get("/audit/").content.decode()


# Sending


class Outside(BaseHTTPRequestHandler):
    """Somebody who keeps anchors."""

    status = 204
    got: list[bytes]

    def do_POST(self) -> None:
        self.got.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@contextmanager
def outside(status: int = 204) -> Iterator[tuple[str, list[bytes]]]:
    got: list[bytes] = []
    handler = type("Handler", (Outside,), {"got": got, "status": status})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/anchors?of=us", got
        finally:
            server.shutdown()
            thread.join(30)


def attempt(duty: anchoring.Sending) -> None:
    """One attempt, to its end, and the look after it."""
    duty()
    until(lambda: not duty.is_busy(), 20)
    duty()


def test_an_anchor_is_sent_once(embedded_site: Site) -> None:
    happen(1)
    path, duty = anchor_now(), anchoring.Sending()
    duty()
    assert Anchor.objects.get().attempts == 0  # no address is set
    with outside() as (url, got), override_settings(STEWARD_ANCHOR_URL=url):
        attempt(duty)
        attempt(duty)
        attempt(anchoring.Sending())
    assert got == [path.read_bytes()]
    assert Anchor.objects.get().sent_at is not None


def test_who_does_not_take_it_is_asked_again_later(embedded_site: Site) -> None:
    happen(1)
    path, duty = anchor_now(), anchoring.Sending()
    with override_settings(STEWARD_ANCHOR_URL=f"http://127.0.0.1:{free_port()}/"):
        attempt(duty)  # refused
    Anchor.objects.update(due_at="2001-01-01T00:00:00Z")
    for status in (500, 302):
        with outside(status) as (url, got), override_settings(STEWARD_ANCHOR_URL=url):
            attempt(duty)
            attempt(duty)  # not due again yet
        assert len(got) == 1
        assert Anchor.objects.get().sent_at is None
        Anchor.objects.update(due_at="2001-01-01T00:00:00Z")
    assert Anchor.objects.get().attempts == 3
    with outside() as (url, got), override_settings(STEWARD_ANCHOR_URL=url):
        attempt(duty)
    assert got == [path.read_bytes()]


def test_whoever_is_silent_holds_up_nothing(embedded_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    happen(1)
    anchor_now()
    monkeypatch.setattr(anchoring, "SILENT_SECONDS", 0.5)
    duty = anchoring.Sending()
    with closing(socket.create_server(("127.0.0.1", 0))) as hole:
        url = f"http://127.0.0.1:{hole.getsockname()[1]}/"
        with override_settings(STEWARD_ANCHOR_URL=url):
            duty()
            assert duty.is_busy()
            duty()  # not a second time meanwhile
            until(lambda: not duty.is_busy(), 20)
            duty()
    anchor = Anchor.objects.get()
    assert (anchor.attempts, anchor.sent_at) == (1, None)


def test_two_workers_do_not_send_the_same(embedded_site: Site) -> None:
    happen(1)
    anchor_now()
    seen = Anchor.objects.get()
    assert Anchor.objects.begin_sending(seen)
    assert not Anchor.objects.begin_sending(seen)


def test_a_worker_seals_anchors_and_sends(embedded_site: Site) -> None:
    happen(2)
    guards.remove()
    AuditEvent.objects.all()._raw_delete("default")
    AuditHead.objects.all()._raw_delete("default")
    forget_notes()
    with pytest.MonkeyPatch.context() as patch:
        long_ago = factories.timezone.now() - timedelta(minutes=1)
        patch.setattr(audit.timezone, "now", lambda: long_ago)
        happen(2)
    guards.install()
    with outside() as (url, got):
        worker = embedded_site.start_worker(STEWARD_ANCHOR_URL=url)
        until(lambda: Anchor.objects.filter(sent_at__isnull=False).exists(), 60)
        assert isinstance(worker, subprocess.Popen)
    assert json.loads(got[0])["count"] == 2
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert found.anchors == 1
