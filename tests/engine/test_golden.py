"""The engine's version moves when a released byte can."""

import pytest

from tests.engine import golden
from worker.engine.contracts.method import Method
from worker.engine.version import VERSION

REPEATABLE = dict(golden.repeatable())


def test_the_hashes_are_those_of_this_version() -> None:
    version, hashes = golden.written()
    assert version == VERSION, "the version moved: python -m tests.engine.golden"
    assert set(hashes) == set(REPEATABLE), "an example came or went: python -m tests.engine.golden"


@pytest.mark.parametrize(("name", "example"), [pytest.param(*one, id=one[0]) for one in REPEATABLE.items()])
def test_this_version_releases_what_it_always_did(name: str, example: Method) -> None:
    _, hashes = golden.written()
    assert golden.hashed(example) == hashes[name], (
        "other bytes for the same data and recipe: move worker/engine/version.py, say why in CHANGELOG.md, "
        "then run python -m tests.engine.golden"
    )


def test_other_bytes_have_another_hash() -> None:
    assert len(set(golden.written()[1].values())) > len(REPEATABLE) / 2
