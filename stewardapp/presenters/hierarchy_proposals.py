"""What would be proposed for a column, in a sentence."""

from worker.engine.fields import NUMERIC, Kind


def described(kind: str) -> str:
    """What a proposal for this kind of column would be, in a sentence."""
    if kind in NUMERIC:
        return "Intervals of a round width, twice as wide at each level; ages by 5, 10 and 20 years."
    if kind == Kind.DATE:
        return "Month, year, decade; year and decade where day and month could be either way."
    if kind == Kind.ORDINAL:
        return "Neighbours joined in pairs, then in fours, in their natural order."
    if kind == Kind.BOOLEAN:
        return "Two values have nothing between themselves and *."
    return (
        "A classification that is shipped, where the name speaks of one: countries, regions, occupations, "
        "industries, diseases, education, marital status. Codes of equal length lose their last character at "
        "each level; of other values the rarest are joined."
    )
