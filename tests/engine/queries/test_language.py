"""How queries are written, and what is refused."""

import pytest

from worker.engine.queries.language import Condition, Query, parsed


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("count", Query("count", None, ())),
        ("SHARE where a = 1", Query("share", None, (Condition("a", "=", "1"),))),
        (
            "mean pay where age>=40 and sex != f",
            Query("mean", "pay", (Condition("age", ">=", "40"), Condition("sex", "!=", "f"))),
        ),
        (
            'sum "net pay" where "born in" = "New ""York"""',
            Query("sum", "net pay", (Condition("born in", "=", 'New "York"'),)),
        ),
        ("count where a < -1.5", Query("count", None, (Condition("a", "<", "-1.5"),))),
        ('count where a = ""', Query("count", None, (Condition("a", "=", ""),))),
    ],
)
def test_a_line_says_a_query(text, query):
    assert parsed(text) == query


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "median pay", "mean", "count pay", "count where", "count where a", 'count "'),
        *("count where a ~ 1", "count where a = 1 or b = 2", "count where a = 1 and", "count a = 1"),
        *("count where a == 1", "sum pay age"),
    ],
)
def test_anything_else_is_refused_without_being_quoted(text):
    with pytest.raises(ValueError) as caught:
        parsed(text)
    assert "COLUMN" in str(caught.value)


def test_columns_are_named_once():
    assert parsed("mean pay where pay > 1 and age = 2 and age < 3").columns == ("pay", "age")
