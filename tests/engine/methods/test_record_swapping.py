"""Record swapping trades places between like households and keeps counts within strata."""

from collections import Counter

import numpy as np

from tests.engine.methods.running import codes, run
from worker.engine.methods.record_swapping import RecordSwapping
from worker.engine.methods.rounding import Rounding
from worker.engine.randomness import key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import BLOCK, Table

KEY = key_from_seed(1)
ROLES = {"h": Role.HOUSEHOLD_KEY}


def village(homes: int = 3000) -> Table:
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 4, homes)
    of = np.repeat(np.arange(homes), sizes)
    shuffled = rng.permutation(len(of))
    of = of[shuffled]
    return Table(
        [
            codes("region", rng.integers(0, 8, homes)[of], list("abcdefgh")),
            codes("tenure", rng.integers(0, 2, homes)[of], ["own", "rent"]),
            codes("job", np.minimum(rng.geometric(0.4, len(of)), 9) - 1, [f"j{i}" for i in range(9)]),
            Column.of_texts("h", [f"h{i}" for i in of]),
        ]
    )


def homes_of(table, column) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for home, text in zip(table["h"].texts(), column.texts(), strict=True):
        found.setdefault(home, []).append(text)
    return found


def test_counts_within_strata_and_sizes_stay():
    table = village()
    out = run(table, RecordSwapping(columns=("region",), strata=("tenure",), share=0.3), roles=ROLES)
    sizes = {home: len(rows) for home, rows in homes_of(table, table["region"]).items()}

    def counted(regions):
        homes = table["h"].texts()
        tenures = table["tenure"].texts()
        cells = zip(regions, tenures, (sizes[h] for h in homes), strict=True)
        return Counter(cells)

    assert counted(out.texts("region")) == counted(table["region"].texts())
    assert out.texts("job") == table["job"].texts()
    assert counted(dealt_anew(table)) != counted(table["region"].texts()), "strata and sizes not heeded"


def dealt_anew(table: Table) -> list[str]:
    """The mutant: the same regions, dealt to households of any kind."""
    homes = homes_of(table, table["region"])
    dealt = np.random.default_rng(2).permutation([regions[0] for regions in homes.values()])
    region = dict(zip(homes, dealt.tolist(), strict=True))
    return [region[home] for home in table["h"].texts()]


def test_what_the_codebook_calls_exact_is_counted_in_households():
    table = village()
    step = RecordSwapping(columns=("region",), strata=("job",), share=0.5)
    out = run(table, step, roles=ROLES)
    assert out.facts[0]["swapped_households"] > 1000
    assert "household size and by job of the first member, counted in households" in " ".join(
        step.guidance(out.facts[0])
    )

    def counted(regions):
        first, size = {}, Counter(table["h"].texts())
        for home, region, job in zip(table["h"].texts(), regions, table["job"].texts(), strict=True):
            first.setdefault(home, (region, size[home], job))
        return Counter(first.values())

    assert counted(out.texts("region")) == counted(table["region"].texts())
    rows = [
        Counter(zip(regions, table["job"].texts(), strict=True))
        for regions in (out.texts("region"), table["region"].texts())
    ]
    assert rows[0] != rows[1], "in rows it is not exact, because members differ"


def test_a_household_moves_as_a_whole_and_about_the_asked_share_moves():
    table = village()
    out = run(table, RecordSwapping(columns=("region",), share=0.2), roles=ROLES)
    before, after = homes_of(table, table["region"]), homes_of(table, out["region"])
    assert stay_together(after)
    rows = np.random.default_rng(2).permutation(out.texts("region")).tolist()
    assert not stay_together(homes_of(table, codes_of(rows))), "rows that trade places one by one"
    moved = sum(before[home] != after[home] for home in before)
    assert moved == out.facts[0]["swapped_households"] == 600


def stay_together(homes: dict[str, list[str]]) -> bool:
    return all(len(set(regions)) == 1 for regions in homes.values())


def codes_of(texts: list[str]) -> Column:
    return Column.of_texts("region", texts)


def test_households_with_rare_members_go_first():
    table = village()
    rare = RecordSwapping(columns=("region",), share=0.01, risky=("job",), k=150)
    out = run(table, rare, roles=ROLES)
    jobs = Counter(table["job"].texts())
    before, after = homes_of(table, table["region"]), homes_of(table, out["region"])
    risky = {home for home, held in homes_of(table, table["job"]).items() if any(jobs[j] < 150 for j in held)}
    assert len(risky) > 20
    assert sum(before[home] != after[home] for home in risky) > 0.9 * len(risky)


def test_without_a_household_key_every_row_trades_for_itself():
    table = village().select(["region", "job"])
    out = run(table, RecordSwapping(columns=("region",), share=0.5))
    assert Counter(out.texts("region")) == Counter(table["region"].texts())
    moved = sum(a != b for a, b in zip(out.texts("region"), table["region"].texts(), strict=True))
    assert moved == out.facts[0]["moved_rows"] == out.facts[0]["swapped_households"]


def test_rows_without_a_key_live_alone():
    table = Table([codes("r", np.arange(100) % 5, list("abcde")), Column.of_texts("h", ["", "x"] * 50)])
    out = run(table, RecordSwapping(columns=("r",), share=1), roles=ROLES)
    assert out.facts[0]["households"] == 51
    assert Counter(out.texts("r")) == Counter(table["r"].texts())


def test_values_that_an_earlier_step_made_equal_are_equal():
    rng = np.random.default_rng(1)
    age = Column.of_texts("age", [str(i % 1000) for i in range(2000)], Kind.INTEGER)
    table = Table([age, codes("region", rng.integers(0, 8, 2000), list("abcdefgh"))])
    coarse, step = (
        Rounding(column="age", base=500),
        RecordSwapping(columns=("region",), strata=("age",), share=1),
    )
    out = run(table, coarse, step)
    assert out.facts[1]["swapped_households"] > 1900
    cells = [
        Counter(zip(out.texts("age"), texts, strict=True))
        for texts in (table["region"].texts(), out.texts("region"))
    ]
    assert cells[0] == cells[1]
    nobody = RecordSwapping(columns=("region",), share=0.001, risky=("age",), k=3)
    assert run(table, coarse, nobody).facts[1]["swapped_households"] == 2, "nobody is rare any more"
    homes = RecordSwapping(columns=("region",), household="age", share=1)
    assert run(table, coarse, homes).facts[1]["households"] == 3


def test_same_key_same_bytes_and_chunked_is_whole():
    table = village(70_000)
    assert table.rows > 2 * BLOCK
    step = RecordSwapping(columns=("region",), share=0.3)
    outs = [run(table, step, roles=ROLES, key=KEY, blocks=blocks).texts("region") for blocks in (1, 16)]
    assert outs[0] == outs[1]
    assert outs[0] != run(table, step, roles=ROLES).texts("region")
