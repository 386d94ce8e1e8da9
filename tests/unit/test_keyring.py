"""Keys outside the database: wrapped, private, gone when destroyed, wrapped anew with the site key."""

import multiprocessing
import os
import stat
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from stewardapp import keyring


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.STEWARD_DATA = tmp_path / "data"
    settings.STEWARD_KEY_FILE = tmp_path / "site" / "key"


def folder() -> Path:
    return Path(settings.STEWARD_DATA) / "keys"


def site_key() -> Path:
    return Path(settings.STEWARD_KEY_FILE)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_wrapped_by_the_site_key_and_private() -> None:
    identity = keyring.create()
    key, file = keyring.key_of(identity), folder() / str(identity)
    assert len(key) == 32
    assert key not in file.read_bytes()
    assert (mode(folder()), mode(file), mode(site_key())) == (0o700, 0o600, 0o600)
    assert keyring.key_of(identity) == key != keyring.key_of(keyring.create())


def test_a_key_that_is_there_stays() -> None:
    identity = keyring.create()
    key = keyring.key_of(identity)
    keyring.put(identity, bytes(32))
    assert keyring.key_of(identity) == key


def test_a_wrapped_key_opens_only_as_itself() -> None:
    one, other = keyring.create(), keyring.create()
    (folder() / str(one)).write_bytes((folder() / str(other)).read_bytes())
    with pytest.raises(Exception) as caught:
        keyring.key_of(one)
    assert type(caught.value).__name__ == "InvalidTag"


def test_a_destroyed_key_is_overwritten_where_it_lay() -> None:
    identity = keyring.create()
    file = folder() / str(identity)
    wrapped = file.read_bytes()
    with file.open("rb") as before:
        keyring.destroy(identity)
        assert before.read() != wrapped
    assert list(folder().iterdir()) == []
    with pytest.raises(keyring.Destroyed):
        keyring.key_of(identity)
    keyring.destroy(identity)  # once more does no harm


def test_without_its_site_key_nothing_opens_and_no_other_is_made() -> None:
    identity = keyring.create()
    text = site_key().read_text()
    site_key().unlink()
    for ask in (keyring.create, lambda: keyring.key_of(identity), keyring.rotate):
        with pytest.raises(keyring.SiteKeyMissing):
            ask()
    site_key().write_text("ab" * 32)
    with pytest.raises(keyring.SiteKeyMissing):
        keyring.key_of(identity)
    site_key().write_text(text + "\n")
    assert keyring.key_of(identity)


def test_the_site_key_is_there_before_anything_depends_on_it_and_then_stays() -> None:
    keyring.make_site_key()
    made = site_key().read_text()
    assert mode(site_key()) == 0o600
    keyring.create()
    keyring.make_site_key()
    assert site_key().read_text() == made
    site_key().unlink()
    with pytest.raises(keyring.SiteKeyMissing):
        keyring.make_site_key()


def test_the_sweep_takes_what_was_destroyed_and_what_has_no_row() -> None:
    kept, destroyed, orphan = (keyring.create() for _ in range(3))
    keyring.seal_of("tests")
    left = folder() / f".{kept}"
    left.write_bytes(b"begun")
    rows = {kept: False, destroyed: True}
    assert keyring.sweep(lambda: rows, grace_seconds=3600) == 1
    assert not left.exists()
    assert keyring.sweep(lambda: rows, grace_seconds=0) == 1
    assert {path.name for path in folder().iterdir()} == {str(kept), "seal-tests"}
    with pytest.raises(keyring.Destroyed):
        keyring.key_of(orphan)


def test_seals_differ_by_purpose_and_outlive_site_keys() -> None:
    seal = keyring.seal_of("a")
    assert seal == keyring.seal_of("a") != keyring.seal_of("b")
    keyring.rotate()
    keyring._seal_of.cache_clear()
    assert keyring.seal_of("a") == seal


def test_rotation_wraps_every_key_anew_and_destroys_the_former_site_key() -> None:
    identities = [keyring.create() for _ in range(3)]
    before = {identity: keyring.key_of(identity) for identity in identities}
    former, wrapped = site_key().read_text(), {path: path.read_bytes() for path in folder().iterdir()}
    assert keyring.rotate() == 3
    assert {identity: keyring.key_of(identity) for identity in identities} == before
    assert site_key().read_text() != former
    assert list(site_key().parent.iterdir()) == [site_key()]
    assert mode(site_key()) == 0o600
    for path, bytes_ in wrapped.items():
        path.write_bytes(bytes_)
        with pytest.raises(keyring.SiteKeyMissing):
            keyring.key_of(uuid.UUID(path.name))


def test_rotations_do_not_overlap(capsys: pytest.CaptureFixture[str]) -> None:
    keyring.create()
    with keyring._alone(), pytest.raises(CommandError, match="Another process"):
        call_command("rotate_key")
    call_command("rotate_key")
    assert "wrapped 1 keys anew" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    keyring.create()
    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(CommandError, match=r"writable.*Read-only"):
        call_command("rotate_key")


def test_keys_open_are_made_and_destroyed_while_the_site_key_changes() -> None:
    """Readers in other processes never miss a key, and what is destroyed does not come back."""
    identities = [keyring.create() for _ in range(20)]
    context = multiprocessing.get_context("spawn")
    paths = (str(settings.STEWARD_DATA), str(settings.STEWARD_KEY_FILE))
    with context.Pool(2) as pool:
        told = [pool.apply_async(busy, (*paths, identities[i::2])) for i in range(2)]
        while not all(one.ready() for one in told):
            keyring.rotate()
        made = [identity for one in told for identity in one.get(60)]
    assert [identity for identity in identities if (folder() / str(identity)).exists()] == []
    assert all(keyring.key_of(identity) for identity in made)
    assert len(list(folder().iterdir())) == len(made)


def busy(data: str, key_file: str, identities: list[uuid.UUID]) -> list[uuid.UUID]:
    """Open, destroy and make keys, again and again."""
    if not settings.configured:
        settings.configure(STEWARD_DATA=data, STEWARD_KEY_FILE=Path(key_file))
    made = []
    for identity in identities:
        for other in identities[identities.index(identity) :]:
            assert len(keyring.key_of(other)) == 32
        keyring.destroy(identity)
        made.append(keyring.create())
    return made
