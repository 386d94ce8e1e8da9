"""A purchase as one function of PostgreSQL: who pays, charges, every purse and the audit event at once.

Whoever buys holds the rows that all others wait for only while the database itself works and commits, never
while a process of ours is on its way. The database keeps the plans of what the function asks, and is given
values of the right type: planning each time and taking rows apart cost more than the work. The order of
locks is the one of the ledger: allowance, allotment, populations by id, the end of the audit log last.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from django.db import DatabaseError, connection, connections

from stewardapp.models.audit import AuditEvent
from stewardapp.models.version import Version, whom_to_charge
from worker.engine.privacy import Spend

REFUSED = "STW01"


class Refusal(Exception):
    """Nothing was bought: why, and of which population it is said."""

    def __init__(self, code: str, population: str) -> None:
        super().__init__(code)
        self.code, self.population = code, population


def buy(
    query: UUID,
    version: Version,
    payers: Sequence[UUID],
    cost: Spend,
    what: str,
    event: AuditEvent,
    seal: str,
) -> tuple[int, list[UUID]]:
    """Write all of it or nothing: the number of the event, and who pays.

    Number 0 means that nothing was written, because it is for others to pay than was told.
    """
    given = (
        *(query, version.pk, version.sha256, version.dataset.population_id, _array(payers)),
        *(cost.epsilon_micro, cost.delta_femto, what),
        *(event.at, event.actor_id, event.project_id, event.action, event.subject_type, event.subject_id),
        *(json.dumps(event.details), seal),
    )
    said = _said(given)
    if said.startswith("{"):
        return 0, [UUID(one) for one in said[1:-1].split(",")]
    return int(said), list(payers)


def _said(given: tuple[Any, ...]) -> str:
    """What the function says; as a prepared statement, because the call itself is long to read."""
    connection.ensure_connection()
    try:
        with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
            ((said,),) = cursor.execute(BUY, given)
            return str(said)
    except DatabaseError as error:
        if (refusal := _refusal(error)) is None:
            raise
        raise refusal from None


def install(using: str = "default", **_: Any) -> None:
    """Put the function up; called after migrations."""
    if connections[using].vendor == "postgresql":
        statement, places = whom_to_charge("postgresql")
        payers = statement % (("bytes",) * places)
        with connections[using].cursor() as cursor:
            cursor.execute("DROP FUNCTION IF EXISTS stewardapp_buy")  # it may have taken other arguments
            cursor.execute(FUNCTION.replace("<payers>", payers))


def _array(values: Sequence[object]) -> str:
    """In the database's own spelling, which is quicker than having each value converted."""
    return "{" + ",".join(map(str, values)) + "}"


def _refusal(error: DatabaseError) -> Refusal | None:
    told = getattr(error.__cause__, "diag", None)
    if told is None or told.sqlstate != REFUSED:
        return None
    return Refusal(told.message_primary, told.message_detail or "")


BUY = f"SELECT stewardapp_buy({', '.join(['%s'] * 16)})"
ENOUGH = "left_epsilon_micro >= epsilon AND left_delta_femto >= delta"
TAKE = "SET left_epsilon_micro = left_epsilon_micro - epsilon, left_delta_femto = left_delta_femto - delta"

# The hash of the new event is the one of `link` in actions/audit.py.
FUNCTION = f"""
CREATE FUNCTION stewardapp_buy(
    question uuid, version uuid, bytes text, home uuid, told uuid[],
    epsilon bigint, delta bigint, bought text,
    moment timestamptz, asker uuid, project uuid, done text, kind text, subject uuid, said jsonb, seal text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    part uuid;
    own uuid;
    payers uuid[];
    tied int[];
    number bigint;
    previous text;
    linked text;
    written int;
BEGIN
    SELECT array_agg(payer.id ORDER BY payer.id), array_agg(payer.ties ORDER BY payer.id) INTO payers, tied
        FROM (<payers>) AS payer;
    IF payers <> told THEN
        RETURN payers;
    END IF;
    INSERT INTO stewardapp_charge (id, created_at, population_id, project_id, version_id, by_id, query,
            direct, what, epsilon_micro, delta_femto)
        SELECT gen_random_uuid(), moment, one, project, version, asker, question,
            one = home, bought, epsilon, delta FROM unnest(payers) AS one
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

    SELECT head.count + 1, head.hash INTO STRICT number, previous
        FROM stewardapp_audithead AS head WHERE id = 1 FOR NO KEY UPDATE;
    linked := encode(sha256(convert_to(concat_ws(' ', number, previous, seal), 'UTF8')), 'hex');
    INSERT INTO stewardapp_auditevent (id, at, actor_id, action, project_id, subject_type, subject_id,
            details, previous_hash, hash)
        VALUES (number, moment, asker, done, project, kind, subject, said, previous, linked);
    UPDATE stewardapp_audithead SET count = number, hash = linked WHERE id = 1;
    RETURN number;
END $$
"""  # noqa: S608 - made of constants
