"""What a preview does between claim and end: the engine tries one step on a part of the table."""

from typing import Any

from stewardapp import storage
from stewardapp.models import Preview
from worker.claim import Claim
from worker.engine.recipe import Recipe
from worker.engines import run_engine
from worker.populations import populations
from worker.process import Sealed


def previewed(claim: Claim) -> tuple[Preview, dict[str, Any]]:
    """The preview and what the engine found; the engine is given no key to draw with."""
    related = ("release__version__table", "release__version__key")
    preview = Preview.objects.select_related(*related).get(pk=claim.id)
    version = preview.release.version
    if version.table is None:
        raise storage.Destroyed
    named = version.usable_as_population().filter(pk__in=Recipe.parse(preview.recipe).population_paths())
    with storage.opened(version.table) as table, populations(named) as compared:
        given = {"table": Sealed(table, storage.key_bytes(version.key)), **compared}
        details = {"recipe": preview.recipe, "column": preview.column or None, "populations": list(compared)}
        return preview, run_engine(claim, "preview", details, given)["preview"]
