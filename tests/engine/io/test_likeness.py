"""What two tables share is seen without a value: normal forms, mergeable samples, accuracy at the floor."""

import io
import random
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.io import likeness
from worker.engine.io.ingest import Likeness, ingest
from worker.engine.io.likeness import Likenesses, Sample, Sampler
from worker.engine.kernels import keyed

KEY = b"0123456789abcdef"


def kept(columns: dict[str, Sequence[object]], key: bytes = KEY) -> io.BytesIO:
    """The likeness of a file with these columns."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows), ""]
    found = io.BytesIO()
    raw = io.BytesIO("\n".join(lines).encode())
    ingest(raw, io.BytesIO(), {"missing": ["", "NA"]}, likeness=Likeness(found, key))
    return found


def sample(columns: dict[str, Sequence[object]], column: str | None, key: bytes = KEY) -> Sample:
    found = likeness.read(kept(columns, key), column)
    assert found is not None
    return found


def of_words(words: Sequence[str]) -> Sample:
    return sample({"key": words, "other": ["x"] * len(words)}, "key")


def words(number: int, seed: int = 1) -> list[str]:
    drawn = random.Random(seed)
    return [f"p{drawn.getrandbits(60)}" for _ in range(number)]


# Numbers


def test_siphash_is_the_published_one() -> None:
    key = np.frombuffer(bytes(range(16)), "<u8")
    expected = {0: 0x726FDB47DD0E0E31, 7: 0xAB0200F58B01D137, 8: 0x93F5F5799A932462, 15: 0xA129CA6149BE45E5}
    for size, answer in expected.items():
        assert int(keyed.siphash(np.arange(16, dtype=np.uint8), size, key)) == answer


SAME = (
    ("5", "5.0", "05", "+5", " 5 ", "5.", "005.000", "５"),
    ("-0.50", "-.5", "-0.5 ", "-00.500"),
    ("0", "-0", "0.0", ".0", "+0", "000"),
    ("Anna.B@example.org", " anna.b@EXAMPLE.org"),
    ("Zoë", "zoë ", "ZOË", "Zoë"),
    ("1200", "1200.0", "01200"),
    ("", " ", "\t"),
)
DIFFERENT = (
    "5",
    "50",
    "0.5",
    "-5",
    "5e0",
    "5.0.0",
    "5-0",
    "a5",
    "0",
    "05a",
    "5a",
    "1.05",
    "10.5",
    ".",
    "-",
    "a b",
)


def numbered(texts: Sequence[str]) -> list[int]:
    return [int(one) for one in Likenesses(["x"], [], KEY)._numbered(pa.array(texts, pa.string()))]


@pytest.mark.parametrize("texts", SAME)
def test_the_same_value_is_the_same_however_it_is_written(texts: tuple[str, ...]) -> None:
    assert len(set(numbered(texts))) == 1


def test_other_values_are_others() -> None:
    assert len(set(numbered(DIFFERENT))) == len(DIFFERENT)
    assert 0 not in numbered(DIFFERENT)


def test_the_quick_way_and_the_long_way_agree() -> None:
    """Whatever the quick way answers is what the normal form would have been numbered."""
    drawn, key = random.Random(5), np.frombuffer(KEY, "<u8")
    texts = ["".join(drawn.choices("059.-+ aZé", k=drawn.randint(1, 6))) for _ in range(4000)]
    room = np.empty(64, np.uint8)
    for text, number in zip(texts, numbered(texts), strict=True):
        data = np.frombuffer(text.encode(), np.uint8)
        size = keyed.normal(data, 0, len(data), room)
        if size >= 0:
            expected = keyed._hashed(room, 0, size, key) if size else 0
            assert number == int(expected), text


def test_another_key_makes_other_numbers() -> None:
    one, other = (sample({"key": words(500)}, "key", key) for key in (KEY, b"another key ....."))
    assert one.shared_with(sample({"key": words(500)}, "key")) == 500
    assert one.shared_with(other) == 0


# Samples


def test_everything_is_counted_while_it_is_little() -> None:
    people = words(3000)
    one, other = of_words(people[:2000]), of_words(people[:1899:-1])
    assert (one.size, other.size, one.shared_with(other)) == (2000, 1100, 100)
    both = one.with_all_of(other)
    assert both.size == 3000


def test_few_values_and_missing_ones_are_no_people() -> None:
    columns = {"few": [*range(99)] * 10, "holes": [*range(99), *["", "NA"] * 445, ""], "many": words(990)}
    found = kept(columns)
    assert likeness.read(found, "few") is None
    assert likeness.read(found, "holes") is None
    assert likeness.read(found, "nothing") is None
    assert likeness.read(found, "many") is not None


def test_rows_tell_people_apart_only_where_most_differ() -> None:
    coarse = {"age": [*range(120)] * 4, "sex": ["f", "m"] * 240}
    assert likeness.read(kept(coarse), None) is None
    people = {"town": [*range(400)], "name": words(400)}
    turned = {
        "NAME ": [f" {one.upper()}" for one in people["name"]],
        "town": [f"{one}.0" for one in range(400)],
    }
    assert sample(people, None).shared_with(sample(turned, None)) == 400
    assert sample(people, None).shared_with(sample({**people, "town": [*range(1, 401)]}, None)) == 0


def test_chunks_in_any_order_make_the_same_sample() -> None:
    numbers = np.random.default_rng(3).integers(1, 2**64, 50_000, np.uint64)
    made = []
    for parts in (1, 7, 50):
        sampler = Sampler(1000)
        for part in np.array_split(np.random.default_rng(parts).permutation(numbers), parts):
            sampler.add(part)
            sampler.add(part[:10])
        made.append(sampler.sample(np.frombuffer(KEY, "<u8")))
    assert {(len(one.numbers), one.halvings) for one in made} == {(len(made[0].numbers), 6)}
    assert all(set(one.numbers.tolist()) == set(made[0].numbers.tolist()) for one in made)
    assert len(made[0].numbers) <= 1000


def test_what_is_kept_is_not_what_was_chosen_by() -> None:
    """Of a number only its first bits are kept as they were; the rest went through SipHash."""
    numbers = np.arange(1, 2000, dtype=np.uint64) << np.uint64(20)
    sampler = Sampler(5000)
    sampler.add(numbers)
    found = set(sampler.sample(np.frombuffer(KEY, "<u8")).numbers.tolist())
    assert not found & set(numbers.tolist())
    assert {one >> 40 for one in found} == {one >> 40 for one in numbers.tolist()}


def test_another_form_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    found = kept({"key": words(200)})
    monkeypatch.setattr(likeness, "FORM", likeness.FORM + 1)
    assert likeness.read(found, "key") is None


def estimates(smaller: int, larger: int, shared: int, times: int) -> np.ndarray:
    """How many two populations share, as their samples tell, for populations drawn anew each time."""
    drawn, found = np.random.default_rng(smaller + larger + shared), []
    key = np.frombuffer(KEY, "<u8")
    for _ in range(times):
        numbers = drawn.integers(1, 2**64, smaller + larger - shared, np.uint64)
        made = []
        for own in (numbers[:smaller], numbers[smaller - shared :]):
            sampler = Sampler(likeness._LARGEST)
            sampler.add(own)
            made.append(sampler.sample(key))
        found.append(made[0].shared_with(made[1]))
    return np.array(found)


def test_at_the_floor() -> None:
    """Exact up to 65 536 values; 5 % of a million within a tenth; 100 of 2 000 in a million on average."""
    assert set(estimates(2000, 40_000, 100, 3)) == {100}
    large = estimates(1_000_000, 1_000_000, 50_000, 6)
    assert np.all(np.abs(large / 50_000 - 1) < 0.1)
    few = estimates(2000, 1_000_000, 100, 40)
    assert abs(few.mean() - 100) < 4 * 40 / 40**0.5
    assert few.std() < 60
    none = estimates(2000, 1_000_000, 0, 10)
    assert not none.any()
