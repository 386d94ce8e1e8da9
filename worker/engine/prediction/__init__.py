"""Models that tell something from rows, and how well they do."""
