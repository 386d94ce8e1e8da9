"""What a site needs before it serves."""

from pathlib import Path
from typing import Any

import pytest

from stewardapp.management.commands import prepare


def test_schema_site_key_and_static_files(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STEWARD_DATA = tmp_path / "data"
    settings.STEWARD_KEY_FILE = tmp_path / "keys" / "site-key"
    called: list[str] = []
    monkeypatch.setattr(prepare, "call_command", lambda name, **_: called.append(name))
    prepare.Command().handle()
    assert called == ["migrate", "collectstatic"]
    assert len(settings.STEWARD_KEY_FILE.read_text().strip()) == 64
