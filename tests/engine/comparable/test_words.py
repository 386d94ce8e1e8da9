"""One column in words of both sides, by hand."""

import numpy as np

from tests.engine.information.pairs import pairs_of
from worker.engine.comparable.words import Words
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.kinds import Kind

LINES = HierarchySpec(lines=("a;ab;*", "b;ab;*", "c;cd;*", "d;cd;*"))


def table_of(texts, kind):
    return pairs_of([(text, text) for text in texts], kind).only(["original x"])


def read(before, after, kind=Kind.CATEGORICAL, spec=None, draws=0.0):
    """The words of the rows of both sides."""
    old, new = table_of(before, kind), table_of(after, kind)
    words = Words.of(old, new, kind, spec)
    was = words.before[[old.domains[0].find(text) for text in before]]
    codes = np.array([new.domains[0].find(text) for text in after], np.int32)
    became = words.of_release(codes, np.broadcast_to(draws, len(after)).astype(float))
    return [[words.texts[code] for code in side.tolist()] for side in (was, became)]


def test_the_original_goes_up_with_the_labels():
    assert read("abcd", ["ab", "ab", "c", "*"], spec=LINES) == [
        ["ab", "ab", "cd", "cd"],
        ["ab", "ab", "cd", "*"],
    ]


def test_without_a_hierarchy_a_label_is_a_word_of_its_own():
    assert read("abc", ["a", "b or c", ""]) == [["a", "b", "c"], ["a", "b or c", ""]]


def test_numbers_lie_in_bins_of_the_original_and_other_texts_by_themselves():
    numbers = [str(n) for n in range(10)]
    was, became = read(numbers, ["-5", "0.9", "0.91", "100", "*", ""], Kind.INTEGER)
    assert was == [f"part {n} of 10" for n in range(1, 11)]
    assert became == ["part 1 of 10", "part 2 of 10", "part 2 of 10", "part 10 of 10", "*", ""]


def test_an_interval_is_the_bin_of_an_original_that_lies_in_it():
    numbers = [str(n) for n in range(10)]
    found = [
        read(numbers, ["[2, 4[", "[2, 4[", "[20, 30["], Kind.INTEGER, draws=draw)[1]
        for draw in (0.1, 0.6, 0.999)
    ]
    assert [one[0] for one in found] == ["part 3 of 10", "part 4 of 10", "part 4 of 10"]
    assert all(one[2] == "part 10 of 10" for one in found)


def test_several_intervals_do_not_mix():
    numbers = [str(n) for n in range(10)]
    after = ["[0, 5[", "[5, 10[", "[0, 2[", "7"]
    for draw in np.linspace(0, 0.999, 50):
        parts = [int(text.split()[1]) for text in read(numbers, after, Kind.INTEGER, draws=draw)[1]]
        assert parts[0] <= 5 < parts[1]
        assert parts[2] <= 2
        assert parts[3] == 8


def test_dates_lie_in_bins_of_days():
    days = [f"2001-01-{day:02d}" for day in range(1, 11)]
    was, became = read(days, ["2001-01-01", "2001-01-10", "2001"], Kind.DATE)
    assert was == [f"part {n} of 10" for n in range(1, 11)]
    assert became == ["part 1 of 10", "part 10 of 10", "2001"]
