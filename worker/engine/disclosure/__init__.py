"""What a class tells of a sensitive column, beside the whole table, and what must go of it."""
