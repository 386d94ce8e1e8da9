"""What every place for sealed files keeps to."""

from pathlib import Path

import pytest

from stewardapp.stores.contract import Store
from stewardapp.stores.folder import Folder
from tests.unit.stores.test_bucket import bucket


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return Folder(tmp_path / "root", "blobs")
    return bucket(request.getfixturevalue("s3_server"), tmp_path / "copies")


def sent(store: Store, folder: Path, content: bytes, place: str) -> str:
    file = folder / "file"
    file.write_bytes(content)
    name = store.send(file, place)
    assert file.exists()
    store.keep(file, name)
    assert not file.exists()
    return name


def test_what_is_kept_is_found_until_it_is_removed(store: Store, tmp_path: Path) -> None:
    name = sent(store, tmp_path, b"sealed", "blobs/key/hash")
    assert name.startswith("blobs/key/hash")
    with store.opened(name) as opened, store.reading(name) as read:
        assert opened.read() == read.read() == b"sealed"
        assert opened.fileno() > 0
    ((found, age),) = store.found()
    assert found == name
    assert 0 <= age < 60
    store.check()
    store.remove(name)
    store.remove(name)
    assert list(store.found()) == []
    with pytest.raises(FileNotFoundError), store.opened(name):
        pass
    with pytest.raises(FileNotFoundError), store.reading(name):
        pass


def test_what_is_put_back_has_the_name_it_had(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"sealed")
    store.put(file, "blobs/key/hash")
    assert file.exists()
    assert [found for found, _ in store.found()] == ["blobs/key/hash"]
    with store.reading("blobs/key/hash") as read:
        assert read.read() == b"sealed"


def test_what_is_not_left_half_is_not_tidied(store: Store, tmp_path: Path) -> None:
    name = sent(store, tmp_path, b"sealed", "blobs/key/hash")
    assert store.tidy(0) == 0
    assert [found for found, _ in store.found()] == [name]
