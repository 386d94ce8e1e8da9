"""Compiled loops are kept by what they are made of: edited or moved code never loads what is old."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import worker.engine
from worker.engine.kernels import making
from worker.engine.kernels.compiled import compiled

LOOP = """
from worker.engine.kernels.compiled import compiled
{imports}

@compiled
def asked(given):
    return {answer}
"""
PARTS = "from worker.engine.kernels.compiled import compiled, inlined, lean\nCONSTANT = 1\nLIST = (1, 2)\n"
CALLED = "\n@{how}\ndef called(given):\n    return given + {more}\n"


@pytest.fixture
def answer(tmp_path):
    """Writes the files, asks in a process of its own, and says whether there was something to compile."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *sys.path])

    def asked(given="10", module="loop", **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        code = f"from {module} import asked\nprint(asked({given}), int('numba' in __import__('sys').modules))"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=120)
        told, compiled_anew = done.stdout.split()
        return float(told), int(compiled_anew)

    return asked


def loop(imports, answer):
    return LOOP.format(imports=imports, answer=answer)


def test_what_was_compiled_is_loaded(answer):
    plain = loop("", "given + 1")
    assert answer(loop=plain) == (11, 1)
    assert answer() == (11, 0)
    assert answer(loop=f"# A longer preface moves the loop down its file.\n{plain}") == (11, 0)


def test_an_edited_loop_is_compiled_anew(answer):
    assert answer(loop=loop("", "given + 1")) == (11, 1)
    assert answer(loop=loop("", "given + 2")) == (12, 1)
    assert answer(loop=loop("", "given + 1")) == (11, 0)


def test_a_moved_loop_is_compiled_anew_and_the_edited_one_in_its_place_too(answer):
    """Two files change places, as when rooms are furnished."""
    first, second = loop("", "given + 1"), loop("", "given + 2")
    assert answer(loop=first) == (11, 1)
    assert answer(module="moved", moved=first) == (11, 1)
    assert answer(loop=second) == (12, 1)


@pytest.mark.parametrize("how", ["compiled", "lean", "inlined"])
def test_an_edited_part_in_another_file_is_noticed(answer, how):
    mine = loop("from parts import called", "called(given)")
    assert answer(loop=mine, parts=PARTS + CALLED.format(how=how, more=1)) == (11, 1)
    assert answer(parts=PARTS + CALLED.format(how=how, more=2)) == (12, 1)
    assert answer() == (12, 0)


def test_a_part_of_a_part_is_noticed(answer):
    between = loop("from parts import called as asked_of", "asked_of(given)").replace(
        "def asked", "def through"
    )
    mine = loop("import between", "between.through(given)")
    parts = PARTS + CALLED.format(how="compiled", more=1)
    assert answer(loop=mine, between=between, parts=parts) == (11, 1)
    assert answer(parts=PARTS + CALLED.format(how="compiled", more=2)) == (12, 1)


@pytest.mark.parametrize("named", ["CONSTANT", "LIST[0]", "parts.CONSTANT"])
def test_a_changed_constant_of_another_file_is_noticed(answer, named):
    mine = loop("import parts\nfrom parts import CONSTANT, LIST", f"given + {named}")
    assert answer(loop=mine, parts=PARTS) == (11, 1)
    assert answer(parts=PARTS.replace("CONSTANT = 1", "CONSTANT = 5").replace("(1, 2)", "(5, 2)")) == (15, 1)


def test_changed_places_of_an_arguments_parts_are_noticed(answer):
    mine = loop("from typing import NamedTuple\nfrom pair import Pair", "given.one * 10 + given.two")
    mine += "\n_asked = asked\ndef asked(_):\n    return _asked(Pair(1, 2))\n"
    pair = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    {}: int\n    {}: int\n"
    assert answer(loop=mine, pair=pair.format("one", "two")) == (12, 1)
    assert answer(pair=pair.format("two", "one")) == (21, 1)
    assert answer() == (21, 0)


def test_a_file_cut_short_is_no_answer(answer, tmp_path):
    assert answer(loop=loop("", "given + 1")) == (11, 1)
    (kept,) = (tmp_path / "cache" / "compiled").glob("*.code")
    kept.write_bytes(kept.read_bytes()[:100])
    assert answer() == (11, 1)
    assert answer() == (11, 0)


def test_a_loop_may_not_name_what_nobody_sees_change():
    changing = {"a": 1}

    def one_of_them(given):
        return given + len(changing)

    with pytest.raises(TypeError, match="nobody would notice"):
        making.digest(compiled(one_of_them), (), "")


def test_every_loop_of_the_engine_can_be_told_from_every_other():
    names = [
        path for path in Path(worker.engine.__path__[0]).rglob("*.py") if "@compiled" in path.read_text()
    ]
    assert len(names) > 20
    loops = [loop for path in names for loop in loops_of(path)]
    digests = {making.digest(loop, (), "") for loop in loops}
    assert len(digests) == len(loops)


def loops_of(path):
    from importlib import import_module

    root = Path(worker.engine.__path__[0]).parents[1]
    module = import_module(".".join(path.relative_to(root).with_suffix("").parts))
    return [
        value
        for value in vars(module).values()
        if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__
    ]
