"""What a preview does between claim and end: the engine tries one step on a part of the table."""

from typing import Any

from stewardapp.models import Preview
from worker.claim import Claim
from worker.engines import run_engine
from worker.tables import opened, populations


def previewed(claim: Claim) -> tuple[Preview, dict[str, Any]]:
    """The preview and what the engine found; the engine is given no key to draw with."""
    related = ("reading__table", "reading__version__key")
    preview = Preview.objects.select_related(*related).get(pk=claim.id)
    with opened(preview.reading) as table, populations(preview.compared.all()) as compared:
        given = {"table": table, **compared}
        details = {"recipe": preview.recipe, "column": preview.column or None, "populations": list(compared)}
        return preview, run_engine(claim, "preview", details, given)["preview"]
