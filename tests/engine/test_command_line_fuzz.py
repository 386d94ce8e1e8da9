"""Whatever hierarchy the command line is given: an exit code and one line, never a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from worker.__main__ import main

DATA = "age,sex,ill\n" + "".join(f"{20 + n % 3},{'fm'[n % 2]},{('flu', 'none')[n % 2]}\n" for n in range(20))
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        2**63,
        10**40,
        0.5,
        1e308,
        "",
        "x",
        "\0",
        "\ud800",
        "A" * 3000,
        [],
        [[]],
        {},
        {"": {}},
    ),
    *(
        [1, "a", None],
        {"builder": "x"},
        {"builder": "interval"},
        {"builder": "date", "levels": 3},
        ["f;*;*", "m"],
    ),
    *(
        {"builder": "tree", "tree": [1]},
        {"builder": "order", "values": [], "fan_out": 0},
        "nowhere.csv",
        "/",
        "..",
    ),
)
RAW = (
    b"",
    b"\xff\xfe",
    b"[" * 50_000,
    b"9" * 5_000,
    b"NaN",
    b'{"version": 1, "version": 1}',
    b"\0",
    b"[1e999]",
    b"{}",
)
SAFE = {0, 2, 3, 4}


def tried(folder: Path, capsys: pytest.CaptureFixture[str], command: str, *arguments: str) -> None:
    """One command, and what it said."""
    code = main([command, *arguments])
    said = capsys.readouterr().err
    assert code in SAFE, said
    assert said.count("\n") <= 1 or code == 0, said
    assert "Traceback" not in said


FEW = settings(
    max_examples=60,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(DATA)
    return tmp_path


def test_any_hierarchy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = folder / "odd.txt", folder / "h.csv"
    trees = st.recursive(
        st.sampled_from(ODD), lambda below: st.lists(below) | st.dictionaries(st.text(), below)
    )

    @seed(1)
    @FEW
    @given(st.binary(max_size=60) | st.sampled_from(RAW) | trees.map(lambda tree: json.dumps(tree).encode()))
    def attempt(content: bytes) -> None:
        path.write_bytes(content)
        data = str(folder / "data.csv")
        tried(folder, capsys, "hierarchy", str(path), data, "--column", "sex", "--out", str(out))

    attempt()
