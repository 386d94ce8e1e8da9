"""What a question does between claim and end: a recipe of one step becomes an answer and its true twin."""

import csv
import hmac
import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from stewardapp import storage
from stewardapp.models import Query
from worker.answers import Answer, repeat
from worker.child import ANSWER
from worker.claim import Claim
from worker.engine import catalogue
from worker.engine.dp.questions import Question
from worker.engines import MadeFile, run_engine
from worker.process import Sealed
from worker.sealed import SealedReader
from worker.tables import opened

TOLD, TRUE = "table.csv", "exact.csv"
OUTPUTS = (TOLD, "table.parquet", "codebook.md", TRUE)  # all that the engine writes of a table


@dataclass(frozen=True)
class Asked:
    """Everything a question made."""

    query: Query
    answer: dict[str, Any]
    exact: MadeFile
    engine_version: str


@contextmanager
def asked(claim: Claim, left: Answer | None = None) -> Iterator[Asked]:
    """Answer the question, or take the answer that was paid for and left."""
    query = Query.objects.select_related("desk", "reading__table", "reading__version__key").get(pk=claim.id)
    with ExitStack() as stack:
        temporaries = {name: stack.enter_context(storage.temporary()) for name in OUTPUTS}
        found = put(claim, query, temporaries) if left is None else repeat(left, query, temporaries)
        report, written = found["report"], found["files"]
        answer = {**told(temporaries[TOLD], query), "facts": report["public"]["steps"][0]}
        yield Asked(query, answer, MadeFile(TRUE, temporaries[TRUE], **written[TRUE]), version_of(report))


def version_of(report: Mapping[str, Any]) -> str:
    """Which engine answered."""
    return str(report["engine"]["version"])


def put(claim: Claim, query: Query, temporaries: Mapping[str, storage.Temporary]) -> dict[str, Any]:
    """Have the engine answer; the sealed answer is left where a takeover finds it."""
    version, key = query.reading.version, storage.key_bytes(query.key)
    with opened(query.reading) as table, storage.temporary() as answer:
        wanted = {**temporaries, ANSWER: answer}
        sealed = {name: Sealed(one.file, key, "w") for name, one in wanted.items()}
        details = {
            "recipe": recipe_of(query),
            "key": hmac.digest(key, b"question " + query.pk.bytes, "sha256").hex(),
            "input_sha256": version.sha256,
            "publish": str(storage.answer_folder(query)),
        }
        return run_engine(claim, "anonymize", details, {"table": table, **sealed})


def recipe_of(query: Query) -> dict[str, Any]:
    """The question as the only step of a recipe over the desk's dictionary."""
    methods: dict[str, type] = dict(catalogue.methods())
    slug = next(name for name, method in methods.items() if issubclass(method, Question))
    step = {"method": slug, "params": query.question}
    return {"version": 1, "columns": query.desk.dictionary, "steps": [step], "measures": []}


def told(table: storage.Temporary, query: Query) -> dict[str, Any]:
    """The table with noise, as the page prints it."""
    reader = SealedReader(table.file, storage.key_bytes(query.key))
    with io.TextIOWrapper(cast(BinaryIO, io.BufferedReader(reader)), encoding="utf-8", newline="") as text:
        columns, *rows = csv.reader(text)
    return {"columns": columns, "rows": rows}
