"""People fit a class when their values, generalized like the sample's, give its label: counted one by one."""

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.search.problems import Drawn, counted, domain
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.linkage.coverage import People
from worker.engine.search.judging import generalized
from worker.engine.tables.classes import classes_of
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.verification.trees import Tree

VALUES = ["", "1", "2", "3"]
PARENTS = {"1": "low", "2": "low", "3": "high"}


def lines(root):
    return tuple(f"{value};{parent};{root}" for value, parent in PARENTS.items())


def label(value, level, root):
    """A missing value has no row: it is itself below the root."""
    return (value, PARENTS.get(value, value), root)[level]


def column(values):
    return counted([domain("q", VALUES, missing=True)], [[VALUES.index(value)] for value in values])


SOME = st.lists(st.sampled_from(VALUES), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(sample=SOME, more=SOME, root=st.sampled_from(["*", "all"]))
def test_the_missing_are_found_at_every_level_and_classes_only_grow(sample, more, root):
    people = [*sample, *more]
    table = column(sample)
    spec = HierarchySpec(lines=lines(root))
    levels = levels_of(spec, table.domains[0])
    drawn = Drawn(table, [levels], {"q": Declaration(hierarchy=spec)}, column(people))
    known = People.of(drawn.population, drawn)
    fewest = []
    for level in range(3):
        classes = classes_of(generalized(table, [levels], [level]), ["q"])
        found = known.inside(classes)
        first = classes.table.codes[0][classes.first()]
        texts = [classes.table.domains[0].texts[code] for code in first]
        expected = Counter(label(value, level, root) for value in people)
        assert dict(zip(texts, found.tolist(), strict=True)) == {text: expected[text] for text in texts}
        fewest.append(found.min())
    assert fewest == sorted(fewest)


def test_what_recomputes_it_from_the_released_bytes_reads_the_hierarchy_alike():
    for root, level in itertools.product(("*", "all"), range(3)):
        tree = Tree({"hierarchy": list(lines(root))}, {}, frozenset())
        for one, other in itertools.product(VALUES, repeat=2):
            alike = label(one, level, root) == label(other, level, root)
            assert tree.fits(label(one, level, root), other) == alike
