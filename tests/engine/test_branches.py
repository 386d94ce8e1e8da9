"""Too small a share of branches fails, and says where to look."""

import configparser
import json
import re
from pathlib import Path

import pytest

from tests.engine import branches


def told(tmp_path: Path, covered: int) -> str:
    files = {"b.py": {"missing_branches": [[1, 2]]}, "a.py": {"missing_branches": []}}
    totals = {"covered_branches": covered, "num_branches": 1000}
    (tmp_path / "report.json").write_text(json.dumps({"totals": totals, "files": files}))
    return str(tmp_path / "report.json")


def test_below_the_least_it_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert branches.main(told(tmp_path, 949)) == 1
    assert branches.main(told(tmp_path, 950)) == 0
    said = capsys.readouterr().out
    assert "94.9%" in said
    assert "1 not taken in b.py" in said
    assert "a.py" not in said


def test_of_loops_their_bodies_alone_are_left_out() -> None:
    settings = configparser.ConfigParser()
    settings.read(Path(branches.__file__).with_suffix(".ini"))
    left_out = re.compile("|".join(settings["report"]["exclude_also"].split("\n")[1:]), re.MULTILINE)
    assert left_out.search("\n@compiled\ndef loop() -> None:")
    assert not left_out.search("\nfrom worker.engine.kernels.compiled import compiled\n")
    assert not left_out.search("\n    if code := compiled(loop):\n")
