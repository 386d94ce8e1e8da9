"""A purchase as two functions of PostgreSQL: who pays, then charges, every purse and the audit event at once.

Whoever buys holds the rows that all others wait for only while the database itself works and commits, never
while a process of ours is on its way. The database keeps the plans of what a function asks, and is given
values of the right type: parsing and planning each time cost more than the work. The order of locks is the
one of the ledger: allowance, allotment, populations by id, the end of the audit log last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection, connections

from stewardapp.models.audit import AuditEvent, AuditHead
from stewardapp.models.version import Version, whom_to_charge
from worker.engine.privacy import Spend

REFUSED = "STW01"


class Refusal(Exception):
    """Nothing was bought: why, and of which population it is said."""

    def __init__(self, code: str, population: str) -> None:
        super().__init__(code)
        self.code, self.population = code, population


@dataclass(frozen=True, slots=True)
class Payers:
    """The populations that a purchase is charged to, how many overlaps each had, and the end of the log."""

    ids: list[UUID]
    ties: list[int]
    head: AuditHead


def look(version: Version) -> Payers:
    """Who pays for a purchase about these bytes, as things are now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM stewardapp_payers(%s)", (version.sha256,))
        found = cursor.fetchall()
    _, _, count, end = found[0]
    return Payers([row[0] for row in found], [row[1] for row in found], AuditHead(count=count, hash=end))


def buy(query: UUID, version: Version, payers: Payers, cost: Spend, what: str, event: AuditEvent) -> int:
    """Write all of it or nothing; the number of the event."""
    told = (event.at, event.actor_id, event.project_id, event.action, event.subject_type, event.subject_id)
    given = (
        *(query, version.pk, version.dataset.population_id, _array(payers.ids), _array(payers.ties)),
        *(cost.epsilon_micro, cost.delta_femto, what),
        *(*told, json.dumps(event.details), event.anchor, event.seal),
    )
    try:
        with connection.cursor() as cursor:
            cursor.execute(BUY, given)
            return int(cursor.fetchone()[0])
    except DatabaseError as error:
        if (said := _refusal(error)) is None:
            raise
        raise said from None


def install(using: str = "default", **_: Any) -> None:
    """Put the functions up; called after migrations."""
    if connections[using].vendor == "postgresql":
        statement, places = whom_to_charge("postgresql")
        with connections[using].cursor() as cursor:
            cursor.execute("DROP FUNCTION IF EXISTS stewardapp_buy")  # it may have taken other arguments
            cursor.execute(FUNCTION)
            cursor.execute(PAYERS % (statement % (("$1",) * places)))


def _array(values: Iterable[object]) -> str:
    """In the database's own spelling, which is quicker than having each value converted."""
    return "{" + ",".join(map(str, values)) + "}"


def _refusal(error: DatabaseError) -> Refusal | None:
    told = getattr(error.__cause__, "diag", None)
    if told is None or told.sqlstate != REFUSED:
        return None
    return Refusal(told.message_primary, told.message_detail or "")


PAYERS = """
CREATE OR REPLACE FUNCTION stewardapp_payers(bytes varchar)
    RETURNS TABLE (population uuid, tied int, events bigint, last varchar)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT payer.id, payer.ties, coalesce(head.count, 0), coalesce(head.hash, '')
        FROM (%s) AS payer LEFT JOIN stewardapp_audithead AS head ON head.id = 1 ORDER BY payer.id;
END $$
"""

ARGUMENTS = (
    *("uuid", "uuid", "uuid", "uuid[]", "int[]", "bigint", "bigint", "text"),
    *("timestamptz", "uuid", "uuid", "text", "text", "uuid", "jsonb", "bigint", "text"),
)
BUY = f"SELECT stewardapp_buy({', '.join(f'%s::{kind}' for kind in ARGUMENTS)})"
ENOUGH = "left_epsilon_micro >= epsilon AND left_delta_femto >= delta"
TAKE = "SET left_epsilon_micro = left_epsilon_micro - epsilon, left_delta_femto = left_delta_femto - delta"

# The hash of the new event is that of an anchored event in actions/audit.py.
FUNCTION = f"""
CREATE FUNCTION stewardapp_buy(
    question uuid, version uuid, home uuid, payers uuid[], tied int[],
    epsilon bigint, delta bigint, bought text,
    moment timestamptz, asker uuid, project uuid, done text, kind text, subject uuid,
    told jsonb, seen bigint, sealed text
) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    part uuid;
    own uuid;
    number bigint;
    previous text;
    linked text;
    written int;
BEGIN
    INSERT INTO stewardapp_charge (id, created_at, population_id, project_id, version_id, by_id, query,
            direct, what, epsilon_micro, delta_femto)
        SELECT gen_random_uuid(), moment, payer, project, version, asker, question,
            payer = home, bought, epsilon, delta FROM unnest(payers) AS payer
        ON CONFLICT ON CONSTRAINT charge_once_per_query DO NOTHING;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> cardinality(payers) THEN
        RAISE EXCEPTION 'charged' USING ERRCODE = '{REFUSED}';
    END IF;

    SELECT id INTO part FROM stewardapp_allotment WHERE population_id = home AND project_id = project;
    IF part IS NULL THEN
        RAISE EXCEPTION 'no-allotment' USING ERRCODE = '{REFUSED}',
            DETAIL = (SELECT name FROM stewardapp_population WHERE id = home);
    END IF;
    SELECT id INTO own FROM stewardapp_allowance WHERE allotment_id = part AND user_id = asker;
    IF own IS NULL THEN
        RAISE EXCEPTION 'no-allowance' USING ERRCODE = '{REFUSED}';
    END IF;

    UPDATE stewardapp_allowance {TAKE} WHERE id = own AND {ENOUGH};
    IF NOT FOUND THEN
        RAISE EXCEPTION 'allowance' USING ERRCODE = '{REFUSED}';
    END IF;
    UPDATE stewardapp_allotment {TAKE} WHERE id = part AND {ENOUGH};
    IF NOT FOUND THEN
        RAISE EXCEPTION 'allotment' USING ERRCODE = '{REFUSED}';
    END IF;
    FOR place IN 1 .. cardinality(payers) LOOP
        UPDATE stewardapp_population {TAKE} WHERE id = payers[place] AND ties = tied[place] AND {ENOUGH};
        IF NOT FOUND THEN
            PERFORM FROM stewardapp_population WHERE id = payers[place] AND ties <> tied[place];
            IF FOUND THEN
                RAISE EXCEPTION 'unaware' USING ERRCODE = '{REFUSED}';
            END IF;
            RAISE EXCEPTION 'population' USING ERRCODE = '{REFUSED}',
                DETAIL = (SELECT name FROM stewardapp_population WHERE id = payers[place]);
        END IF;
    END LOOP;

    SELECT count + 1, hash INTO STRICT number, previous
        FROM stewardapp_audithead WHERE id = 1 FOR NO KEY UPDATE;
    linked := encode(sha256(convert_to(concat_ws(' ', number, previous, sealed), 'UTF8')), 'hex');
    INSERT INTO stewardapp_auditevent (id, at, actor_id, action, project_id, subject_type, subject_id,
            details, previous_hash, hash, anchor, seal)
        VALUES (number, moment, asker, done, project, kind, subject, told, previous, linked, seen, sealed);
    UPDATE stewardapp_audithead SET count = number, hash = linked WHERE id = 1;
    RETURN number;
END $$
"""  # noqa: S608 - made of constants
