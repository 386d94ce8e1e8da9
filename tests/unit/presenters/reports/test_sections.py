"""Sections that both audiences read."""

from stewardapp.presenters.reports import sections
from stewardapp.presenters.results import GoalLine
from worker.engine.recipes.codebook import ColumnLine


def test_goals_say_whether_they_hold() -> None:
    (found,) = sections.goals([GoalLine("k-anonymity", "5", "3", False, 4, "A remark.")])
    assert {"k-anonymity", "5", "3", "Does not hold", "A remark."} <= set(found.texts())
    assert sections.goals([]) == ()


def test_columns_and_files_as_tables() -> None:
    (columns,) = sections.codebook([ColumnLine("age", "", "integer", "", "as recorded")])
    assert {"age", "–", "as recorded"} <= set(columns.texts())
    (files,) = sections.files([("a.csv", 30162, 1500, "ab" * 32)])
    assert {"a.csv", "30\u202f162", "1.5\u00a0kB", "ab" * 32} <= set(files.texts())
