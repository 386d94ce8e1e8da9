"""What steps leave of columns: how it composes, which family follows, and that no claim is false."""

import itertools
from functools import cache

import pytest

from tests.engine import checks, claims
from tests.engine.running import recipe_of, rows_of, run
from worker.engine import catalogue
from worker.engine.contracts.method import Method, register
from worker.engine.contracts.samples import sample_columns, sample_schema, sample_table
from worker.engine.contracts.traces import ReleaseFamily, Trace, Traces, composed
from worker.engine.errors import EngineError
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema

KEPT, COARSER, EXCHANGED, PERTURBED, MADE_UP, REMOVED = Trace
METHODS = [cls for cls in catalogue.methods().values() if not cls.tabulates]


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (KEPT, COARSER, COARSER),
        (COARSER, COARSER, COARSER),
        (COARSER, PERTURBED, PERTURBED),
        (COARSER, EXCHANGED, PERTURBED),
        (EXCHANGED, PERTURBED, PERTURBED),
        (EXCHANGED, EXCHANGED, EXCHANGED),
        (PERTURBED, MADE_UP, MADE_UP),
        (EXCHANGED, MADE_UP, MADE_UP),
        (MADE_UP, REMOVED, REMOVED),
    ],
)
def test_two_steps_leave_what_both_leave(one, other, both):
    assert composed(one, other) is composed(other, one) is both


def test_steps_compose_in_any_grouping():
    for one, two, three in itertools.product(Trace, repeat=3):
        assert composed(composed(one, two), three) is composed(one, composed(two, three))
    for one in Trace:
        assert composed(one, one) is composed(KEPT, one) is one
        assert composed(REMOVED, one) is REMOVED


def traces(quasi=(), **columns):
    return Traces(columns, tuple(quasi))


@pytest.mark.parametrize(
    ("found", "family"),
    [
        (traces(["a", "b"], a=KEPT, b=COARSER, c=PERTURBED), ReleaseFamily.TRUTHFUL),
        (traces(["a", "b"], a=KEPT, b=PERTURBED), ReleaseFamily.PERTURBED),
        (traces(["a", "b"], a=COARSER, b=EXCHANGED), ReleaseFamily.PERTURBED),
        (traces(["a"], a=MADE_UP), ReleaseFamily.MADE_UP),
        (traces(["a", "b"], a=MADE_UP, b=KEPT), ReleaseFamily.TRUTHFUL),
        (traces((), a=KEPT, b=PERTURBED), ReleaseFamily.PERTURBED),
        (traces((), a=REMOVED, b=MADE_UP), ReleaseFamily.MADE_UP),
        (traces((), a=REMOVED), ReleaseFamily.TRUTHFUL),
        (Traces({"a": REMOVED}, tabulated=True), ReleaseFamily.TABLE),
    ],
)
def test_the_family_follows_from_what_is_left_of_the_quasi_identifiers(found, family):
    assert found.family is family


def test_a_recipe_tells_what_it_leaves_and_the_report_repeats_it():
    steps = [
        ("pseudonyms", {"column": "household"}),
        ("noise", {"column": "income"}),
        ("rounding", {"column": "income"}),
        ("rounding", {"column": "visits"}),
    ]
    recipe = recipe_of(sample_columns(), [], steps, [])
    found = recipe.traces
    assert found["income"] is PERTURBED
    assert found["visits"] is COARSER
    assert found["household_pseudonym"] is MADE_UP
    assert found["household"] is found["name"] is found["weight"] is found["nobody"] is REMOVED
    assert found.together(["age", "visits"]) is COARSER
    assert set(found.named(PERTURBED, MADE_UP)) == {"income", "household_pseudonym"}
    assert not found.fewer_rows
    released, report = run(recipe, sample_table())
    assert report["output"]["family"] == "truthful"
    told = {one["name"]: one["trace"] for one in report["output"]["schema"]}
    assert told == {name: found[name] for name in rows_of(released)[0]}
    assert [step["traces"] for step in report["steps"]][1] == {"income": "perturbed"}


def test_a_weight_that_leaves_is_not_removed():
    columns = sample_columns()
    columns["weight"]["release"] = True
    found = recipe_of(columns, [], [("sampling", {})], []).traces
    assert found["weight"] is COARSER
    assert found.fewer_rows


def test_a_method_that_does_not_say_what_it_leaves_is_not_taken_in():
    class Silent(Method):
        """Says nothing."""

        slug = "silent"

    with pytest.raises(TypeError, match="leaves"):
        register(Silent)


# -- what methods claim, on data --------------------------------------------------------------------------


@pytest.mark.parametrize("false", Trace)
@pytest.mark.parametrize("cls", [pytest.param(cls, id=cls.slug) for cls in METHODS])
def test_a_false_claim_is_caught(cls, false, monkeypatch):
    """Whatever else a method says of the columns that it changes, one of the contract tests refuses."""
    honest = cls.leaves
    monkeypatch.setattr(cls, "leaves", lambda self, schema: lied(honest(self, schema), false))
    if all(one.leaves(sample_schema()) == honest(one, sample_schema()) for one in cls.examples()):
        return  # no lie
    with pytest.raises(AssertionError):
        judge(cls)


def judge(cls):
    """The contract tests about what is left."""
    for example in cls.examples():
        checks.check_leaves_what_it_says(example)
    checks.check_leaves_no_more_than_it_says(cls)


def lied(said, false):
    """Of a new column nothing can be told from the data: it is as it was."""
    known = sample_schema().names
    return {
        name: false if name in known and one not in (KEPT, REMOVED) else one for name, one in said.items()
    }


@pytest.mark.parametrize("cls", [pytest.param(cls, id=cls.slug) for cls in METHODS])
def test_a_column_that_is_not_named_counts_as_kept(cls, monkeypatch):
    monkeypatch.setattr(cls, "leaves", lambda self, schema: {})
    with pytest.raises(AssertionError):
        judge(cls)


@cache
def first_examples():
    return [cls.examples()[0] for cls in METHODS]


@pytest.mark.parametrize("first", [pytest.param(cls.examples()[0], id=cls.slug) for cls in METHODS])
def test_what_two_steps_leave_together_is_so(first):
    """Whatever comes after it: a claim may be too modest, but never too bold."""
    schema, tried = first.output_schema(sample_schema()), 0
    for second in first_examples():
        try:
            second.check(schema)
            before, after = checks.both_sides((first, second))
        except EngineError:
            continue
        tried += 1
        found = Traces.of((first, second), sample_schema())
        for name in set(before) & set(after) - set(found.named(REMOVED)):
            if not (found[name] is EXCHANGED and found.fewer_rows):
                bold = claims.bold(found[name], before[name], after[name])
                assert not bold or (found[name] is COARSER and two_labels(first, second, name)), (
                    second,
                    name,
                )
    assert tried > 3


def two_labels(first, second, name):
    """A label of a label can be read by nobody who does not know the first one."""
    return all(one.leaves(sample_schema()).get(name) is COARSER for one in (first, second))


def test_kinds_and_limits_decide_what_is_left():
    generalization, mondrian = (catalogue.methods()[slug] for slug in ("generalization", "mondrian"))
    schema = Schema(
        (Field("a", Kind.INTEGER, Role.QUASI_IDENTIFIER), Field("b", Kind.TEXT, Role.QUASI_IDENTIFIER))
    )
    assert generalization.of({"levels": {"a": [0, 0]}}).leaves(schema) == {"a": KEPT, "b": COARSER}
    hiding = generalization.of({"levels": {"a": [0, 0]}, "suppression_limit": 0.1})
    assert hiding.leaves(schema)["a"] is COARSER
    dropping = hiding.model_copy(update={"drop_suppressed": True})
    assert dropping.leaves(schema)["a"] is KEPT
    assert mondrian.of({"summary": "mean"}).leaves(schema) == {"a": PERTURBED, "b": COARSER}
    assert set(mondrian.of({}).leaves(schema).values()) == {COARSER}


@pytest.mark.parametrize("cls", [c for c in catalogue.methods().values() if c.tabulates])
def test_of_a_table_no_row_is_left(cls):
    for example in cls.examples():
        found = example.leaves(sample_schema())
        assert set(found) == set(sample_schema().names)
        assert set(found.values()) <= {REMOVED, MADE_UP}
        assert Traces.of((example,), sample_schema()).family is ReleaseFamily.TABLE
