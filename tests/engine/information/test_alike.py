"""When a value of the original and a released one read alike."""

from tests.engine.measures.scenes import LINES, Case, statistics_of
from worker.engine.information.alike import readings


def alike(kind, before, after, **more):
    columns = {"x": {"role": "quasi-identifier", "kind": kind, **more}}
    case = Case(columns, {"x": before}, {"x": after})
    sides = [
        statistics_of({"x": texts}, case, [True] * len(texts), strict)
        for texts, strict in ((before, True), (after, False))
    ]
    found = readings(*sides, "x")
    was = dict(zip(found.original.texts, found.before.tolist(), strict=True))
    became = dict(zip(found.released.texts, found.after.tolist(), strict=True))
    assert max([*was.values(), *became.values()]) < found.number
    assert found.of_original(found.original).tolist() == found.before.tolist()
    assert found.of_released(found.released).tolist() == found.after.tolist()
    return was, became


def test_texts_read_as_they_are():
    was, became = alike("categorical", ["a", "b", "", "*"], ["b", "c", "", "*"])
    assert all(was[text] == became[text] for text in ("b", "", "*"))
    assert became["c"] not in was.values()


def test_numbers_read_alike_in_one_tenth_of_the_original():
    was, became = alike("integer", [str(n) for n in range(100)], ["14", "15.5", "[10, 20[", "*", "-7"])
    assert was["10"] == was["19"] == became["14"] == became["15.5"] == became["[10, 20["]
    assert became["-7"] == was["0"] != was["99"]
    assert became["*"] not in was.values()


def test_a_label_reads_as_every_value_below_it():
    was, became = alike("categorical", ["v0", "v1", "v2"], ["g0", "g1", "*"], hierarchy=LINES)
    assert was["v0"] == was["v1"] == became["g0"] != became["g1"] == was["v2"]
