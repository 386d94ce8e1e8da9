"""Ways to run the same plan."""
