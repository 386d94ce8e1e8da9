"""The table of transitions is the design's; nothing else moves a release."""

from stewardapp.access.workflow import EDITABLE, TERMINAL, TRANSITIONS, State, diagram, transition

EDGES = {
    ("draft", "draft"),
    ("changes-requested", "draft"),
    ("draft", "in-review"),
    ("changes-requested", "in-review"),
    ("in-review", "approved"),
    ("in-review", "changes-requested"),
    ("in-review", "rejected"),
    ("draft", "withdrawn"),
    ("changes-requested", "withdrawn"),
    ("approved", "withdrawn"),
    ("approved", "in-review"),
    ("approved", "published"),
    ("published", "revoked"),
}


def test_edges() -> None:
    assert {(source.value, row.target.value) for row in TRANSITIONS for source in row.sources} == EDGES


def test_terminal_states_have_no_way_out() -> None:
    assert {state for state in State if not any(state in row.sources for row in TRANSITIONS)} == TERMINAL


def test_every_state_but_the_first_is_reached() -> None:
    assert {row.target for row in TRANSITIONS} == set(State)


def test_names_are_unique_and_labels_are_words() -> None:
    assert len({row.name for row in TRANSITIONS}) == len(TRANSITIONS)
    assert all(row.label and row.event.count(".") == 1 for row in TRANSITIONS)
    assert transition("publish").target is State.PUBLISHED
    assert State.IN_REVIEW.label == "In review"
    assert {State.DRAFT, State.CHANGES_REQUESTED} == EDITABLE


def test_diagram_draws_every_edge_but_loops() -> None:
    drawn = diagram()
    assert drawn.startswith("stateDiagram-v2\n    [*] --> draft: Create\n")
    for source, target in EDGES:
        line = f"    {source.replace('-', '_')} --> {target.replace('-', '_')}: "
        assert (line in drawn) is (source != target)
    assert drawn.count("--> [*]") == len(TERMINAL)
