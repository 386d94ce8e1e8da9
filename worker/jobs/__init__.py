"""One file per kind of job: its row, its work, and whom its end concerns."""
