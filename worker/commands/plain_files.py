"""The plain files of the command line: opened by content, and never left half written."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypedDict, cast

from worker.engine.errors import EngineError

if TYPE_CHECKING:
    from worker.engine.io.dialect import Dialect, DialectJson
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.reporting import TerminalReporter
    from worker.engine.tables.table import TableSource

NOT_DECLARED = (
    'data: say how the file is read, such as {"delimiter": ",", "encoding": "utf-8"}. A step promises '
    "differential privacy, and one row may not decide about that."
)
SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30}
PARQUET_SUFFIXES = (".parquet", ".pq")
WRITTEN = (".xlsx", ".sav", ".dta")
NOT_WRITTEN = (".xls", ".zsav", ".por", ".sas7bdat")


class Nowhere(io.RawIOBase):
    """Takes a table that nobody wants to keep, so that no copy of raw data is made."""

    def __init__(self) -> None:
        super().__init__()
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any, /) -> int:
        length = memoryview(data).nbytes
        self._size += length
        return length


def read_recipe(path: Path, hierarchies: Path | None = None) -> Recipe:
    """The recipe, checked; the files of a folder serve the columns without a hierarchy, by their names."""
    from worker.engine.recipes.recipe import Recipe

    recipe = Recipe.parse(path.read_bytes())
    if hierarchies is None:
        return recipe
    document = json.loads(recipe.canonical_json())
    for column, file in _files_by_column(recipe, hierarchies).items():
        document["columns"][column]["hierarchy"] = _hierarchy_lines(file, column)
    return Recipe.parse(document)


def _files_by_column(recipe: Recipe, folder: Path) -> dict[str, Path]:
    """The file of each column without a hierarchy; refused when several fit, or one fits several."""
    from worker.engine.hierarchies.files import ENDINGS, matches

    if not folder.is_dir():
        raise EngineError("no-folder", f"--hierarchies: {folder} is no folder.")
    files = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    found: dict[str, Path] = {}
    for match in matches(files, recipe.columns):
        if len(match.columns) > 1:
            names = " and ".join(map(repr, match.columns))
            raise _unclear(f"{match.file} fits the columns {names}")
        if not match.column:
            sys.stderr.write(f"--hierarchies: {match.file} fits no column of the recipe and was not used.\n")
        elif recipe.columns[match.column].hierarchy is None:
            if match.column in found:
                raise _unclear(f"{found[match.column].name} and {match.file} fit the column {match.column!r}")
            found[match.column] = folder / match.file
    return found


def _unclear(what: str) -> EngineError:
    return EngineError("bad-hierarchy", f"--hierarchies: {what}. Name the hierarchy in the recipe.")


def _hierarchy_lines(path: Path, column: str) -> list[str]:
    """The lines of a table or a tree."""
    from worker.engine.hierarchies.imports import read_any

    return read_any(hierarchy_text(path), column).lines()


def hierarchy_files(recipe: Recipe, folder: Path) -> dict[str, str]:
    """The text of every hierarchy file; paths are relative to the recipe."""
    texts = {}
    for name in recipe.hierarchy_paths():
        with suppress(FileNotFoundError):  # the recipe refuses it, naming the column
            texts[name] = hierarchy_text(folder / name)
    return texts


def hierarchy_text(path: Path) -> str:
    """The text of a hierarchy file."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise
    except (UnicodeDecodeError, OSError):
        text = f"{path.name}: this hierarchy file is not readable UTF-8 text. Save it as UTF-8."
        raise EngineError("bad-hierarchy", text) from None


class Sources(TypedDict):
    """What a recipe refers to, ready to be read."""

    hierarchies: dict[str, str]
    populations: dict[str, TableSource]


class SourceFiles(TypedDict):
    """The same with population files as they are."""

    hierarchies: dict[str, str]
    populations: dict[str, BinaryIO]


def declared_sources(files: ExitStack, recipe: Recipe, folder: Path) -> Sources:
    """What a recipe refers to: the texts of its hierarchies, the rows of its population files."""
    from worker.engine.io.dialect import sniff
    from worker.engine.io.source import open_table

    said = missing_said(recipe)
    sources: dict[str, TableSource] = {}
    declared = declared_files(files, recipe, folder)
    for name, file in declared["populations"].items():
        try:
            sources[name] = open_table(file, sniff(file, said, suggesting=False))
        except EngineError as error:
            raise type(error)(error.code, f"population file {name}: {error.message}") from None
    return {"hierarchies": declared["hierarchies"], "populations": sources}


def missing_said(recipe: Recipe) -> DialectJson:
    """Of how the data file is read what holds for other files as well: which texts mean no value."""
    said = recipe.data.said()
    return {"missing": said["missing"]} if "missing" in said else {}


def other_releases(files: ExitStack, paths: Sequence[Path], recipe: Recipe) -> dict[str, TableSource]:
    """Other releases about the same people, by the name of their file."""
    return {path.name: opened(files, path, recipe, released=True)[0] for path in paths}


def declared_files(files: ExitStack, recipe: Recipe, folder: Path) -> SourceFiles:
    """The same with population files as they are; one that is not there is refused by its goal."""
    paths = ((name, folder / name) for name in recipe.auxiliary_paths())
    populations: dict[str, BinaryIO] = {
        name: files.enter_context(path.open("rb")) for name, path in paths if path.is_file()
    }
    return {"hierarchies": hierarchy_files(recipe, folder), "populations": populations}


def opened(
    files: ExitStack, path: Path, recipe: Recipe, released: bool = False, memory: int | None = None
) -> tuple[TableSource, str | None]:
    """The rows of a file, and the delimiter they were read with."""
    from worker.engine.io.dialect import sniff
    from worker.engine.io.formats import no_rows
    from worker.engine.io.source import open_table

    file = files.enter_context(path.open("rb"))
    said = missing_said(recipe) if released else recipe.data.said()
    blind = recipe.tabulates and not released
    dialect = declared_dialect(file, recipe) if blind else sniff(file, said, suggesting=False)
    source = open_table(file, dialect, columns=recipe.read_columns(), memory=memory, lenient=blind)
    if not source.rows and not released and not blind:
        raise no_rows()
    return source, dialect.delimiter if dialect.format == "csv" else None


def declared_dialect(file: BinaryIO, recipe: Recipe) -> Dialect:
    """How to read data about which one row may decide nothing: as the recipe says, and never as it looks."""
    from worker.engine.io import formats
    from worker.engine.io.dialect import Dialect

    said, kind = recipe.data.said(), formats.detect(file)
    if kind == formats.CSV and not {"delimiter", "encoding"} <= said.keys():
        raise EngineError("data-not-declared", NOT_DECLARED, "data")
    return Dialect(format=kind).given(said)


def output_kind(path: Path) -> str:
    """What to write, by the name of the file."""
    if path.suffix.lower() in NOT_WRITTEN:
        raise EngineError(
            "output-format",
            f"--out: {path.suffix} is not written. Use .csv, .tsv, .parquet, .xlsx, .sav or .dta.",
        )
    if path.suffix.lower() in WRITTEN:
        return path.suffix.lower().removeprefix(".")
    return "parquet" if path.suffix.lower() in PARQUET_SUFFIXES else "csv"


def out_delimiter(path: Path, read_with: str | None) -> str:
    """A released CSV uses the delimiter of the data it came from."""
    return "\t" if path.suffix.lower() == ".tsv" else read_with or ","


@contextmanager
def finished(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is whole."""
    if path.is_dir() or not path.parent.is_dir():
        raise EngineError("no-folder", f"{path}: this is a folder, or its folder is not there. Name a file.")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def told(text: str, path: Path | None, reporter: TerminalReporter) -> int:
    """To the file when one is named, otherwise to standard output."""
    reporter.close()
    if path is None:
        sys.stdout.write(text)
    else:
        with finished(path) as file:
            file.write(text.encode())
    return 0


def sha256(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def size(text: str) -> int:
    """A number of bytes from `2GB`, `512 MiB` or a plain number."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", text.strip().lower())
    if found is None or found[2] not in SIZES:
        raise argparse.ArgumentTypeError("a size is a number with a unit, such as 500MB or 2GB")
    return int(float(found[1]) * SIZES[found[2]])
