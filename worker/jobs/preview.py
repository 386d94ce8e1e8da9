"""A preview: the engine tries one step on a part of the table, for the page of the draft."""

from stewardapp.actions import previews
from stewardapp.models import Preview
from worker.process.engines import run_engine
from worker.process.tables import opened, populations
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register


@register
class Previews(Kind[Preview]):
    """A few aggregates. The engine is given no key to draw with; whoever wants a preview looks at it."""

    row = Preview

    def work(self, claim: Claim) -> None:
        related = ("reading__table", "reading__version__key")
        preview = Preview.objects.select_related(*related).get(pk=claim.id)
        with opened(preview.reading) as table, populations(preview.compared.all()) as compared:
            details = {
                "recipe": preview.recipe,
                "column": preview.column or None,
                "populations": list(compared),
            }
            found = run_engine(claim, "preview", details, {"table": table, **compared})
        previews.record(preview=preview, fence=claim.fence, result=found["preview"])
