"""Questions: one spelling, refusals without data, sensitivities that bound what one person does."""

import json
from decimal import Decimal
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from worker.engine.dp import auditor, bounding, deriving, gathering, tryout
from worker.engine.dp.answering import Asked, answered
from worker.engine.dp.gathering import gathered
from worker.engine.dp.questions import RANKED, Question, canonical, fingerprint
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Table
from worker.engine.wording import thousands

DECLARED = {
    "age": Declaration(bounds=(0, 10), bin_width=1, kind=Kind.INTEGER),
    "pay": Declaration(bounds=(-1, Decimal("3.5")), bin_width=Decimal("0.5")),
    "sex": Declaration(categories=("f", "m")),
    "free": Declaration(),
    "blank": Declaration(categories=("",)),
    "exact": Declaration(categories=("y", "n")),
    "far": Declaration(bounds=(0, 2**53 + 2), kind=Kind.INTEGER),
    "tick": Declaration(bounds=(10**20, 10**20 + 70_000)),
    "fine": Declaration(bounds=(0, 10**9), bin_width=1, kind=Kind.INTEGER),
    "wide": Declaration(bounds=(0, 1_000_000), bin_width=1, kind=Kind.INTEGER),
    "long": Declaration(bounds=(0, 600_000), bin_width=1, kind=Kind.INTEGER),
    "day": Declaration(bounds=("2020-01-01", "2020-12-31"), bin_width=1, kind=Kind.DATE),
    "single": Declaration(bounds=(5, Decimal("5.5")), kind=Kind.INTEGER),
    "vast": Declaration(bounds=(-(10**12), 10**12), bin_width=10**11, kind=Kind.INTEGER),
}
ROLES = {**dict.fromkeys(DECLARED, Role.OTHER), "who": Role.PERSON_KEY}
SOURCE = Source(bytes(32))
MANY_BINS = f"more than {thousands(1_000_000)} bins"
MANY_CELLS = f"more than {thousands(1_000_000)} cells"


def question(**params):
    return Question.of({"epsilon": 1, **params})


def where(column, op, *values):
    return {"column": column, "op": op, "values": list(values)}


# -- one spelling ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"ask": "count"}, {"ask": "count", "column": "age", "share": "0.3", "top": 7}),
        ({"ask": "median", "column": "age"}, {"ask": "quantile", "column": "age", "share": "0.5"}),
        ({"ask": "maximum", "column": "age"}, {"ask": "quantile", "column": "age", "share": "0.99"}),
        ({"by": ["sex", "age"]}, {"by": ["age", "sex"]}),
        ({"where": [where("age", "above", 3)]}, {"where": [where("age", "above", "3.0")]}),
        ({"where": [where("sex", "is", "f")]}, {"where": [where("sex", "in", "f"), where("sex", "is", "f")]}),
        (
            {"where": [where("sex", "in", "f", "m"), where("age", "below", 3)]},
            {"where": [where("age", "below", 3), where("sex", "in", "m", "f", "f")]},
        ),
        ({"epsilon": 1}, {"epsilon": 1.0}),
    ],
)
def test_the_same_question_in_other_words(one, other):
    assert canonical(question(**one)) == canonical(question(**other))
    assert fingerprint(question(**one)) == fingerprint(question(**other))


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": 0.5},
        {"where": [where("age", "at-least", 3)]},
        {"by": ["sex"]},
        {"rows_per_person": 2},
        {"on": "sample"},
        {"ask": "sum", "column": "age"},
    ],
)
def test_other_questions(other):
    assert canonical(question()) != canonical(question(**other))


def test_a_question_survives_its_file():
    asked = question(ask="mean", column="pay", where=[where("age", "between", 2, 5)], by=["sex"])
    again = Question.of(json.loads(json.dumps(asked.params())))
    assert again == asked
    assert asked.words() == "The mean of pay, for each sex, where age lies from 2 to 5"


# -- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "param", "words"),
    [
        ({"ask": "sum", "column": "free"}, "column", "lowest and a highest possible value"),
        ({"ask": "mean", "column": "sex"}, "column", "no noise is enough"),
        ({"ask": "histogram", "column": "free"}, "column", "not declared"),
        ({"ask": "most-common", "column": "free"}, "column", "tell who is there"),
        ({"ask": "top-k", "column": "sex", "top": 2}, "top", "histogram"),
        ({"by": ["free"]}, "by", "not declared"),
        ({"where": [where("free", "is", "x")]}, "where", "single out"),
        ({"where": [where("sex", "is", "secret")]}, "where", "declared categories"),
        ({"where": [where("sex", "above", "1")]}, "where", "number"),
        ({"where": [where("age", "above", "old")]}, "where", "number"),
        ({"where": [where("age", "between", "1")]}, "where", "2 values"),
        ({"where": [where("age", "is", "1", "2")]}, "where", "1 value"),
        ({"ask": "mean", "column": "age", "epsilon": 0.000001}, "epsilon", "finer"),
        ({"ask": "sum", "column": "far"}, "column", "neighbouring numbers"),
        ({"ask": "median", "column": "tick"}, "column", "neighbouring numbers"),
        ({"ask": "mean", "column": "single"}, "column", "lowest and a highest possible value"),
        ({"ask": "sum", "column": "fine"}, "column", MANY_BINS),
        ({"ask": "count", "by": ["fine"]}, "by", MANY_BINS),
        ({"ask": "histogram", "column": "wide"}, "column", MANY_CELLS),
        (
            {"ask": "most-common", "column": "long", "by": ["sex"]},
            "by",
            MANY_CELLS,
        ),
        ({"ask": "median", "column": "long", "by": ["sex"]}, "by", MANY_CELLS),
        ({"ask": "median", "column": "day"}, "column", "lowest and a highest possible value"),
        ({"ask": "histogram", "column": "day"}, "column", "not declared"),
        ({"ask": "histogram", "column": "exact"}, "column", "column of the answer"),
        ({"by": ["exact"]}, "by", "column of the answer"),
        ({"by": ["blank"]}, "by", "not declared"),
        ({"ask": "count", "by": ["who"]}, "by", "no column"),
        ({"where": [where("who", "is", "p1")]}, "where", "no column"),
    ],
)
def test_what_no_mechanism_covers(params, param, words):
    [refusal] = auditor.refusals(question(**params), DECLARED, ROLES)
    assert refusal.param == param
    assert words in refusal.reason
    assert "secret" not in refusal.reason
    with pytest.raises(EngineError):
        auditor.insist(question(**params), {**DECLARED, "who": Declaration()})


def test_too_many_groups():
    wide = {**DECLARED, "zip": Declaration(bounds=(0, 5000), bin_width=1)}
    assert auditor.refusals(question(by=["zip"]), wide)[0].param == "by"


@pytest.mark.parametrize(
    "params",
    [
        {"ask": "median"},
        {"ask": "sum", "column": "age", "by": ["age"]},
        {"ask": "nothing"},
        {"share": 1},
        {"where": [{"column": "age", "op": "like", "values": ["x"]}]},
        {"where": [{"column": "age", "values": []}]},
        {"epsilon": "1"},
    ],
)
def test_questions_that_are_none(params):
    with pytest.raises(EngineError):
        question(**params)


# -- sensitivity --------------------------------------------------------------------------------------

PEOPLE = st.lists(
    st.tuples(
        st.sampled_from("pqr"),
        st.integers(-2, 14),
        st.sampled_from([-5.0, -1.0, 0.25, 3.5, 9.0]),
        st.sampled_from("fmx"),
    ),
    max_size=25,
)
ASKED = st.sampled_from(
    [
        {"ask": "count"},
        {"ask": "count", "by": ["sex"]},
        {"ask": "count", "where": [where("age", "at-least", 4), where("sex", "is-not", "m")]},
        {"ask": "histogram", "column": "age"},
        {"ask": "sum", "column": "pay"},
        {"ask": "sum", "column": "pay", "by": ["sex"]},
        {"ask": "mean", "column": "age"},
        {"ask": "variance", "column": "pay", "by": ["sex"]},
        {"ask": "median", "column": "age"},
        {"ask": "minimum", "column": "pay", "by": ["sex"]},
        {"ask": "most-common", "column": "sex"},
        {"ask": "top-k", "column": "age", "top": 2, "by": ["sex"]},
    ]
)


class Recording:
    """Draws nothing and remembers what noise would have been added to."""

    def __init__(self, fixed=None):
        self.measured, self.fixed = [], fixed

    def noisy(self, counts, noise):
        self.measured.append(counts.tolist())
        return counts if self.fixed is None else counts * 0 + self.fixed

    def best(self, scores, part):
        self.measured.append(list(scores))
        return int(np.argmax(scores))


def people(rows):
    """A table of them."""
    texts = [[str(one) for one in column] for column in zip(*rows, strict=True)] or [[]] * 4
    kinds = (Kind.TEXT, Kind.INTEGER, Kind.DECIMAL, Kind.CATEGORICAL)
    names = ("who", "age", "pay", "sex")
    columns = [Column.of_texts(n, t, k) for n, t, k in zip(names, texts, kinds, strict=True)]
    return Table(columns, 0, len(rows))


def measured(asked, rows, fixed=None):
    """Every vector that would get noise, part by part; `fixed` is what noisy counts are for later ones."""
    recording = Recording(fixed)
    answered(asked, gathered([people(rows)], asked, "who", SOURCE), recording)
    return recording.measured


TWO_GROUPS = [("p", 0, 3.5, "f"), ("p", 0, 3.5, "m"), ("q", 0, 3.5, "f"), ("q", 0, 3.5, "m")]


@settings(max_examples=300, deadline=None)
@example(TWO_GROUPS, {"ask": "sum", "column": "pay", "by": ["sex"]}, 2, 7, Random(0))
@given(PEOPLE, ASKED, st.integers(1, 3), st.sampled_from([deriving.MOST_OF_A_ROW, 7]), st.randoms())
def test_one_person_changes_what_is_measured_by_at_most_the_derived_sensitivity(
    rows, params, bound, most, random
):
    """Counts and sums in L1 over all groups, in coarse units too; scores one by one, in no more groups than
    a person is in."""
    key = random.randbytes(32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("worker.engine.dp.gathering.fresh_key", lambda: key)
        patch.setattr(deriving, "MOST_OF_A_ROW", most)
        asked = Asked.of(question(**params, rows_per_person=bound), DECLARED)
        fixed = 60_000 if params["ask"] in RANKED else None
        with_all, without = (
            measured(asked, some, fixed) for some in (rows, [row for row in rows if row[0] != "p"])
        )
    changes = [np.array(a, object) - np.array(b, object) for a, b in zip(with_all, without, strict=True)]
    if params["ask"] in ("count", "histogram", "sum", "mean", "variance"):
        for change, part in zip(changes, asked.found.parts, strict=True):
            assert np.abs(change).sum() <= part.sensitivity
        assert sum(part.epsilon for part in asked.found.parts) <= 1
        return
    parts = asked.found.parts
    if params["ask"] == "top-k":
        return  # later rounds depend on earlier choices; each round is the case below
    of_groups = [changes[at : at + len(parts)] for at in range(0, len(changes), len(parts))]
    for group in of_groups:
        for change, part in zip(group, parts, strict=True):
            assert np.abs(change).max(initial=0) <= part.sensitivity
    touched = sum(any(np.abs(change).any() for change in group) for group in of_groups)
    assert touched <= asked.found.groups_per_person
    assert sum(p.epsilon for p in parts) * asked.found.groups_per_person * asked.found.rounds <= 1
    if parts[0].monotone:
        assert all((change >= 0).all() for change in changes)


ALIKE = [("p", 0, 0.25, "f")] * 400
FEW_AND_F = {"ask": "count", "by": ["sex"], "where": [where("age", "at-most", 3)]}


@pytest.mark.parametrize("params", [FEW_AND_F, {"ask": "count", "where": [where("sex", "is", "f")]}])
def test_a_perturbed_copy_perturbs_every_column_that_a_question_names(params):
    """Groups and conditions too: otherwise the copy would be the data."""
    whole = question(**params, rows_per_person=1000)
    copy = question(**params, rows_per_person=1000, on="perturbed", disturbance=1)
    [exact], [found] = (measured(Asked.of(one, DECLARED), ALIKE) for one in (whole, copy))
    assert exact[0] == 400
    assert 0 < found[0] < 300


@pytest.mark.parametrize("person", ["who", None])
@pytest.mark.parametrize("filtering", [False, True], ids=["as it is", "filtering"])
def test_the_work_is_the_same_whatever_rows_are_meant(person, filtering, monkeypatch):
    """Rows that are counted and tuples that are bounded; the twin that filters first does less for fewer."""
    if filtering:
        whole = gathering.prepared

        def fewer(*given):
            for chunk, meant in whole(*given):
                rest = chunk.filter(meant)
                yield rest, np.ones(rest.rows, bool)

        monkeypatch.setattr(gathering, "prepared", fewer)
    rows = [(f"p{i}", i % 11, 0.25, "fm"[i % 2]) for i in range(500)]
    done = []
    for age in (-1, 3, 99):
        asked = Asked.of(question(where=[where("age", "at-most", age)]), DECLARED)
        seen, counter = [], gathering.Counter.add

        def add(self, columns, size, seen=seen, counter=counter):
            seen.append(size)
            counter(self, columns, size)

        def bounded(table, *given, seen=seen):
            seen.append(len(table))
            return bounding.bounded(table, *given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gathering.Counter, "add", add)
            patch.setattr(gathering, "bounded", bounded)
            gathered([people(rows)], asked, person, SOURCE)
        done.append((seen[0], sum(seen[1:])))
    assert (len(set(done)) == 1) is not filtering


def test_a_sample_is_a_sample():
    asked = Asked.of(question(ask="count", on="sample", sample_share="0.25", rows_per_person=1000), DECLARED)
    [[found]] = measured(asked, ALIKE)
    assert 50 < found < 150


MEDIAN = [("choice", 5000, 500_000), ("count", 1, 100_000), *[("end", 5000, 200_000)] * 2]


@pytest.mark.parametrize(
    ("params", "parts", "told"),
    [
        ({"ask": "count"}, [("count", 1, 1_000_000)], "at most 1 row"),
        ({"ask": "sum", "column": "pay"}, [("sum", 35_000, 1_000_000)], "between -1.0000 and 3.5"),
        ({"ask": "mean", "column": "age"}, [("count", 1, 500_000), ("sum", 5, 500_000)], "divided among 2"),
        ({"ask": "median", "column": "age"}, MEDIAN, "0.5 of a rank"),
        ({"ask": "top-k", "column": "age", "top": 4}, [("choice", 1, 250_000)], "4 rounds"),
        (
            {"ask": "sum", "column": "vast", "rows_per_person": 1000},
            [("sum", 10**12, 1_000_000)],
            "in units of 1000",
        ),
        (
            {"ask": "median", "column": "age", "by": ["sex"], "rows_per_person": 5},
            [("choice", 25_000, 250_000), ("count", 5, 50_000), *[("end", 25_000, 100_000)] * 2],
            "at most 2 of the 2 groups",
        ),
    ],
)
def test_derivations(params, parts, told):
    found = deriving.derived(question(**params), DECLARED)
    assert [(p.what, p.sensitivity, p.epsilon_micro) for p in found.parts] == parts
    assert told in " ".join(found.explanation)


def test_pretence_and_derivation_never_load_the_samplers():
    for ask in ("count", "histogram", "sum", "mean", "variance", "minimum", "median", "most-common", "top-k"):
        asked = question(ask=ask, column="age", by=["sex"], where=[where("pay", "at-most", 2)])
        lines = tryout.tried(asked, DECLARED, rows=50)
        assert {line.labels[0] for line in lines} == {"f", "m"}
        assert deriving.expected(asked, DECLARED)


def test_a_question_about_days_is_tried_without_inventing_any():
    [line] = tryout.tried(question(where=[where("day", "is-not", "2020-01-03")]), DECLARED, rows=50)
    assert line.exact == "50"
