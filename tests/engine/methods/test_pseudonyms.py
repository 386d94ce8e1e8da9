"""Pseudonyms are the stated keyed hashes, and link exactly what they should."""

import base64
import hashlib
import hmac

import pytest

from tests.engine.methods.running import run
from worker.engine.errors import EngineError
from worker.engine.methods.pseudonyms import Pseudonyms
from worker.engine.randomness import fresh_key, key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Role
from worker.engine.tables.table import BLOCK, Table

PROJECT = b"p" * 32


def people(texts=("anna", "bert", "anna", "", "çélia 🙂"), name: str = "id") -> Table:
    return Table([Column.of_texts(name, list(texts))])


def test_the_project_key_gives_the_same_pseudonyms_in_every_file_and_run():
    step = Pseudonyms(column="id", key="project")
    first = run(people(), step, project_key=PROJECT).texts("id")
    assert first == run(people(), step, project_key=PROJECT).texts("id")
    other = Pseudonyms(column="pid", key="project")
    assert run(people(name="pid"), other, project_key=PROJECT).texts("pid") == first
    assert first[0] == first[2] != first[1]
    assert run(people(), step, project_key=b"q" * 32).texts("id")[0] != first[0]


def test_they_are_hmacs_of_the_exact_text():
    digest = hmac.digest(PROJECT, b"person\x00anna", hashlib.sha256)
    wanted = base64.b32encode(digest).decode().lower()[:16]
    step = Pseudonyms(column="id", key="project")
    assert run(people(), step, project_key=PROJECT).texts("id")[0] == wanted


def test_domains_are_kept_apart():
    texts = [
        run(people(), Pseudonyms(column="id", key="project", domain=d), project_key=PROJECT).texts("id")[0]
        for d in ("person", "doctor")
    ]
    assert texts[0] != texts[1]


def test_a_fresh_key_links_nothing_between_releases():
    step = Pseudonyms(column="id")
    first, second = (run(people(), step, key=fresh_key()).texts("id") for _ in range(2))
    assert first[0] == first[2]
    assert not set(first) & set(second) - {""}
    same_run = run(people(), step, key=key_from_seed(1)).texts("id")
    assert same_run == run(people(), step, key=key_from_seed(1)).texts("id")


def test_missing_stays_missing_and_length_and_prefix_are_as_asked():
    out = run(people(), Pseudonyms(column="id", length=12, prefix="P-")).texts("id")
    assert out[3] == ""
    assert all(len(text) == 14 and text.startswith("P-") for text in out if text)


def test_an_identifier_becomes_releasable_and_a_key_gets_a_column_beside():
    out = run(people(), Pseudonyms(column="id"), roles={"id": Role.DIRECT_IDENTIFIER})
    assert out.table.names == ("id",)
    beside = run(people(), Pseudonyms(column="id"), roles={"id": Role.PERSON_KEY})
    assert beside.table.names == ("id", "id_pseudonym")
    assert beside.texts("id") == people()["id"].texts()
    schema = Pseudonyms(column="id").output_schema
    from worker.engine.tables.table import Field, Schema

    before = Schema((Field("id", role=Role.DIRECT_IDENTIFIER),))
    assert schema(before)["id"].role is Role.OTHER
    keyed = schema(Schema((Field("id", role=Role.HOUSEHOLD_KEY),)))
    assert keyed["id"].role is Role.HOUSEHOLD_KEY
    assert keyed["id_pseudonym"].role is Role.OTHER


def test_without_the_project_key_the_step_is_refused():
    with pytest.raises(EngineError) as caught:
        run(people(), Pseudonyms(column="id", key="project"))
    assert caught.value.code == "no-project-key"
    assert caught.value.param == "key"


def test_no_two_of_many_people_share_one():
    texts = [f"person {i}" for i in range(2 * BLOCK)]
    whole = run(people(texts), Pseudonyms(column="id"), key=key_from_seed(1)).texts("id")
    pieces = run(people(texts), Pseudonyms(column="id"), key=key_from_seed(1), blocks=1).texts("id")
    assert len(set(whole)) == len(texts)
    assert whole == pieces
