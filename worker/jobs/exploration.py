"""An exploration: the searches of a run made once more, with every combination listed that they look at."""

from stewardapp.actions import explorations
from stewardapp.models import Exploration
from worker.process.drawing import drawn_with
from worker.process.engines import run_engine
from worker.process.tables import opened, populations
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register


@register
class Explorations(Kind[Exploration]):
    """Nothing is written but the list; whoever wants it looks at it."""

    row = Exploration

    def work(self, claim: Claim) -> None:
        related = ("run__reading__table", "run__reading__version__key", "run__key", "run__project_key__key")
        exploration = Exploration.objects.select_related(*related).get(pk=claim.id)
        run = exploration.run
        with opened(run.reading) as table, populations(run.compared.all()) as compared:
            details = {"recipe": run.recipe, "populations": list(compared), **drawn_with(run)}
            found = run_engine(claim, "explore", details, {"table": table, **compared})
        explorations.record(exploration=exploration, fence=claim.fence, steps=found["steps"])
