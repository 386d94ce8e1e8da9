"""A purchase as one function of PostgreSQL: its charges, every purse and its audit event in one round trip.

Whoever buys holds the rows that all others wait for only while the database itself works and commits, never
while a process of ours is on its way. What the function needs is prepared before it is called. The order of
locks is the one of the ledger: allowance, allotment, populations by id, the end of the audit log last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.db import DatabaseError, connection, connections, models

from stewardapp.models.audit import AuditEvent
from stewardapp.models.charge import Charge
from stewardapp.models.population import Population

REFUSED = "STW01"


class Refusal(Exception):
    """Nothing was bought: why, and of which population it is said."""

    def __init__(self, code: str, population: str) -> None:
        super().__init__(code)
        self.code, self.population = code, population


def buy(charges: Iterable[Charge], populations: Iterable[Population], event: AuditEvent) -> int:
    """Write all of it or nothing; the number of the event. All charges are of one query."""
    bought = [_row(charge) for charge in charges]
    purses = [{"id": one.pk, "ties": one.ties} for one in populations]
    given = [json.dumps(part, default=str) for part in (bought, purses, _row(event))]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT stewardapp_buy(%s, %s, %s)", given)
            return int(cursor.fetchone()[0])
    except DatabaseError as error:
        if (said := _refusal(error)) is None:
            raise
        raise said from None


def install(using: str = "default", **_: Any) -> None:
    """Put the function up; called after migrations."""
    if connections[using].vendor == "postgresql":
        with connections[using].cursor() as cursor:
            cursor.execute(FUNCTION)


def _row(record: models.Model) -> dict[str, Any]:
    """Columns by name."""
    return {field.attname: getattr(record, field.attname) for field in record._meta.concrete_fields}


def _refusal(error: DatabaseError) -> Refusal | None:
    told = getattr(error.__cause__, "diag", None)
    if told is None or told.sqlstate != REFUSED:
        return None
    return Refusal(told.message_primary, told.message_detail or "")


ENOUGH = "left_epsilon_micro >= epsilon AND left_delta_femto >= delta"
TAKE = "SET left_epsilon_micro = left_epsilon_micro - epsilon, left_delta_femto = left_delta_femto - delta"

# The hash of the new event is that of an anchored event in actions/audit.py.
FUNCTION = f"""
CREATE OR REPLACE FUNCTION stewardapp_buy(charges jsonb, purses jsonb, told jsonb) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    event stewardapp_auditevent := jsonb_populate_record(NULL::stewardapp_auditevent, told);
    head stewardapp_audithead;
    epsilon bigint := charges -> 0 -> 'epsilon_micro';
    delta bigint := charges -> 0 -> 'delta_femto';
    home uuid;
    part uuid;
    own uuid;
    purse record;
    written int;
BEGIN
    INSERT INTO stewardapp_charge SELECT * FROM jsonb_populate_recordset(NULL::stewardapp_charge, charges)
        ON CONFLICT (population_id, query) DO NOTHING;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> jsonb_array_length(charges) THEN
        RAISE EXCEPTION 'charged' USING ERRCODE = '{REFUSED}';
    END IF;

    SELECT (charge ->> 'population_id')::uuid INTO home FROM jsonb_array_elements(charges) AS charge
        WHERE (charge ->> 'direct')::boolean;
    SELECT id INTO part FROM stewardapp_allotment
        WHERE population_id = home AND project_id = event.project_id;
    IF part IS NULL THEN
        RAISE EXCEPTION 'no-allotment' USING ERRCODE = '{REFUSED}', DETAIL = home::text;
    END IF;
    SELECT id INTO own FROM stewardapp_allowance WHERE allotment_id = part AND user_id = event.actor_id;
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
    FOR purse IN SELECT * FROM jsonb_to_recordset(purses) AS given(id uuid, ties int) LOOP
        UPDATE stewardapp_population {TAKE} WHERE id = purse.id AND ties = purse.ties AND {ENOUGH};
        IF NOT FOUND THEN
            PERFORM FROM stewardapp_population WHERE id = purse.id AND ties <> purse.ties;
            IF FOUND THEN
                RAISE EXCEPTION 'unaware' USING ERRCODE = '{REFUSED}';
            END IF;
            RAISE EXCEPTION 'population' USING ERRCODE = '{REFUSED}', DETAIL = purse.id::text;
        END IF;
    END LOOP;

    SELECT * INTO STRICT head FROM stewardapp_audithead WHERE id = 1 FOR NO KEY UPDATE;
    event.id := head.count + 1;
    event.previous_hash := head.hash;
    event.hash := encode(sha256(convert_to(concat_ws(' ', event.id, head.hash, event.seal), 'UTF8')), 'hex');
    INSERT INTO stewardapp_auditevent SELECT event.*;
    UPDATE stewardapp_audithead SET count = event.id, hash = event.hash WHERE id = 1;
    RETURN event.id;
END $$
"""  # noqa: S608 - made of constants
