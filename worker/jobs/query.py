"""A question: a recipe of one step becomes an answer and its sealed true twin, once its price is paid."""

import hmac
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import cast

from stewardapp import storage
from stewardapp.actions import ledger, queries
from stewardapp.models import Query
from stewardapp.models.query import EXACT_VALUES
from worker.engine import catalogue
from worker.engine.dp.questions import Question
from worker.engine.recipes.document import Entry, RecipeJson
from worker.process import answers
from worker.process.answers import Answer, AnswerJson, Said, repeat
from worker.process.engines import MadeFile, run_engine, stored, storing
from worker.process.outputs import ANSWER, TRUE
from worker.process.parent import Sealed
from worker.process.tables import opened
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register

ANEW = (
    "Whoever asked may ask it again, for its price once more; where an allowance is too small for that, a "
    "steward can raise it."
)


@register
class Queries(Kind[Query]):
    """The answer and its true twin become visible at once, or nothing does."""

    row = Query

    def work(self, claim: Claim) -> None:
        if (earlier := repeated(claim)) is not None:
            query = Query.objects.select_related("version__key").get(pk=claim.id)
            storage.key_bytes(query.key)  # of destroyed data nothing is repeated
            told = {
                "answer": earlier.answer,
                "exact": earlier.exact,
                "engine_version": earlier.engine_version,
            }
            queries.record(query=query, fence=claim.fence, **told)
            return
        with asked(claim, bought(claim)) as made, storing([made.exact], made.query.key):
            queries.record(
                query=made.query,
                fence=claim.fence,
                answer=made.answer,
                exact=stored(made.exact, made.query.key),
                engine_version=made.engine_version,
            )

    def told(self, job: Query) -> Mapping[str, object]:
        """Whoever asked is told at the next tick, and only that there is no answer."""
        said = {"message": job.error_message, "reference": job.error_reference}
        return {name: words for name, words in said.items() if words}


@dataclass(frozen=True)
class Asked:
    """Everything a question made."""

    query: Query
    answer: AnswerJson
    exact: MadeFile
    engine_version: str


def repeated(claim: Claim) -> Query | None:
    """The question of a colleague whose answer is the one to this; whoever repeats it pays for it once."""
    query = Query.objects.select_related("reading", "version__dataset", "repeats").get(pk=claim.id)
    if query.charged_at is not None:
        return query.repeats
    earlier = Query.objects.drawn(query)
    if earlier is None:
        return None
    if earlier.is_alive:
        raise ledger.BeingAnswered("being-answered", "The same question is being answered.")
    ledger.charge_repeat(query=query, fence=claim.fence, earlier=earlier, by=query.asked_by)
    return earlier


def bought(claim: Claim) -> Answer | None:
    """Commit its price before anything is drawn, or find the answer that was paid for."""
    query = Query.objects.select_related("version__dataset__project", "version__key", "asked_by", "desk").get(
        pk=claim.id
    )
    if query.charged_at is not None:
        return answers.left(query, ANEW)
    ledger.charge_query(
        query=query.pk,
        fence=claim.fence,
        version=query.version,
        cost=query.spend,
        what=query.bought,
        unit=query.protects,
        by=query.asked_by,
    )
    return None


@contextmanager
def asked(claim: Claim, left: Answer | None = None) -> Iterator[Asked]:
    """Answer the question, or take the answer that was paid for and left."""
    query = Query.objects.select_related("desk", "reading__table", "reading__version__key").get(pk=claim.id)
    with ExitStack() as stack:
        exact = stack.enter_context(storage.temporary())
        found = put(claim, query, exact) if left is None else repeat(left, query, {TRUE: exact})
        true = MadeFile(EXACT_VALUES, exact, **found["files"][TRUE])
        yield Asked(query, found["answer"], true, found["engine_version"])


def put(claim: Claim, query: Query, exact: storage.Temporary) -> Said:
    """Have the engine answer; the sealed answer is left where a takeover finds it."""
    key = storage.key_bytes(query.key)
    with opened(query.reading) as table, storage.temporary() as answer:
        files = {TRUE: Sealed(exact.file, key, "w"), ANSWER: Sealed(answer.file, key, "w")}
        details = {
            "recipe": recipe_of(query),
            "key": hmac.digest(key, b"question " + query.pk.bytes, "sha256").hex(),
            "publish": str(storage.answer_folder(query)),
        }
        return cast(Said, run_engine(claim, "answer", details, {"table": table, **files}))


def recipe_of(query: Query) -> RecipeJson:
    """The question as the only step of a recipe over the desk's dictionary."""
    methods: dict[str, type] = dict(catalogue.methods())
    slug = next(name for name, method in methods.items() if issubclass(method, Question))
    step: Entry = {"method": slug, "params": query.question}
    return {"version": 1, "columns": query.desk.dictionary, "steps": [step], "measures": []}
