"""What is left of noise once results are rounded: sometimes nothing, and hardly ever what was drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from worker.engine.contracts.facts import StepJson
from worker.engine.wording import measured

FEWEST = 10
TAILS: Mapping[str, Callable[[float], float]] = {
    "gaussian": lambda x: math.erfc(x / math.sqrt(2.0)),
    "laplace": lambda x: math.exp(-math.sqrt(2.0) * x),
    "uniform": lambda x: max(0.0, 1.0 - x / math.sqrt(3.0)),
}
"""How often noise of variance 1 is farther from 0 than this."""
FINE = 5.0
"""With steps so many times smaller than the noise, rounding adds step²/12 to every figure that is shown."""
MOST_STEPS = 400
HARDLY = 0.5


def may_undo(deviation: float, places: int) -> bool:
    """Whether rounding can give back so many values that it is worth counting those that changed."""
    return deviation < FINE * 10.0**-places


def rounded_variance(shape: str, deviation: float, places: int) -> float:
    """The variance of the difference to original values that show no more than so many decimals."""
    step = 10.0**-places
    if deviation > FINE * step:
        return deviation**2 + step**2 / 12.0
    if deviation <= 0.0:
        return 0.0
    farther = (TAILS[shape]((k + 0.5) * step / deviation) for k in range(MOST_STEPS))
    return step**2 * math.fsum((2 * k + 1) * share for k, share in enumerate(farther))


def said_of_rounding(decimals: str, facts: StepJson) -> tuple[str, ...]:
    """A warning where rounding gave most values back; the facts count them where it might have."""
    changed, cells = facts.get("changed_cells", 0), facts.get("noisy_cells", 0)
    if changed >= HARDLY * cells:  # so too when there are no cells
        return ()
    share = changed / cells
    about = f"only about {measured(float(f'{100 * share:.2g}'), '%')}" if changed else "none"
    return (
        f"Results were rounded to {decimals}, which undid most of the noise: {about} of the "
        "values differ from the original ones.",
    )


def clipping(clipped: Sequence[float], places: int) -> StepJson:
    """What bounds did to one column, for the report."""
    cells, up, down = (float(one) for one in clipped)
    return {"cells": int(cells), "added": (up - down) * 10.0**-places}


def said_of_clipping(facts: StepJson) -> tuple[str, ...]:
    """By how much bounds moved the means: what is cut off on one side is not made up for on the other."""
    said = []
    for name, clipped in facts.get("clipped", {}).items():
        cells, of = clipped["cells"], max(facts["cells"][name], 1)
        if 0 < cells < FEWEST:
            said.append(f"{name}: fewer than {FEWEST} results lay beyond a bound and were set to it.")
        elif cells:
            moved = clipped["added"] / of
            said.append(
                f"{name}: {measured(float(f'{100 * cells / of:.2g}'), '%')} of the results lay beyond "
                "a bound and were set to it: "
                f"that made the mean too {'large' if moved > 0 else 'small'} by {abs(moved):.3g}, and "
                "variances smaller than is said above: correct the mean, and do not rely on the tails."
            )
    return tuple(said)
