"""Files under a root."""

from pathlib import Path

from stewardapp.stores.folder import Folder


def test_files_lie_under_their_names(tmp_path: Path) -> None:
    store, file = Folder(tmp_path / "root", "blobs"), tmp_path / "file"
    file.write_bytes(b"sealed")
    assert store.send(file, "blobs/key/hash") == "blobs/key/hash"
    store.keep(file, "blobs/key/hash")
    assert (tmp_path / "root/blobs/key/hash").read_bytes() == b"sealed"
    assert (tmp_path / "root/blobs/key").stat().st_mode & 0o777 == 0o700
