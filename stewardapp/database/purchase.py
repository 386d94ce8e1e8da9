"""A purchase as one procedure of PostgreSQL: who pays, charges, every purse and the audit event at once.

Whoever buys holds the rows that all others wait for only while the database itself works, never while a
process of ours is on its way, and not while the disk is: a purchase that is a transaction of its own commits
in memory, lets go, and returns when what it wrote is on the disk. The log is written in order, so that
nothing that was built on a purchase can outlive it. The order of locks is the one of the ledger: allowance,
allotment, populations by id, the end of the audit log last.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from stewardapp.models.audit import Telling
from stewardapp.models.job import JobState
from stewardapp.models.version import Version, whom_to_charge

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

    from stewardapp.domain.pricing import Cost

REFUSED = "STW01"
REFUSALS = {"charge_once_per_query": "charged", "query_answered_once": "being-answered"}


class Refusal(Exception):
    """Nothing was bought: why, and of which population it is said."""

    def __init__(self, code: str, population: str) -> None:
        super().__init__(code)
        self.code, self.population = code, population


def buy(
    query: UUID,
    fence: int | None,
    version: Version,
    payers: Sequence[UUID],
    cost: Cost,
    event: Telling,
    seal: str,
) -> tuple[int, str, list[UUID]]:
    """Write all of it or nothing: the number and the hash of the event, and who pays.

    With a fence the question is marked as paid for, if the claim of that number still holds it.

    Number 0 means that nothing was written, because it is for others to pay than was told.
    """
    given = (
        *(query, fence, version.pk, version.sha256, version.dataset.population_id, _array(payers)),
        *(cost.spend.epsilon_micro, cost.spend.delta_femto, cost.what, str(cost.unit)),
        *(event.at, event.actor_id, event.project_id, event.action, event.subject_type, event.subject_id),
        *(json.dumps(event.details), seal),
    )
    said = _said(given)
    if said.startswith("{"):
        return 0, "", [UUID(one) for one in said[1:-1].split(",")]
    number, _, linked = said.partition(" ")
    return int(number), linked, list(payers)


def _said(given: tuple[Any, ...]) -> str:
    """What the procedure says; the call is prepared, because reading it takes time each time."""
    database = connections[DEFAULT_DB_ALIAS]
    database.ensure_connection()
    try:
        with database.wrap_database_errors:
            cursor = _kept_cursor(database.connection)
            ((said,),) = cursor.execute(BUY, (*given, not database.in_atomic_block))
            return str(said)
    except DatabaseError as error:
        if (refusal := _refusal(error)) is None:
            raise
        raise refusal from None


def _kept_cursor(connection: Connection[Any]) -> Cursor[Any]:
    """The one cursor of a connection: making one takes as long as having it say something."""
    if (kept := vars(connection).get("stewardapp_buy")) is None:
        from psycopg import Cursor  # only a site with PostgreSQL has it

        kept = vars(connection)["stewardapp_buy"] = Cursor(connection)
    return kept


def install(using: str = "default", **_: Any) -> None:
    """Put the procedure up; called after migrations."""
    if connections[using].vendor == "postgresql":
        statement, places = whom_to_charge("postgresql")
        payers = statement % (("bytes",) * places)
        with connections[using].cursor() as cursor:
            cursor.execute("DROP ROUTINE IF EXISTS stewardapp_buy")  # it may have taken other arguments
            cursor.execute(PROCEDURE.replace("<payers>", payers))


def _array(values: Sequence[object]) -> str:
    """In the database's own spelling, which is quicker than having each value converted."""
    return "{" + ",".join(map(str, values)) + "}"


def _refusal(error: DatabaseError) -> Refusal | None:
    told = getattr(error.__cause__, "diag", None)
    if told is None:
        return None
    if told.constraint_name in REFUSALS:
        return Refusal(REFUSALS[told.constraint_name], "")
    if told.sqlstate != REFUSED:
        return None
    return Refusal(told.message_primary, told.message_detail or "")


BUY = f"CALL stewardapp_buy({', '.join(['%s'] * 19)}, NULL)"
ENOUGH = "own.left_epsilon_micro >= epsilon AND own.left_delta_femto >= delta"
TAKE = """AS own SET left_epsilon_micro = own.left_epsilon_micro - epsilon,
        left_delta_femto = own.left_delta_femto - delta"""

# The hash of the new event is the one of `link` in domain/audit_chain.py.
PROCEDURE = f"""
CREATE PROCEDURE stewardapp_buy(
    query uuid, claim bigint, version uuid, bytes text, home uuid, told uuid[],
    epsilon bigint, delta bigint, bought text, protected text,
    moment timestamptz, asker uuid, project uuid, done text, kind text, subject uuid, said jsonb, seal text,
    alone boolean, INOUT answer text
) LANGUAGE plpgsql AS $$
DECLARE
    part uuid;
    payers uuid[];
    tied int[];
    number bigint;
    previous text;
    linked text;
BEGIN
    IF alone THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    -- Most often nobody else has to pay: that is known sooner than who does.
    SELECT told, ARRAY[own.ties] INTO payers, tied FROM stewardapp_population AS own
        WHERE own.id = home AND told = ARRAY[home]
            AND NOT EXISTS (SELECT FROM stewardapp_population_overlaps WHERE from_population_id = home)
            AND NOT EXISTS (SELECT FROM stewardapp_version AS same
                JOIN stewardapp_dataset AS data ON data.id = same.dataset_id
                WHERE same.sha256 = bytes AND data.population_id <> home);
    IF NOT FOUND THEN
        SELECT array_agg(payer.id ORDER BY payer.id), array_agg(payer.ties ORDER BY payer.id)
            INTO payers, tied FROM (<payers>) AS payer;
        IF payers <> told THEN
            answer := payers;
            RETURN;
        END IF;
    END IF;
    IF claim IS NOT NULL THEN
        UPDATE stewardapp_query SET charged_at = statement_timestamp()
            WHERE id = query AND state = '{JobState.RUNNING}' AND fence = claim AND charged_at IS NULL;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'claim-lost' USING ERRCODE = '{REFUSED}';
        END IF;
    END IF;
    INSERT INTO stewardapp_charge (id, created_at, population_id, project_id, version_id, by_id, query,
            direct, what, unit, epsilon_micro, delta_femto)
        SELECT gen_random_uuid(), moment, one, project, version, asker, query,
            one = home, bought, protected, epsilon, delta FROM unnest(payers) AS one;

    UPDATE stewardapp_allowance {TAKE} FROM stewardapp_allotment AS whole
        WHERE whole.population_id = home AND whole.project_id = project
            AND own.allotment_id = whole.id AND own.user_id = asker AND {ENOUGH}
        RETURNING whole.id INTO part;
    IF NOT FOUND THEN
        SELECT id INTO part FROM stewardapp_allotment WHERE population_id = home AND project_id = project;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'no-allotment' USING ERRCODE = '{REFUSED}',
                DETAIL = (SELECT name FROM stewardapp_population WHERE id = home);
        END IF;
        PERFORM FROM stewardapp_allowance WHERE allotment_id = part AND user_id = asker;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'no-allowance' USING ERRCODE = '{REFUSED}';
        END IF;
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
    answer := concat_ws(' ', number, linked);
    IF alone THEN
        COMMIT;
        -- Something to commit: that waits until everything before it is on the disk, as the server is set.
        PERFORM pg_logical_emit_message(true, '', '');
    END IF;
END $$
"""  # noqa: S608 - made of constants
