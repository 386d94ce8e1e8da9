"""Other tools doing the same work on the same data, installed in an environment of their own."""
