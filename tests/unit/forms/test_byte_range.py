"""Every single part that can be asked for of short files, beside what slicing gives."""

from itertools import product

import pytest

from stewardapp.forms.byte_range import Unsatisfiable, part_of


def sliced(first: str, last: str, content: bytes) -> bytes | None:
    """What the standard says, in plain slices; None where it is the whole."""
    if not first and not last:
        return None
    if not first:
        return content[-int(last) :] if int(last) else b""
    if last and int(last) < int(first):
        return None
    return content[int(first) : int(last) + 1] if last else content[int(first) :]


@pytest.mark.parametrize("size", range(6))
def test_the_part_is_what_slicing_gives(size: int) -> None:
    content = bytes(range(size))
    for first, last in product(["", *map(str, range(8))], repeat=2):
        expected = sliced(first, last, content)
        if expected == b"":
            with pytest.raises(Unsatisfiable):
                part_of(f"bytes={first}-{last}", size)
            continue
        part = part_of(f"bytes={first}-{last}", size)
        assert expected == (part and content[part.start : part.start + part.length]), (first, last)


@pytest.mark.parametrize(
    "header",
    ["", "bytes", "bytes=", "bytes=a-b", "bytes=0-1,3-4", "rows=0-1", "bytes=0x1-2", "bytes=٠-١", "bytes=-"],
)
def test_what_is_not_understood_is_the_whole(header: str) -> None:
    assert part_of(header, 10) is None


def test_a_part_names_itself() -> None:
    part = part_of("bytes=2-4", 10)
    assert part is not None
    assert part.of(10) == "bytes 2-4/10"
