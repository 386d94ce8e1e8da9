"""How well sets of columns tell rows apart, row by row and pair by pair."""

from itertools import combinations


def records_of(cells, names, persons=None):
    """Each row as a tuple; equal rows of a person once."""
    rows = list(zip(*(cells[name] for name in names), strict=True))
    if persons is None:
        return rows, None
    seen = sorted(set(zip(rows, persons, strict=True)))
    return [row for row, _ in seen], [person for _, person in seen]


def told_apart(cells, everything, names, persons=None):
    """Share singled out, distinction and separation of one set among all columns."""
    rows, people = records_of(cells, everything, persons)
    at = [everything.index(name) for name in names]
    own = [tuple(row[i] for i in at) for row in rows]
    pairs = [(i, j) for i in range(len(own)) for j in range(i)]
    differ = sum(own[i] != own[j] for i, j in pairs)
    if people is None:
        alone, everybody = sum(own.count(one) == 1 for one in own), len(own)
    else:
        holders = {one: {p for row, p in zip(own, people, strict=True) if row == one} for one in own}
        alone = len({next(iter(found)) for found in holders.values() if len(found) == 1})
        everybody = len(set(people))
    return alone / everybody, len(set(own)) / len(own), differ / len(pairs) if pairs else None


def sets_of(names, size):
    return [one for length in range(1, size + 1) for one in combinations(names, length)]
