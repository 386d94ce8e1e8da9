"""What a preview shows: a few figures before and after, pictures, what the step decided and would tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.forms.recipe_form import NAMES, contract_of
from stewardapp.presenters import charts
from stewardapp.presenters.facts import fact_words, is_single
from stewardapp.presenters.measures import words
from stewardapp.presenters.numbers import percent, thousands
from worker.engine.contracts.chart import Chart

if TYPE_CHECKING:
    from stewardapp.models import Preview

FIGURES = {
    "missing": "Rows without a value",
    "distinct": "Different values",
    "mean": "Mean",
    "standard_deviation": "Standard deviation",
}
NOT_FACTS = ("method", "column")


def shown(preview: Preview) -> dict[str, object]:
    """Everything the fragment prints."""
    step = preview.recipe["steps"][0]
    contract: Any = contract_of("step", step[NAMES["step"]])
    context = {"preview": preview, "title": contract.title if contract else step[NAMES["step"]]}
    return context | (found(preview) if preview.state == "succeeded" else {})


def found(preview: Preview) -> dict[str, object]:
    """The result in words, tables and pictures."""
    result = preview.result
    figures = result["figures"]
    return {
        "column": result["column"],
        "sentence": result["describe"],
        "where": where(result),
        "gone": figures.get("leaves") is False,
        "changed": changed(figures),
        "figures": [
            (label, *(fact_words(name, value) for value in figures[name]))
            for name, label in FIGURES.items()
            if name in figures
        ],
        "facts": facts(result["facts"]),
        "guidance": result["guidance"],
        "pictures": [picture(preview, chart) for chart in charts_of(preview).values()],
    }


def where(result: Mapping[str, Any]) -> str:
    """On which rows it was tried."""
    tried, whole = result["tried_rows"], result["rows"]
    if tried == whole:
        return f"Tried on all {thousands(whole)} rows"
    return f"Tried on {thousands(tried)} of {thousands(whole)} rows, taken in blocks at even distances"


def changed(figures: Mapping[str, Any]) -> str:
    """How much of the column is another value now."""
    before, after = figures["rows"]
    left = f" {thousands(before - after)} rows were left out." if before != after else ""
    if "changed_share" not in figures:
        return left.strip()
    cells = thousands(figures["changed_cells"])
    return f"{percent(figures['changed_share'])} of the cells changed ({cells}).{left}"


def facts(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the step decided, as far as it is one number or word."""
    return [
        (words(name), fact_words(name, value))
        for name, value in told.items()
        if name not in NOT_FACTS and is_single(value)
    ]


def charts_of(preview: Preview) -> dict[str, Chart]:
    """The pictures by their names."""
    return {one["slug"]: Chart.from_dict(one) for one in preview.result.get("charts", ())}


def picture(preview: Preview, chart: Chart) -> charts.Picture:
    """A picture, its address and its table."""
    return charts.pictured(chart, reverse("preview-chart", args=[preview.pk, chart.slug]))
