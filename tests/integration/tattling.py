"""A worker whose engine knows a method that tells every value it sees, wherever it can.

`python -m tests.integration.tattling worker` or `child`.
"""

import logging
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from tests.faults import trouble
from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, register
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.process import starting

SLUG = "tattle"


@register
class Tattle(Method):
    """Prints, logs, warns of and raises all values of a column."""

    slug = SLUG
    title = "Tattle"
    family = Family.PERTURBATIVE

    column: Annotated[str, Columns()] = Field("town", title="Column")

    def leaves(self, schema: Any) -> dict[str, Any]:
        return {}

    def plan(self, statistics: Any, goals: Sequence[Goal], source: Source, report: Reporter) -> Plan:
        said = " ".join(statistics.distinct(self.column).texts)
        print(said, flush=True)
        print(said, file=sys.stderr, flush=True)
        logging.error("could not convert %s", said)
        warnings.warn(said, stacklevel=1)
        try:
            raise KeyError(said)
        except KeyError as error:
            raise ValueError(f"could not convert string to float: {said!r}") from error


def worker() -> None:
    """As the product starts it, but for the engine's process."""
    from stewardapp.management import processes

    starting.COMMAND = (sys.executable, "-m", "tests.integration.tattling", "child")
    sys.argv = ["celery", *processes.worker()[3:]]
    from celery.__main__ import main

    main()


def child() -> None:
    """The engine's process; it can make trouble, too."""
    from worker.process import child

    assert trouble.SLUG
    child.main()


if __name__ == "__main__":
    {"worker": worker, "child": child}[sys.argv[1]]()
