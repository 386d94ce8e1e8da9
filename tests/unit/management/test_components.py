"""The bill of materials names what is installed and served, and who needs it."""

import json
import re
from importlib.metadata import distribution
from pathlib import Path

import pytest

from stewardapp.management.components import bill_of_materials, pinned

ROOT = Path(__file__).parents[3]
LOCKED = """# by hand
celery==5.7.0 \\
    --hash=sha256:00
    # via -r requirements.in
kombu[redis]==5.5.1 ; sys_platform == 'linux' \\
    --hash=sha256:00 \\
    --hash=sha256:01
    # via
    #   celery
    #   other[extra]
"""


def test_lock_files_are_read() -> None:
    celery, kombu = pinned(LOCKED)
    assert (celery.purl, celery.when, celery.wanted_by) == (
        "pkg:pypi/celery@5.7.0",
        "",
        ["-r requirements.in"],
    )
    assert (kombu.name, kombu.version, kombu.when) == ("kombu", "5.5.1", "sys_platform == 'linux'")
    assert kombu.wanted_by == ["celery", "other[extra]"]


@pytest.fixture(scope="module")
def listed() -> set[tuple[str, str]]:
    return {(one["name"], one["version"]) for one in json.loads(bill_of_materials())["components"]}


def test_everything_locked_and_vendored_is_listed(listed: set[tuple[str, str]]) -> None:
    locked = (ROOT / "requirements-site.txt").read_text()
    vendored = json.loads((ROOT / "static/vendor/vendor.json").read_text())["packages"]
    assert len(re.findall(r"^\S+==", locked, re.MULTILINE)) + len(vendored) == len(listed)
    assert ("django", distribution("django").version) in listed
    assert {(one["name"], one["version"]) for one in vendored} <= listed


def test_what_is_needed_is_listed_and_everything_is_needed_by_something() -> None:
    document = json.loads(bill_of_materials())
    refs = {one["bom-ref"] for one in document["components"]}
    needs = {one["ref"]: set(one["dependsOn"]) for one in document["dependencies"]}
    assert needs.keys() == refs | {"desk"}
    assert set.union(*needs.values()) == refs
    asgiref = next(ref for ref in refs if ref.startswith("pkg:pypi/asgiref@"))
    assert asgiref in next(on for ref, on in needs.items() if ref.startswith("pkg:pypi/django@"))
