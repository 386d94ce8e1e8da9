"""The vendored browser libraries: all there, locked, and fit for hashed file names."""

import base64
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "static" / "vendor"
PACKAGES = json.loads((FOLDER / "vendor.json").read_text())["packages"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_every_file_is_there_under_a_locked_hash(package):
    method, _, digest = package["integrity"].partition("-")
    assert (method, len(base64.b64decode(digest))) == ("sha512", 64)
    assert any(name.endswith("LICENSE.txt") for name in package["files"].values())
    for name in package["files"].values():
        content = (FOLDER / name).read_bytes()
        assert content
        assert b"sourceMappingURL=" not in content


def test_nothing_else_lies_there():
    known = {name for package in PACKAGES for name in package["files"].values()} | {"vendor.json"}
    assert {path.name for path in FOLDER.iterdir()} == known
