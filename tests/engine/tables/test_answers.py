"""Questions that were announced are answered together, under one budget, and as if each was asked alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of
from worker.engine.errors import LimitExceeded
from worker.engine.execution.dataset import Dataset
from worker.engine.reporting import NullReporter
from worker.engine.tables import long_table
from worker.engine.tables.answers import Answers, size_of
from worker.engine.tables.column import Column
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.long_table import BYTES_PER_TUPLE, LongTable
from worker.engine.tables.questions import CountsOf, CovarianceOf, MomentsOf, classes_of, distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, MemorySource, Table

ROLES = {"p": "person-key", "w": "weight", "q": "quasi-identifier", "r": "quasi-identifier", "s": "sensitive"}
KINDS = {"n": "decimal", "m": "integer", "w": "decimal"}
COLUMNS = {
    name: {"role": ROLES.get(name, "other"), "kind": KINDS.get(name, "categorical")} for name in "pwqrsnm"
}
ASKED = (
    distinct_of("q"),
    distinct_of("n"),
    CountsOf(("q", "r")),
    CountsOf(("q", "n")),
    CountsOf(("q", "r", "s")),
    CountsOf(("q", "s"), persons=True),
    CountsOf(("q", "r"), persons=True, weights=True),
    MomentsOf("m"),
    CovarianceOf(("n", "m")),
)


class Counting(MemorySource):
    """Knows how often its rows were read to the end."""

    def __init__(self, table):
        super().__init__(table, blocks_per_chunk=1)
        self.passes = []

    def chunks(self, columns=None):
        yield from super().chunks(columns)
        self.passes.append(columns)


def table_of_rows(rows, dense=True):
    columns = [Column.of_texts(name, [str(row[i]) for row in rows]) for i, name in enumerate("pwqrs")]
    numbers = [Column.of_texts(name, [str(row[5 + i]) for row in rows]) for i, name in enumerate("nm")]
    if dense:
        numbers[0] = Numbers(
            "n", Kind.DECIMAL, codes_of(numbers[0].arrow()), Column.of_texts("", [""]).labels
        )
    return Table([*columns, *numbers], 0, len(rows))


def invented(rows):
    return [(i % 7, 1 + i % 3, i % 5, i % 4, i % 3, i * 7 % 1000 / 4, i % 11) for i in range(rows)]


def asked_of(source, memory=None):
    recipe = recipe_of(COLUMNS, measures=[])
    data = Dataset(source, recipe.columns, recipe.declarations({}))
    source.passes = []
    return Statistics(data, {}, NullReporter(), memory)


def as_rows(answer):
    """A table's tuples by their texts, or the figures."""
    if isinstance(answer, LongTable):
        answer = answer.whole()
    if not hasattr(answer, "domains"):
        return np.round(np.concatenate([np.ravel(one) for one in vars(answer).values()]), 9).tolist()
    both = zip(answer.domains, answer.codes, strict=True)
    texts = [np.array(domain.texts, object)[codes].tolist() for domain, codes in both]
    beside = [one.tolist() for one in (answer.persons, answer.weights) if one is not None]
    return list(zip(*texts, answer.counts.tolist(), *beside, strict=True))


ROWS = st.tuples(*(st.integers(0, 4) for _ in range(7)))


@settings(deadline=None, max_examples=40)
@given(st.lists(ROWS.map(lambda row: (row[0], row[1] + 1, *row[2:])), max_size=40), st.permutations(ASKED))
def test_together_the_answers_are_what_they_are_alone(rows, order):
    together = asked_of(Counting(table_of_rows(rows)))
    together.announce(order)
    for question in order:
        alone = asked_of(Counting(table_of_rows(rows)))
        np.testing.assert_equal(as_rows(together.answer(question)), as_rows(alone.answer(question)))


def test_all_questions_take_two_passes():
    """One for the values of columns that have too many for a list, one for everything else."""
    source = Counting(table_of_rows(invented(3 * BLOCK // 2)))
    statistics = asked_of(source)
    statistics.announce(ASKED)
    for question in ASKED:
        statistics.answer(question)
    assert len(source.passes) == 2
    labels = asked_of(source)
    source.passes = []
    labels.announce([one for one in ASKED if "n" not in one.names])
    for question in ASKED:
        if "n" not in question.names:
            labels.answer(question)
    assert len(source.passes) == 1


def test_without_a_word_beforehand_each_question_takes_its_own_pass():
    source = Counting(table_of_rows(invented(100)))
    statistics = asked_of(source)
    for question in (MomentsOf("m"), distinct_of("s"), CountsOf(("q", "r"))):
        statistics.answer(question)
        statistics.answer(question)
    assert len(source.passes) == 3


def test_a_part_of_what_was_counted_is_not_counted_again():
    source = Counting(table_of_rows(invented(100)))
    statistics = asked_of(source)
    statistics.announce([CountsOf(("q", "r", "s")), CountsOf(("q", "s")), CountsOf(("s", "r"))])
    found = statistics.counts(("q", "s"))
    assert found.rows == statistics.counts(("s", "r")).rows == statistics.counts(("q", "r", "s")).rows == 100
    assert len(source.passes) == 1


def test_of_persons_who_are_not_known_nothing_is_asked():
    statistics = asked_of(Counting(table_of_rows(invented(10))))
    assert classes_of(statistics.schema, ("s", "q")) == CountsOf(("q", "r", "s"), True, True)
    recipe = recipe_of({"q": {"role": "quasi-identifier"}}, measures=[])
    plain = Dataset(MemorySource(table_of_rows(invented(10))), recipe.columns, {})
    found = Statistics(plain, {}, NullReporter())
    assert found.classes_table().persons is None
    assert found.answer(CountsOf(("q",))) is found.classes_tuples()


# -- one budget ---------------------------------------------------------------------------------------------


def test_the_least_recently_used_answer_goes_and_comes_back_the_same():
    source = Counting(table_of_rows(invented(2000)))
    whole = asked_of(source)
    expected = {question: as_rows(whole.answer(question)) for question in ASKED}
    largest = max(size_of(whole.answer(question)) for question in ASKED)
    small = asked_of(source, memory=1 << 30)
    small._answers.room = largest + 1
    for _ in range(2):
        for question in ASKED:
            assert as_rows(small.answer(question)) == expected[question]
            assert small._answers.held <= small._answers.peak <= largest + 1
    source.passes = []
    small.answer(ASKED[-1])
    assert not source.passes, "what was asked last is still there"


def test_what_is_larger_than_the_room_is_answered_but_not_kept():
    answers, table = Answers(), asked_of(Counting(table_of_rows(invented(500)))).counts(("q", "r", "n"))
    answers.room = size_of(table) - 1
    answers.put("side", ASKED[0], table)
    assert answers.get("side", ASKED[0]) is None
    assert answers.held == answers.peak == 0


def test_two_tables_share_one_budget():
    answers = Answers()
    answers.room = 3 * 256
    for side in ("before", "after"):
        for column in "nm":
            answers.put(side, MomentsOf(column), 1.0)
    assert [answers.get("before", MomentsOf(column)) for column in "nm"] == [None, 1.0]
    answers.put("after", MomentsOf("q"), 1.0)
    assert [answers.get("after", MomentsOf(column)) for column in "nmq"] == [None, 1.0, 1.0]
    answers.forget("after")
    assert answers.held == 256
    assert answers.of("after") == []


def test_more_is_announced_than_there_is_room_for():
    """Then as much is answered in each pass as fits, never the same again and again."""
    source = Counting(table_of_rows(invented(BLOCK)))
    statistics = asked_of(source, memory=1 << 30)
    singles = [distinct_of(name) for name in "qrsnmpw"]
    statistics.announce(singles)
    statistics._answers.room = 2 * 96 * BLOCK * 3  # three columns at a time, as far as can be foreseen
    for question in singles:
        statistics.answer(question)
    assert len(source.passes) in (3, 4)


def test_counters_side_by_side_hold_no_more_tuples_than_one_may():
    rows = [(i % 7, 1, i % 80, i // 80, i % 3, i, i % 11) for i in range(6000)]
    source = Counting(table_of_rows(rows, dense=False))
    pairs = [CountsOf(("q", "r")), CountsOf(("q", "m", "r")), CountsOf(("r", "s", "m"))]
    one_fits = asked_of(source, memory=7000 * BYTES_PER_TUPLE)
    assert not any(isinstance(one_fits.answer(question), LongTable) for question in pairs)
    together = asked_of(source, memory=7000 * BYTES_PER_TUPLE)
    together._answers.room = 1 << 30
    together.announce(pairs)
    found = [together.answer(question) for question in pairs]
    held = sum(0 if isinstance(one, LongTable) else len(one) for one in found)
    assert held <= 7000
    assert len(source.passes) == 1
    for question, answer in zip(pairs, found, strict=True):
        assert as_rows(answer) == as_rows(one_fits.answer(question))


def test_what_does_not_fit_is_refused_by_name():
    statistics = asked_of(Counting(table_of_rows(invented(5000))), memory=20_000)
    with pytest.raises(LimitExceeded, match="distinct values of n"):
        statistics.counts(("q", "n"), persons=True)


def test_many_tuples_lie_in_parts_where_nobody_said_how_much_memory_there_is(monkeypatch):
    rows = [("p", "1", str(i % 30), str(i // 30), "s", i, i) for i in range(600)]
    data = Dataset(MemorySource(table_of_rows(rows)), recipe_of(COLUMNS, [], [], []).columns, {})
    whole = Statistics(data, {}, NullReporter()).tuples(("q", "r"))
    monkeypatch.setattr(long_table, "MOST_HELD", 100)
    many = Statistics(data, {}, NullReporter())
    assert isinstance(whole, FrequencyTable)
    assert isinstance(many.tuples(("q", "r")), LongTable)
    held = many.counts(("q", "r"))
    assert [one.tolist() for one in (*held.codes, held.counts)] == [
        one.tolist() for one in (*whole.codes, whole.counts)
    ]
