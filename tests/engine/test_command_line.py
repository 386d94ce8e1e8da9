"""The command line: exit codes, one-line refusals without values, whole files or none."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from tests.engine.running import figures_of, without_times, without_words
from worker.__main__ import main
from worker.commands.plain_files import size
from worker.engine.contracts.annotations import AuxiliaryFile
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section
from worker.engine.contracts.measure import measures as known_measures

SECRET = "s3cret"
HEADER = ["age", "sex", "disease", "name"]
ROWS = [[str(30 + i % 5), "fm"[i % 2], ("flu", "none", "ulcer")[i % 3], f"{SECRET}{i}"] for i in range(60)]


@pytest.fixture
def folder(tmp_path):
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([HEADER, *ROWS])
    (tmp_path / "age.csv").write_text(
        "".join(f"{age};{age // 2 * 2}-{age // 2 * 2 + 1};*\n" for age in range(20, 50))
    )
    write(tmp_path / "recipe.json", recipe())
    return tmp_path


def recipe(**more):
    return {
        "version": 1,
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": "age.csv"},
            "sex": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
            "name": {"role": "direct-identifier"},
        },
        "goals": [{"goal": "k-anonymity", "params": {"k": 5}}],
        "steps": [{"method": "generalization", "params": {"suppression_limit": 0.1}}],
        **more,
    }


def interval(**options):
    spec = {"builder": "interval", **options}
    return {"columns": {"age": {"role": "quasi-identifier", "hierarchy": spec}}}


def write(path, content):
    path.write_text(json.dumps(content))
    return path


def worker(folder, *arguments):
    """As a person calls it, in the folder of the data."""
    return main(
        [arguments[0], *(str(folder / a) if "." in a and not a.startswith("-") else a for a in arguments[1:])]
    )


def one_line(capsys):
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert SECRET not in error
    return error


class Beside(Measure):
    """Counts the rows of a file, of other releases, and draws."""

    slug = "beside"
    title = "Beside"
    section = Section.RISK
    figures: ClassVar = (
        Figure("rows", "Rows", "Rows.", unit="count", per="part"),
        Figure("drawn", "Drawn", "A random number."),
    )
    file: Annotated[str, AuxiliaryFile()] = Field(title="File", description="A list.")

    def read(self, side):
        tables = {"file": side.outside.auxiliary(self.file), **side.outside.releases()}
        rows = {name: table.rows() for name, table in tables.items()}
        return Found({"rows": rows, "drawn": side.source.stream("x", 0).random()})


def test_a_measure_is_given_its_file_and_other_releases(folder, monkeypatch):
    monkeypatch.setitem(known_measures.classes, "beside", Beside)
    (folder / "list.csv").write_text("age\n30\n31\n")
    (folder / "march.csv").write_text("age,sex,disease\n30,f,flu\n")
    entry = {"measure": "beside", "params": {"file": "list.csv"}}
    write(folder / "recipe.json", recipe(measures=[entry]))
    seeded = ("--seed", "7", "--other-release", "march.csv")
    found = []
    for command, files in (
        ("assess", ("data.csv",)),
        ("assess", ("data.csv",)),
        ("compare", ("data.csv", "data.csv")),
        ("anonymize", ("data.csv", "--out", "out.csv")),
    ):
        assert worker(folder, command, "recipe.json", *files, "--report", "r.json", *seeded) == 0
        (result,) = json.loads((folder / "r.json").read_text())["measures"]
        assert result["reason"] is None
        assert result["before"]["rows"] == {"file": 2, "march.csv": 1}
        found.append(result["before"]["drawn"])
    assert len(set(found)) == 1, "the seed decides"
    assert worker(folder, "assess", "recipe.json", "data.csv", "--report", "r.json") == 0
    (result,) = json.loads((folder / "r.json").read_text())["measures"]
    assert result["before"]["rows"] == {"file": 2}
    assert result["before"]["drawn"] != found[0]
    (folder / "list.csv").unlink()
    assert worker(folder, "assess", "recipe.json", "data.csv", "--report", "r.json") == 0
    (result,) = json.loads((folder / "r.json").read_text())["measures"]
    assert (result["state"], "list.csv" in result["reason"]) == ("failed", True)


def test_a_report_lists_the_nodes_of_a_search_when_it_is_asked_to(folder):
    told = ("anonymize", "recipe.json", "data.csv", "--out", "out.csv", "--report", "r.json")
    for more, listed in (((), False), (("--nodes",), True)):
        assert worker(folder, *told, *more) == 0
        (step,) = json.loads((folder / "r.json").read_text())["steps"]
        assert [bool(step[name]) for name in ("minimal_nodes", "explored")] == [listed] * 2
        assert ("--nodes" in (step["not_listed"] or "")) is not listed


def test_nothing_is_measured_where_nobody_reads_it_and_the_file_is_the_same(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(Beside, "read", lambda self, side: asked.append(side) or Found({}))
    monkeypatch.setitem(known_measures.classes, "beside", Beside)
    (folder / "list.csv").write_text("age\n30\n")
    write(folder / "recipe.json", recipe(measures=[{"measure": "beside", "params": {"file": "list.csv"}}]))
    plain = ("anonymize", "recipe.json", "data.csv", "--seed", "7", "--out")
    assert worker(folder, *plain, "plain.csv") == 0
    assert not asked
    assert worker(folder, *plain, "told.csv", "--report", "r.json") == 0
    assert asked
    assert (folder / "plain.csv").read_bytes() == (folder / "told.csv").read_bytes()


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("assess", ("data.csv",)),
        ("compare", ("data.csv", "data.csv")),
        ("anonymize", ("data.csv", "--out", "out.csv")),
    ],
)
def test_a_measure_that_fails_is_named_and_the_rest_is_done(folder, monkeypatch, capsys, command, files):
    monkeypatch.setitem(known_measures.classes, "beside", Beside)
    gone = {"measure": "beside", "params": {"file": "gone.csv"}}
    write(folder / "recipe.json", recipe(measures=[gone, "kept-columns"]))
    assert worker(folder, command, "recipe.json", *files, "--report", "r.json") == 0
    told = one_line(capsys)
    assert told.startswith("Not measured: beside. ")
    assert "gone.csv" in told
    states = [one["state"] for one in json.loads((folder / "r.json").read_text())["measures"]]
    assert states[0] == "failed" != states[1]


def test_anonymize_verify_assess_compare(folder, capsys):
    done = worker(
        folder,
        "anonymize",
        "recipe.json",
        "data.csv",
        "--out",
        "out.csv",
        "--report",
        "r.json",
        "--records",
        "i.csv",
    )
    assert done == 0
    assert capsys.readouterr() == ("", ""), "silent when nobody looks"
    report = json.loads((folder / "r.json").read_text())
    assert report["goals"][0]["holds"]
    released = (folder / "out.csv").read_text()
    assert released.startswith("age;sex;disease\n"), "the delimiter of the data"
    assert SECRET not in released
    assert len((folder / "i.csv").read_text().splitlines()) == 61
    assert worker(folder, "verify", "recipe.json", "out.csv") == 0
    assert worker(folder, "assess", "recipe.json", "data.csv", "--report", "a.json") == 0
    assert worker(folder, "compare", "recipe.json", "data.csv", "out.csv", "--report", "c.json") == 0
    compared = json.loads((folder / "c.json").read_text())
    by_row = {"information-kept"}  # a sorted file does not tell which row became which
    found, expected = (
        [one for one in without_words(without_times(made["measures"])) if one["measure"] not in by_row]
        for made in (compared, report)
    )
    assert found == expected
    assessed = json.loads((folder / "a.json").read_text())
    for measure in ("reidentification", "kept-columns"):
        assert figures_of(assessed, measure, "before") == figures_of(report, measure, "before")
    assert compared["output"]["sha256"] == report["output"]["sha256"]


def test_verify_fails_when_a_goal_does_not_hold(folder, capsys):
    (folder / "bad.csv").write_text("age,sex,disease\n30,f,flu\n31,m,flu\n")
    assert worker(folder, "verify", "recipe.json", "bad.csv") == 3
    assert json.loads(capsys.readouterr().out)["goals"][0]["achieved"] == 1


def test_parquet_in_and_out(folder):
    assert worker(folder, "anonymize", "recipe.json", "data.csv", "--out", "out.parquet") == 0
    assert worker(folder, "verify", "recipe.json", "out.parquet") == 0
    assert worker(folder, "compare", "recipe.json", "data.csv", "out.parquet", "--report", "c.json") == 0


def test_the_same_recipe_gives_the_same_bytes(folder):
    for name in ("one.csv", "two.csv"):
        assert worker(folder, "anonymize", "recipe.json", "data.csv", "--out", name, "--seed", "7") == 0
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


def test_keep_order(folder):
    levels = {"age": [0, 0], "sex": [0, 0]}
    write(folder / "k.json", recipe(steps=[{"method": "generalization", "params": {"levels": levels}}]))
    assert worker(folder, "anonymize", "k.json", "data.csv", "--out", "out.csv", "--keep-order") == 0
    assert (folder / "out.csv").read_text().splitlines()[1:] == [";".join(row[:3]) for row in ROWS]


@pytest.fixture
def shelf(folder):
    """A folder of hierarchies beside a recipe that names none."""
    bare = recipe()
    del bare["columns"]["age"]["hierarchy"]
    write(folder / "bare.json", bare)
    shelf = folder / "shelf"
    shelf.mkdir()
    (folder / "age.csv").rename(shelf / "data_hierarchy_age.csv")
    (shelf / "Sex.json").write_text('{"children": {"any": ["f", "m"]}}')
    return shelf


def test_a_folder_of_hierarchies_serves_the_columns_by_name(folder, shelf, capsys):
    (shelf / "notes.txt").write_text("x")
    out = ("--out", "out.csv", "--report", "r.json", "--hierarchies", str(shelf))
    assert worker(folder, "anonymize", "bare.json", "data.csv", *out) == 0
    assert "notes.txt fits no column" in one_line(capsys)
    step = json.loads((folder / "r.json").read_text())["steps"][0]
    assert step["heights"] == {"age": 2, "sex": 2}
    assert worker(folder, "verify", "bare.json", "out.csv", "--hierarchies", str(shelf)) == 0


def test_the_recipe_comes_before_the_folder(folder, shelf, capsys):
    said = recipe()
    said["columns"]["age"]["hierarchy"] = [f"{age};*" for age in range(20, 50)]
    write(folder / "said.json", said)
    out = ("--out", "out.csv", "--report", "r.json", "--hierarchies", str(shelf))
    assert worker(folder, "anonymize", "said.json", "data.csv", *out) == 0
    assert json.loads((folder / "r.json").read_text())["steps"][0]["heights"] == {"age": 1, "sex": 2}


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("age_hierarchy.csv", "fit the column 'age'"),
        ("age-sex.csv", "fits the columns"),
    ],
)
def test_a_folder_that_is_not_clear_is_refused(folder, shelf, capsys, extra, words):
    (shelf / extra).write_text("x;*")
    out = ("--out", "out.csv", "--hierarchies", str(shelf))
    assert worker(folder, "anonymize", "bare.json", "data.csv", *out) == 2
    assert words in one_line(capsys)
    assert worker(folder, "assess", "bare.json", "data.csv", "--hierarchies", str(folder / "nowhere")) == 2


def test_profile_hierarchy_catalogue(folder, capsys):
    assert worker(folder, "profile", "data.csv") == 0
    assert [c["name"] for c in json.loads(capsys.readouterr().out)["columns"]] == HEADER
    write(folder / "spec.json", {"builder": "interval", "width": 10})
    assert worker(folder, "hierarchy", "spec.json", "data.csv", "--column", "age", "--out", "h.csv") == 0
    assert (folder / "h.csv").read_text().splitlines()[0] == "30;[30, 40[;*"
    assert worker(folder, "catalogue", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"methods", "goals", "measures"} <= set(listed)
    assert all(entry["schema"]["properties"] is not None for entry in listed["methods"])
    assert worker(folder, "catalogue") == 0


@pytest.mark.parametrize("name", ["out.xlsx", "out.sav", "out.dta"])
def test_a_workbook_or_a_statistical_file_out_and_in(folder, capsys, name):
    assert worker(folder, "anonymize", "recipe.json", "data.csv", "--out", name) == 0
    first = (folder / name).read_bytes()
    assert worker(folder, "anonymize", "recipe.json", "data.csv", "--out", name) == 0
    assert (folder / name).read_bytes() == first
    assert worker(folder, "verify", "recipe.json", name) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["goals"][0]["achieved"]) == (60, 6)
    assert worker(folder, "compare", "recipe.json", "data.csv", name) == 0


AMNESIA = {"name": "*", "children": [{"name": "all", "children": [{"name": "f"}, {"name": "m"}]}]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("arx.csv", "f,all,*\nm,all,*\nx,all,*\n"),
        ("amnesia.json", json.dumps(AMNESIA)),
        ("tab.txt", "f\tall\t*\nm\tall\t*"),
    ],
)
def test_a_hierarchy_of_another_tool_is_laid_over_the_values(folder, name, text):
    (folder / name).write_text(text)
    assert worker(folder, "hierarchy", name, "data.csv", "--column", "sex", "--out", "h.csv") == 0
    assert (folder / "h.csv").read_text().splitlines()[:2] == ["f;all;*", "m;all;*"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("short.csv", "f;*\n", "'sex' has no row for 1 of the 2 distinct values"),
        ("bad.json", "{", "not valid JSON at line 1"),
        ("latin.csv", b"\xe9;*\n", "UTF-8"),
        ("two.csv", f"{SECRET};a;*\n{SECRET};b;*\n", "second parent"),
    ],
)
def test_a_hierarchy_that_does_not_fit_is_refused_in_one_line(folder, capsys, name, text, words):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert worker(folder, "hierarchy", name, "data.csv", "--column", "sex", "--out", "h.csv") == 2
    assert words in one_line(capsys)
    assert not (folder / "h.csv").exists()


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"goals": [{"goal": "k-anonymity", "params": {"k": 500}}]}, 3, "60 rows"),
        ({"goals": [{"goal": "k-anonymity", "params": {"k": SECRET}}]}, 2, "goals[0].params.k"),
        ({"steps": [{"method": "rounding", "params": {"column": "sex"}}]}, 2, "steps[0].params.column"),
        ({"columns": {"ages": {"role": "other"}}}, 2, "columns.ages"),
        (
            {"columns": {"name": {"role": "quasi-identifier", "hierarchy": ["x;*"]}}},
            2,
            "60 of the 60 distinct",
        ),
        ({"columns": {"name": {"role": "other", "kind": "integer"}}}, 2, "columns.name.kind"),
        (
            {"columns": {"age": {"role": "quasi-identifier", "hierarchy": "gone.csv"}}},
            2,
            "columns.age.hierarchy",
        ),
        ({"data": {"delimiter": "||"}}, 2, "delimiter"),
        ({"goals": [{"goal": "k-anonymity", "params": {"k": True}}]}, 2, "goals[0].params.k: This should be"),
        ({"goals": [{"goal": "k-map", "params": {"population": "ragged.csv"}}]}, 2, "ragged.csv: The row on"),
        (interval(width=1e-300), 2, "columns.age.hierarchy.width: is too small"),
    ],
)
def test_a_refusal_is_one_line_with_a_code(folder, capsys, change, code, words):
    write(folder / "bad.json", recipe(**change))
    (folder / "ragged.csv").write_text(f"age,sex\n30,f\n31,m,{SECRET}\n")
    assert worker(folder, "anonymize", "bad.json", "data.csv", "--out", "out.csv") == code
    assert words in one_line(capsys)
    assert not (folder / "out.csv").exists()
    assert not [path for path in folder.iterdir() if path.suffix == ".part"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"a;b\n1;2\n1;2;3\n", "line 3"),
        (b"a;a\n1;2\n", "column"),
        (b"PK\x03\x04 a zip called csv", "archive"),
    ],
)
def test_bad_data_is_refused_in_one_line(folder, capsys, content, words):
    (folder / "bad.csv").write_bytes(content)
    assert worker(folder, "anonymize", "recipe.json", "bad.csv", "--out", "out.csv") == 2
    assert words in one_line(capsys).lower()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--out", "out.csv", "--cluster", "tcp://x"), 2, "--cluster"),
        (("--out", "out.sas7bdat"), 2, ".sas7bdat"),
        (("--out", "out.csv", "--memory", "10"), 4, "memory"),
        (("--out", "gone/out.csv"), 2, "gone/out.csv: this is a folder, or its folder is not there"),
        (("--out", "out.csv", "--report", "./"), 2, "this is a folder"),
    ],
)
def test_options_are_refused_in_one_line(folder, capsys, arguments, code, words):
    assert worker(folder, "anonymize", "recipe.json", "data.csv", *arguments) == code
    assert words in one_line(capsys)


def test_files_that_are_not_there(folder, capsys):
    assert worker(folder, "anonymize", "recipe.json", "gone.csv", "--out", "out.csv") == 2
    assert "gone.csv" in one_line(capsys)
    assert worker(folder, "anonymize", "gone.json", "data.csv", "--out", "out.csv") == 2
    assert "gone.json" in one_line(capsys)


def test_wrong_arguments_are_one_line(folder, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["anonymize", "a", "b"])
    assert caught.value.code == 2
    assert "--out" in one_line(capsys)


def test_an_unforeseen_fault_is_told_without_its_words(folder, capsys, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError(SECRET)

    monkeypatch.setattr("worker.engine.execution.local.anonymize", broken)
    assert worker(folder, "anonymize", "recipe.json", "data.csv", "--out", "out.csv") == 1
    assert "RuntimeError at test_command_line.py" in one_line(capsys)
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_whoever_stops_it_finds_no_half_file(folder, asked):
    columns = {f"q{i}": {"role": "quasi-identifier"} for i in range(60)}
    (folder / "wide.csv").write_text("\n".join([",".join(columns), *(",".join("01" * 30) for _ in range(9))]))
    step = {"method": "generalization", "params": {"time_limit": 3600}}
    goals = [{"goal": "average-risk", "params": {"limit": 0.2}}]
    write(folder / "long.json", recipe(columns=columns, goals=goals, steps=[step]))
    before = set(folder.iterdir())
    arguments = ["anonymize", folder / "long.json", folder / "wide.csv", "--out", folder / "out.csv"]
    terminal, side = os.openpty()
    process = subprocess.Popen([sys.executable, "-m", "worker", *arguments], stderr=side)
    os.close(side)
    told = b""
    while b"Planning" not in told:
        told = os.read(terminal, 1000)
    assert set(folder.iterdir()) > before
    process.send_signal(asked)
    assert process.wait(60) == 130
    assert b"stopped" in os.read(terminal, 100_000)
    os.close(terminal)
    assert set(folder.iterdir()) == before


STOPPED_WHILE_A_CLASS_IS_MADE = """
import runpy, sys
from worker.commands import arguments
arguments.catalogue = lambda *_: exec("raise KeyboardInterrupt")
sys.argv = ["worker", "catalogue"]
runpy.run_module("worker", run_name="__main__")
"""


def test_it_ends_by_itself_at_whatever_moment_it_is_stopped(tmp_path):
    """Modules are loaded late, and what makes a class of fields runs text that is written for it."""
    (tmp_path / "stopping.py").write_text(STOPPED_WHILE_A_CLASS_IS_MADE)
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parents[2])])
    done = subprocess.run(
        [sys.executable, "-m", "stopping"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr.strip().splitlines()[-1]) == (130, "stopped")


def test_it_runs_as_a_module(folder):
    command = [sys.executable, "-m", "worker", "catalogue"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "generalization" in done.stdout


@pytest.mark.parametrize(
    ("text", "number"),
    [("2GB", 2 * 10**9), ("512MiB", 512 * 2**20), ("1.5 g", 1_500_000_000), ("10", 10), ("3kb", 3000)],
)
def test_sizes(text, number):
    assert size(text) == number


DATA = {"delimiter": ";", "encoding": "utf-8"}


def table_recipe(**params):
    columns = {"sex": {"role": "other", "categories": ["f", "m"]}}
    steps = [{"method": "dp-histogram", "params": {"columns": ["sex"], "epsilon": 0.5, **params}}]
    return {"version": 1, "data": DATA, "columns": columns, "steps": steps}


def test_a_table_instead_of_microdata(folder, capsys):
    write(folder / "table.json", table_recipe())
    for out in ("table.csv", "table.parquet"):
        assert (
            worker(folder, "anonymize", "table.json", "data.csv", "--out", out, "--report", "report.json")
            == 0
        )
        assert "No budget was charged" in one_line(capsys)
    assert worker(folder, "verify", "table.json", "table.csv") == 0
    assert json.loads(capsys.readouterr().out)["unexpected_columns"] == []
    with (folder / "table.csv").open(newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    assert rows[0] == ["sex", "count", "error95"]
    assert [row[0] for row in rows[1:]] == ["f", "m"]
    report = json.loads((folder / "report.json").read_text())
    loss = {"epsilon": 0.5, "delta": 0.0, "unit": "row", "neighbours": "add-remove", "charged": False}
    assert report["privacy_loss"] == loss
    assert report["goals"] == []


@pytest.mark.parametrize("option", [("--seed", "1"), ("--records", "records.csv"), ("--keep-order",)])
def test_options_that_a_table_does_not_have(folder, capsys, option):
    write(folder / "table.json", table_recipe())
    assert worker(folder, "anonymize", "table.json", "data.csv", "--out", "table.csv", *option) == 2
    assert option[0] in one_line(capsys)
    assert not (folder / "table.csv").exists()
