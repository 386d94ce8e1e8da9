"""Every registered class keeps its contract."""

import pytest

from tests.engine import checks
from tests.sampling import in_turn
from worker.engine import catalogue

METHODS = list(catalogue.methods().values())
GOALS = list(catalogue.goals().values())
MEASURES = list(catalogue.measures().values())


def crossed(classes, *asked):
    """Every class with every check, of which each asks another one of its examples."""
    return [
        pytest.param(example, check, id=f"{check.__name__.removeprefix('check_')}-{cls.slug}-{i}")
        for cls in classes
        for turn, check in enumerate(asked)
        for i, example in in_turn(list(enumerate(cls.examples())), turn)
    ]


def classes(*groups):
    return [pytest.param(cls, id=cls.slug) for group in groups for cls in group]


@pytest.mark.parametrize("cls", classes(METHODS, GOALS, MEASURES))
def test_is_documented(cls):
    checks.check_documented(cls)


@pytest.mark.parametrize("cls", classes(METHODS, GOALS, MEASURES))
def test_has_examples(cls):
    assert cls.examples()


@pytest.mark.parametrize("cls", classes(METHODS))
def test_leaves_no_more_than_it_says(cls):
    checks.check_leaves_no_more_than_it_says(cls)


@pytest.mark.parametrize(
    ("example", "check"),
    crossed(
        [*METHODS, *GOALS, *MEASURES],
        checks.check_frozen,
        checks.check_round_trip,
        checks.check_refuses_unknown_parameter,
        checks.check_refuses_absent_columns,
        checks.check_refuses_a_column_named_twice,
        checks.check_refuses_wrong_kinds_and_roles,
    ),
)
def test_parameters(example, check):
    check(example)


@pytest.mark.parametrize("cls", classes(MEASURES))
def test_figures_are_declared(cls):
    checks.check_figures_declared(cls)


def test_every_instance_has_a_name_of_its_own():
    names = [example.id for cls in MEASURES for example in cls.examples()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("example", "check"),
    crossed(
        METHODS,
        checks.check_input_unchanged,
        checks.check_counts_what_it_changed,
        checks.check_output_schema,
        checks.check_same_seed_same_output,
        checks.check_chunked_equals_whole,
        checks.check_progress_and_cancel,
        checks.check_refuses_all_missing,
        checks.check_few_rows,
        checks.check_odd_names,
        checks.check_no_value_is_told,
        checks.check_codebook_is_public,
        checks.check_leaves_what_it_says,
        checks.check_cost_is_pure,
    ),
)
def test_method(example, check):
    check(example)


@pytest.mark.parametrize(
    ("example", "check"),
    crossed(
        GOALS,
        checks.check_goal_judges,
        checks.check_goal_on_nothing,
        checks.check_kept_classes_hold,
        checks.check_monotone_goal,
        checks.check_goal_is_verified,
    ),
)
def test_goal(example, check):
    check(example)


@pytest.mark.parametrize(
    ("example", "check"),
    crossed(
        MEASURES,
        checks.check_measure,
        checks.check_measure_on_little,
        checks.check_measure_where_rows_are_gone,
        checks.check_measure_chunked_equals_whole,
        checks.check_measure_same_seed_same_figures,
        checks.check_measure_can_be_cancelled,
        checks.check_measure_tells_no_value,
        checks.check_measure_grows_as_it_says,
    ),
)
def test_measure(example, check):
    check(example)


ROW_BY_ROW = [one for one in METHODS if not (one.tabulates or one.examples()[0].enforces)]


@pytest.mark.parametrize("cls", classes(ROW_BY_ROW))
def test_command_grows_with_its_rows(cls):
    checks.check_command_grows_with_its_rows(cls.examples()[0])
