"""Lines to pages: what is said on them, and to whom."""
