"""Record linkage as methods.md says it, row by row: nothing is shared with the measure."""

import math

NEARLY = 1e-9


def deviation(numbers):
    mean = sum(numbers) / len(numbers)
    return math.sqrt(sum((x - mean) ** 2 for x in numbers) / (len(numbers) - 1))


def number(text):
    return None if text in ("", "*") else float(text)


class Attack:
    """`kinds` says of each column whether it is a number; `likely` holds a function of two texts each."""

    def __init__(self, before, after, kinds, likely):
        self.before, self.after, self.kinds, self.likely = before, after, kinds, likely
        self.rows = range(len(before))

    def euclid(self, x, y):
        total = 0.0
        for i in range(len(x)):
            spread = deviation([float(row[i]) for row in self.before])
            total += ((float(x[i]) - float(y[i])) / spread) ** 2 if spread else 0.0
        return math.sqrt(total)

    def gower(self, x, y):
        total = 0.0
        for i in range(len(x)):
            if y[i] == "*":
                continue
            if not self.kinds[i]:
                total += x[i] != y[i]
                continue
            was, became = number(x[i]), number(y[i])
            if was is None or became is None:
                total += was is not became
                continue
            known = [number(row[i]) for row in (*self.before, *self.after)]
            known = [one for one in known if one is not None]
            wide = max(known) - min(known)
            total += abs(was - became) / wide if wide else 0.0
        return total

    def distance(self, x, y):
        cells = [cell for row in (*self.before, *self.after) for cell in row]
        numbers_only = all(self.kinds) and "" not in cells and "*" not in cells
        return self.euclid(x, y) if numbers_only else self.gower(x, y)

    def likelihood(self, x, y):
        return math.prod(one(was, became) for one, was, became in zip(self.likely, x, y, strict=True))

    def ranked(self, scores, own):
        """Rows better than the own one, and rows as good as it."""
        slack = NEARLY * max(1.0, abs(scores[own]))
        better = sum(one < scores[own] - slack for one in scores)
        same = sum(abs(one - scores[own]) <= slack for one in scores)
        return better, same

    def linked(self, score, first=1):
        """The probability for each target."""
        found = []
        for target in self.rows:
            better, same = self.ranked([score(self.before[target], y) for y in self.after], target)
            found.append(min(max(first - better, 0) / same, 1.0))
        return found

    def mean(self, y):
        return sum(self.likelihood(x, y) for x in self.before) / len(self.before)

    def informed(self, x, y):
        return cost(self.likelihood(x, y))

    def of_others(self, x, y):
        likely = self.likelihood(x, y)
        return cost(likely / self.mean(y)) if likely else math.inf

    def highest_posterior(self):
        highest = 0.0
        for x in self.before:
            scores = [self.likelihood(x, y) / (self.mean(y) or 1.0) for y in self.after]
            if sum(scores):
                highest = max(highest, max(scores) / sum(scores))
        return highest

    def unchanged(self):
        """Of unique originals: found, and expected when each column lies in an order of its own."""
        unique = [x for x in self.before if self.before.count(x) == 1]
        if not unique:
            return 0.0, 0.0
        chance = 0.0
        for x in unique:
            often = sorted(sum(y[i] == x[i] for y in self.after) for i in range(len(x)))
            others = math.prod(one / len(self.after) for one in often[1:])
            chance += 1 - (1 - others) ** often[0]
        return sum(x in self.after for x in unique) / len(unique), chance / len(unique)


def cost(likely):
    return -math.log(likely) if likely else math.inf


def pram(keep, categories):
    other = (1 - keep) / (len(categories) - 1) if len(categories) > 1 else 0.0

    def likely(was, became):
        if was not in categories or became not in categories:
            return float(was == became)
        if len(categories) == 1:
            return float(was == became)
        return keep if was == became else other

    return likely


def normal(spread):
    def likely(was, became):
        if "" in (was, became):
            return float(was == became)
        away = (float(became) - float(was)) / spread
        return math.exp(-away * away / 2) / spread / math.sqrt(2 * math.pi)

    return likely


def kept(was, became):
    return float(was == became)
