"""A run on the command line: a shell script that makes the release again, and the files that it needs.

The script holds hashes, names of columns and titles. Values of the data, as hierarchies and categories are,
stand in the files beside it, which only those get who may look into the data.
"""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from stewardapp.presenters.recipes import titles
from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.recipes.document import ColumnEntry
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from stewardapp.models import Run
    from stewardapp.reads.runs import SeenRun

SCRIPT, RECIPE, FOLDER = "replay.sh", "recipe.json", "hierarchies"
SAID = ("delimiter", "quote", "encoding", "missing")
"""What the command line is told of how the data file was read."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same archive every time."""
REFUSED = (
    "It is not offered for a release with differential privacy: a replay would draw noise that no budget has "
    "paid for, and both draws together promise less than one."
)
UNKNOWN = "This installation no longer knows every part of the recipe."


@dataclass(frozen=True)
class Replay:
    """The script with its files; without a script the words say why."""

    script: str
    files: Mapping[str, bytes]
    words: tuple[str, ...]

    def archive(self) -> bytes:
        """Everything in one file to unpack."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in ((SCRIPT, self.script.encode()), *self.files.items()):
                archive.writestr(zipfile.ZipInfo(f"replay/{name}", EPOCH), content)
        return buffer.getvalue()


def replay_of(seen: SeenRun) -> Replay:
    """How to make a run again outside of the desk."""
    run = seen.run
    if why := refusal(run):
        return Replay("", {}, (why,))
    recipe = Recipe.parse(run.recipe)
    files = {name: text.encode() for name, text in written(run)}
    commands = tuple(commands_of(run, recipe))
    return Replay(script_of(seen, recipe, commands, files), files, ("sh replay.sh DATA runs:", *commands))


def refusal(run: Run) -> str:
    """Why a run cannot be made again outside; nothing where it can."""
    try:
        recipe = Recipe.parse(run.recipe)
    except EngineError:
        return UNKNOWN
    paid = recipe.tabulates or any(step.cost() for step in recipe.steps)
    return REFUSED if paid or not run.stated.get("microdata", True) else ""


def is_offered(run: Run) -> bool:
    """Whether there is a script."""
    return not refusal(run)


# -- files ---------------------------------------------------------------------------------------------


def written(run: Run) -> Iterator[tuple[str, str]]:
    """The recipe, with the file of the data as it was read, and its hierarchies as files."""
    columns: dict[str, ColumnEntry] = {}
    for place, (name, part) in enumerate(run.recipe.get("columns", {}).items(), start=1):
        columns[name] = part
        if isinstance(lines := part.get("hierarchy"), list):
            path = f"{FOLDER}/{place:02d}-{plain(name)}.csv"
            columns[name] = cast(ColumnEntry, {**part, "hierarchy": path})
            yield path, "".join(f"{line}\n" for line in lines)
    data = reading_of(run)
    recipe = {**run.recipe, "columns": columns, **({"data": data} if data else {})}
    yield RECIPE, json.dumps(recipe, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def plain(name: str) -> str:
    """A name that every file system takes."""
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name)[:60]


def reading_of(run: Run) -> dict[str, object]:
    """How the data file was read, as far as its format leaves that open."""
    dialect = run.reading.dialect
    said = SAID if dialect.get("format", formats.CSV) == formats.CSV else SAID[-1:]
    return {name: dialect[name] for name in said if name in dialect}


def released_name(run: Run) -> str:
    """The file that comes out the same: the desk writes CSV with commas, the command line as the data are."""
    commas = run.reading.dialect.get("delimiter", ",") == ","
    names = {entry["name"] for entry in run.stated.get("artifacts", ())}
    return "release.csv" if commas or "release.parquet" not in names else "release.parquet"


# -- the script ----------------------------------------------------------------------------------------


def commands_of(run: Run, recipe: Recipe) -> Iterator[str]:
    """The very commands."""
    out, persons = released_name(run), counts_persons(recipe)
    beside = " --persons persons.csv" if persons else ""
    key = ' --project-key "$PROJECT_KEY"' if needs_key(recipe) else ""
    yield f'"$PYTHON" -m worker anonymize {RECIPE} "$DATA" --out {out} --report report.json{beside}{key}'
    yield f'"$PYTHON" -m worker verify {RECIPE} {out}{beside}'


def counts_persons(recipe: Recipe) -> bool:
    """Whether the goals count persons, whom the released file does not show."""
    return bool(recipe.goals) and any(one.role is Role.PERSON_KEY for one in recipe.columns.values())


def needs_key(recipe: Recipe) -> bool:
    """Whether pseudonyms are made with the key of the project."""
    return any(step.needs_project_key() for step in recipe.steps)


def script_of(seen: SeenRun, recipe: Recipe, commands: Sequence[str], files: Mapping[str, bytes]) -> str:
    """The whole script."""
    run = seen.run
    out = released_name(run)
    listed = {entry["name"]: entry["sha256"] for entry in run.stated.get("artifacts", ())}
    checks = [f"same {shlex.quote(name)} {hashlib.sha256(text).hexdigest()}" for name, text in files.items()]
    lines = [
        *heading(seen, recipe),
        PREAMBLE,
        *([NEEDS_KEY] if needs_key(recipe) else []),
        f'same "$DATA" {run.stated.get("input_sha256", "")}',
        *checks,
        *commands,
        f"same {out} {listed.get(out, '')} || echo {shlex.quote(OTHERWISE)}",
    ]
    return "\n".join(lines) + "\n"


def heading(seen: SeenRun, recipe: Recipe) -> Iterator[str]:
    """What it is and what it needs, as comments."""
    run = seen.run
    yield "#!/bin/sh"
    yield from (
        comment(line)
        for line in (
            f"Makes run {run.number} of release {run.release.public_id} again, and verifies it.",
            "Usage: sh replay.sh DATA, where DATA is the file as it was uploaded.",
            f"It was made by engine {run.engine_version}; PYTHON names an interpreter that has it.",
            f"Recipe: {run.recipe_sha256}",
            f"Goals and steps: {titles(run.recipe)}",
        )
    )
    for path in recipe.auxiliary_paths():
        named = seen.names_of_files.get(path, "a file")
        yield comment(f"Put the file that it was compared with beside this script as {path}: {named}")


def comment(text: str) -> str:
    """One line that the shell passes over, whatever is in it."""
    return "# " + " ".join(text.split())


PREAMBLE = """\
set -eu
DATA=${1:?"usage: sh replay.sh DATA"}
case $DATA in /*) ;; *) DATA=$PWD/$DATA ;; esac
PYTHON=${PYTHON:-python3}
cd "$(dirname "$0")"

same() { # FILE SHA256
  if command -v sha256sum >/dev/null; then found=$(sha256sum "$1"); else found=$(shasum -a 256 "$1"); fi
  if [ "${found%% *}" = "$2" ]; then echo "same bytes: $1"; else echo "other bytes: $1" >&2; return 1; fi
}
"""
NEEDS_KEY = ': "${PROJECT_KEY:?names a file with at least 32 random bytes; the pseudonyms will be others}"'
OTHERWISE = (
    "Where a step draws at random, or the engine is another one, the bytes are others; the goals hold all "
    "the same. Never give out both files."
)
